// The server of the proxy file and of the certificate of the content filter: a program of its own, which runs as its own account
// with one right, that to its port. It never starts a process, holds a bounded number of connections, and closes the one that
// has been silent longest when it has too many. Arguments: the address, the port and the file that says what is served.

import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { parseServedFile, type ServedFile } from './settings-file.ts'

const nothing: ServedFile = { certificate: null, proxyPort: null }

/**
 * Hosts of local networks are reached directly: the proxy does not lead there. Without a direct proxy all are. `host` is the
 * address that the client asked, which is the gateway's own.
 */
export const proxyFile = (host: string, port: number | null): string =>
  port === null
    ? 'function FindProxyForURL(url, host) { return "DIRECT"; }\n'
    : [
        'function FindProxyForURL(url, host) {',
        '  if (isPlainHostName(host) || host === "localhost" || dnsDomainIs(host, ".local")) return "DIRECT";',
        '  var address = /^[0-9.]+$/.test(host) ? host : dnsResolve(host);',
        '  if (address && (isInNet(address, "10.0.0.0", "255.0.0.0") || isInNet(address, "172.16.0.0", "255.240.0.0") ||',
        '      isInNet(address, "192.168.0.0", "255.255.0.0") || isInNet(address, "127.0.0.0", "255.0.0.0") ||',
        '      isInNet(address, "169.254.0.0", "255.255.0.0"))) return "DIRECT";',
        `  return "PROXY ${host}:${port}";`,
        '}',
        '',
      ].join('\n')

/** What DHCP announces, and what clients ask for that find the server by its name. */
const proxyPaths = new Set(['/wpad.dat', '/proxy.pac'])
const certificatePath = '/ca.crt'

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

/** The answer to a whole request; null while its end has not come. `host` is our own address. */
export function answerTo(request: string, host = '', { certificate, proxyPort }: ServedFile = nothing): string | null {
  if (!/\r?\n\r?\n/.test(request)) return request.length < maxRequestBytes ? null : refusal('431 Header Too Large')
  const [method = '', target = '', version = ''] = (request.split(/\r?\n/, 1)[0] ?? '').split(' ')
  if (!/^HTTP\/1\.[01]$/.test(version)) return refusal('400 Bad Request')
  if (method !== 'GET' && method !== 'HEAD') return refusal('405 Method Not Allowed')
  const path = target.replace(/^http:\/\/[^/]*/i, '').split('?', 1)[0] ?? ''
  const isHead = method === 'HEAD'
  if (path === certificatePath && certificate !== null)
    return reply('200 OK', 'application/x-x509-ca-cert', certificate, isHead)
  if (!proxyPaths.has(path)) return refusal('404 Not Found')
  // Browsers do not accept the file without its type.
  return reply('200 OK', 'application/x-ns-proxy-autoconfig', proxyFile(host, proxyPort), isHead)
}

/** A file that is not there or damaged shows nothing. */
export function readServed(path: string): ServedFile {
  try {
    const file = parseServedFile(readFileSync(path, 'utf8'))
    return typeof file === 'string' ? nothing : file
  } catch {
    return nothing
  }
}

/** Open connections, the oldest first: none lives longer than a request may take. */
const open = new Set<Socket>()

export function createProxyFileServer(host: string, served: () => ServedFile) {
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
      const answer = answerTo(request, host, served())
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
  const [host = '', port = '', path = ''] = process.argv.slice(2)
  let served = readServed(path)
  process.on('SIGHUP', () => {
    served = readServed(path)
  })
  createProxyFileServer(host, () => served).listen({ host, port: Number(port), backlog: 1024 })
}
