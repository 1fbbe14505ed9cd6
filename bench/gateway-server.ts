// The gateway under measurement: the whole product around the fake applier, with 1,000 administrators, on a free port.

import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { administrators } from '../server/src/areas/administrators/config.ts'
import { Database } from '../server/src/core/database/database.ts'
import { write } from '../server/src/core/model/slots.ts'
import { Vault } from '../server/src/core/vault.ts'
import { createGateway } from '../server/src/gatewayd/app.ts'
import { guardConnections } from '../server/src/gatewayd/http/connections.ts'
import { logViews } from '../server/src/gatewayd/logs/log-views.ts'
import { createTlsServer, ensureCertificate } from '../server/src/shared/certificates/tls.ts'
import { systemClock } from '../server/src/shared/time/clock.ts'
import { FakeApplier } from '../server/test/support/fake-applier.ts'
import { NaiveLogStore } from '../server/test/support/naive-log-store.ts'
import { labFacts } from '../server/test/support/test-gateway.ts'
import { makeAdministrators } from './administrators.ts'
import { benchFolder } from './folder.ts'

const folder = benchFolder()
const vault = new Vault(join(folder, 'vault.key'))
const certificate = await ensureCertificate(join(folder, 'tls'), ['127.0.0.1'], new Date())
const { http, engine, services } = createGateway({
  folder,
  logs: new NaiveLogStore(logViews),
  database: new Database(join(folder, 'gateway.db')),
  applier: new FakeApplier(),
  vault,
  clock: systemClock(),
  facts: () => labFacts,
  log: () => {},
  brand: 'portcullis',
  hostName: 'bench',
  ownNames: new Set(),
  isTls: true,
  serverFactory: (handler) => guardConnections(createTlsServer(certificate, handler)),
})

const admins = makeAdministrators(vault, 1_000)
await engine.change({
  edit: (config) => [write(config, administrators, admins), null],
  actor: { login: 'bench', address: '127.0.0.1' },
  reason: 'bench',
})
const tokens = services.accounts.sessions.create(admins[0]?.id ?? '', '127.0.0.1', '/')
await http.listen({ host: '127.0.0.1', port: 0 })

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.send?.({
  port: (http.server.address() as AddressInfo).port,
  cookie: `insecure-portcullis-session=${tokens.session}; __Secure-portcullis-${tokens.secureName}=${tokens.secureValue}`,
})
