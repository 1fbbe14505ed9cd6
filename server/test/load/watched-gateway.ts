// The gateway under hostile loads, in its own process: the whole product behind its TLS listener with a large configuration
// and full logs, and the watch on its event loop. hostile-bench.ts starts it and asks it questions.

import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentSockets } from '../../src/areas/client-agent/index.ts'
import { forwardRules } from '../../src/areas/firewall/config.ts'
import { ruleLists } from '../../src/areas/firewall/lists.ts'
import { areas } from '../../src/areas/index.ts'
import { logsService } from '../../src/areas/logs/service.ts'
import { ipAddresses } from '../../src/areas/objects/config.ts'
import type { EditTools } from '../../src/core/config/change.ts'
import { addTo } from '../../src/core/model/lists.ts'
import { type Config, read, write } from '../../src/core/model/slots.ts'
import type { NewRecord } from '../../src/domain/logs/record.ts'
import { guardConnections } from '../../src/gatewayd/http/connections.ts'
import { serveSockets } from '../../src/gatewayd/http/websocket.ts'
import { createTlsServer, ensureCertificate } from '../../src/shared/certificates/tls.ts'
import { cookieOf } from '../contract/contract.ts'
import { FakeApplier } from '../support/fake-applier.ts'
import { referenceMs, watchLoop } from '../support/loop-watch.ts'
import { createStoredLogs } from '../support/stored-logs.ts'
import { createTestGateway } from '../support/test-gateway.ts'

const [ruleCount = 0, lineCount = 0] = process.argv.slice(2).map(Number)
const send = (message: object): void => void process.send?.(message)

/** The checks of the stand-in for applyd are work of another process. */
const applier = new FakeApplier()
Object.assign(applier, {
  check: async () => ({ problems: [], unchecked: [] }),
  apply: async (plan: FakeApplier['applied']) => {
    applier.applied = plan
    return { status: 'applied', changed: [] }
  },
} satisfies Partial<FakeApplier>)

/** Each rule is completed by the area itself, in a configuration without the others. */
function withRules(config: Config, tools: EditTools): Config {
  const hosts = Array.from({ length: ruleCount }, (_, index) => ({
    id: `ip.id.${tools.nextId(ipAddresses)}`,
    title: `Host ${index}`,
    comment: '',
    value: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  }))
  const withHosts = write(config, ipAddresses, hosts)
  const rules = hosts.flatMap(({ id }, index) => {
    const fields = { action: index % 3 ? 'accept' : 'drop', protocol: 'protocol.tcp', destination_addresses: [id] }
    return read(addTo(withHosts, ruleLists.forward, tools.nextId(forwardRules), fields), forwardRules)
  })
  return write(withHosts, forwardRules, rules)
}

const folder = mkdtempSync(join(tmpdir(), 'portcullis-watched-'))
const certificate = await ensureCertificate(join(folder, 'tls'), ['127.0.0.1'], new Date())
const gateway = await createTestGateway({
  folder,
  applier,
  parts: {
    // Neither the watch of the tests on what areas read nor their check of replies is work of the gateway.
    areas,
    checkReplies: false,
    // That of the product: the one of the tests looks at every record on the event loop.
    logs: createStoredLogs(folder),
    serverFactory: (handler) => guardConnections(createTlsServer(certificate, handler)),
  },
})
const { http, engine, services } = gateway
const sockets = serveSockets(http.server as unknown as Server, {
  path: '/connect',
  ...agentSockets(services),
  onFault: (error) => {
    throw error
  },
})
const attacker = await gateway.addAdministrator('admin', 'predefined_admin_write')
const other = await gateway.addAdministrator('other', 'predefined_admin_write')
await engine.change({
  edit: (config, tools) => [withRules(config, tools), null],
  actor: { login: 'system', address: '127.0.0.1' },
  reason: 'many rules',
})
const begun = Date.now() - 3_600_000
const lineOf = (index: number): NewRecord => ({
  kind: 'system',
  priority: 6,
  unit: 'gatewayd',
  syslogId: 'gatewayd',
  fields: {},
  // Of this hour: older ones are removed when their days are over.
  time: (begun + index) * 1000,
  message: `line ${index} of a service that says about as much as services say in one line`,
})
// So that log queries have something to look through. Some at a time: what the log does not keep up with is not kept.
const atOnce = 5_000
for (let from = 0; from < lineCount; from += atOnce) {
  services
    .of(logsService)
    .append(Array.from({ length: Math.min(atOnce, lineCount - from) }, (_, at) => lineOf(from + at)))
  await services.of(logsService).flush()
}
await http.listen({ host: '127.0.0.1', port: 0 })
const watch = watchLoop()

process.on('message', (ask: 'take' | 'close') => {
  if (ask === 'take') send({ longestMs: watch.take() })
  else void close()
})
process.on('disconnect', () => process.exit())

async function close(): Promise<void> {
  watch.stop()
  sockets.close()
  ;(http.server as unknown as Server).closeAllConnections()
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
  process.disconnect?.()
}

send({
  port: (http.server.address() as AddressInfo).port,
  cookie: cookieOf(services.accounts.sessions.create(attacker, '127.0.0.1', '/')),
  probeCookie: cookieOf(services.accounts.sessions.create(other, '127.0.0.1', '/')),
  referenceMs: referenceMs(),
})
