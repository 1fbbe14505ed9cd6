// The baseline for long lists: node:https with the same TLS settings and headers. It sends the bytes that it is given.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { tlsHeaders } from '../../server/src/gatewayd/http/headers.ts'
import { ensureCertificate, tlsOptions } from '../../server/src/shared/certificates/tls.ts'
import { benchFolder } from '../folder.ts'

const certificate = await ensureCertificate(join(benchFolder(), 'tls'), ['127.0.0.1'], new Date())
const bodies = new Map<string, Buffer>()

const server = createServer(tlsOptions(certificate), (request, response) => {
  const body = bodies.get(request.url ?? '') ?? Buffer.alloc(0)
  response.writeHead(200, {
    ...tlsHeaders,
    etag: '"users.users-1"',
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  })
  response.end(body)
})
process.on('message', ({ path, file }: { path: string; file: string }) => {
  bodies.set(path, readFileSync(file))
  process.send?.('known')
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
