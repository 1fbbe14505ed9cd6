// The raw thing to compare with: node:https with the same certificate and TLS settings, sending the same bytes, headers included.

import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { tlsHeaders } from '../server/src/gatewayd/http/headers.ts'
import { ensureCertificate, tlsOptions } from '../server/src/shared/certificates/tls.ts'
import { benchFolder } from './folder.ts'

const certificate = await ensureCertificate(join(benchFolder(), 'tls'), ['127.0.0.1'], new Date())
const small = JSON.stringify({ automatic_snat_enabled: true, log_mode: 'nothing', log_actions: [] })
const items = Array.from({ length: 1_000 }, (_, index) => ({
  id: '123e4567-e89b-42d3-a456-426614174000',
  name: `Administrator ${index}`,
  enabled: true,
  login: `admin-${index}`,
  role: 'predefined_admin_write',
  comment: `Works in building ${index % 7}, floor ${index % 5}`,
  password_timestamp: 1_700_000_000 + index,
}))
const list = Buffer.from(JSON.stringify(items))

const bodies: Readonly<Record<string, () => string | Buffer>> = {
  '/small': () => small,
  '/list': () => list,
  '/list-serialised': () => JSON.stringify(items),
}

const server = createServer(tlsOptions(certificate), (request, response) => {
  const body = bodies[request.url ?? '']?.() ?? ''
  response.writeHead(200, {
    ...tlsHeaders,
    etag: '"firewall.settings-0"',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port, cookie: 'none=none' }),
)
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
