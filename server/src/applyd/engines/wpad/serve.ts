// The server of the proxy file: a program of its own, which runs as its own account with one right, that to its port. It
// never starts a process, holds a bounded number of connections, and when it has too many it closes the one that has been
// silent longest, so that clients who say nothing cannot keep others out. Arguments: the address and the port.

import { createServer, type Socket } from 'node:net'

/** Direct proxy connections are not supported yet, so the file names no proxy and all clients connect directly. */
const proxyFile = 'function FindProxyForURL(url, host) { return "DIRECT"; }\n'

/** What DHCP announces, and what clients ask for that find the server by its name. */
const paths = new Set(['/wpad.dat', '/proxy.pac'])

const maxConnections = 512
const maxRequestBytes = 8 * 1024
/** For a whole request; a client that is slower may ask again. */
const requestMs = 10_000

const reply = (status: string, type: string, body: string, isHead: boolean): string =>
  [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    isHead ? '' : body,
  ].join('\r\n')

const refusal = (status: string): string => reply(status, 'text/plain', `${status}\n`, false)

/** The answer to a whole request; null while its end has not come. */
export function answerTo(request: string): string | null {
  if (!/\r?\n\r?\n/.test(request)) return request.length < maxRequestBytes ? null : refusal('431 Header Too Large')
  const [method = '', target = '', version = ''] = (request.split(/\r?\n/, 1)[0] ?? '').split(' ')
  if (!/^HTTP\/1\.[01]$/.test(version)) return refusal('400 Bad Request')
  if (method !== 'GET' && method !== 'HEAD') return refusal('405 Method Not Allowed')
  const path = target.replace(/^http:\/\/[^/]*/i, '').split('?', 1)[0] ?? ''
  if (!paths.has(path)) return refusal('404 Not Found')
  // Browsers do not accept the file without its type.
  return reply('200 OK', 'application/x-ns-proxy-autoconfig', proxyFile, method === 'HEAD')
}

/** Open connections, the oldest first: none lives longer than a request may take. */
const open = new Set<Socket>()

export function createProxyFileServer() {
  return createServer((socket) => {
    for (const oldest of open) {
      if (open.size < maxConnections) break
      oldest.destroy()
      open.delete(oldest)
    }
    open.add(socket)
    const timer = setTimeout(() => socket.destroy(), requestMs)
    let request = ''
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      request += text
      const answer = answerTo(request)
      if (answer === null) return
      socket.removeAllListeners('data').pause()
      socket.end(answer, () => socket.destroySoon())
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(timer)
      open.delete(socket)
    })
  })
}

if (import.meta.main) {
  const [host = '', port = ''] = process.argv.slice(2)
  createProxyFileServer().listen({ host, port: Number(port), backlog: 1024 })
}
