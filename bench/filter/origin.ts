// The web server behind the proxies of the bench: the same page on port 80 and, with a certificate, on 443. Answers without
// looking at more than the end of a request, so that little of the machine goes into it. Argument: a file with certificate and key.

import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

const [pairFile = ''] = process.argv.slice(2)
const { chain, key } = JSON.parse(readFileSync(pairFile, 'utf8')) as { chain: string; key: string }
const body = `<html><body>${'<p>just some text</p>\n'.repeat(180)}</body></html>\n`
const page = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
)

const serve = (socket: Socket): void => {
  let rest = ''
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    const requests = (rest + chunk).split('\r\n\r\n')
    rest = requests.pop() ?? ''
    for (const _ of requests) socket.write(page)
  })
  socket.on('error', () => socket.destroy())
}

createServer(serve).listen({ port: 80, host: '0.0.0.0', backlog: 1024 })
createTlsServer({ cert: chain, key }, serve).listen({ port: 443, host: '0.0.0.0', backlog: 1024 }, () =>
  console.log('listening'),
)
