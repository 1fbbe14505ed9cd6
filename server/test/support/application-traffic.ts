// Connections of several applications on ports that say nothing about them. `serve ADDRESS PEM` answers; `open ADDRESS FILE` opens
// one connection of each kind, adds `kind port` to the file when it has carried something, and keeps it open.

import { appendFileSync, readFileSync } from 'node:fs'
import { createServer, connect as openPlain, type Socket } from 'node:net'
import { createServer as createTlsServer, connect as openTls } from 'node:tls'

const [verb = '', address = '', file = ''] = process.argv.slice(2)

export const applicationPorts = { ssh: 21_022, http: 21_080, tls: 21_443, nonsense: 21_999 } as const

const quiet = (socket: Socket): Socket => socket.on('error', () => {})
const page = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello'

function serve(): void {
  const answerWith = (port: number, text: string, isFirst: boolean) =>
    createServer((socket) => {
      quiet(socket).on('data', () => isFirst || socket.write(text))
      if (isFirst) socket.write(text)
    }).listen(port, address)
  answerWith(applicationPorts.ssh, 'SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n', true)
  answerWith(applicationPorts.http, page, false)
  answerWith(applicationPorts.nonsense, 'qwertyuiop asdfghjkl\n', false)
  const secret = readFileSync(file, 'utf8')
  createTlsServer({ cert: secret, key: secret }, (socket) => {
    quiet(socket).on('data', () => socket.write('hello'))
  }).listen(applicationPorts.tls, address)
}

function open(): void {
  const show = (kind: string, socket: Socket) =>
    quiet(socket).once('data', () => appendFileSync(file, `${kind} ${socket.localPort}\n`))
  const plain = (kind: keyof typeof applicationPorts, text: string): void => {
    const socket = openPlain(applicationPorts[kind], address, () => socket.write(text))
    show(kind, socket)
  }
  const tls = (kind: string, servername: string): void => {
    const options = { host: address, port: applicationPorts.tls, servername, rejectUnauthorized: false }
    const socket = openTls({ ...options, checkServerIdentity: () => undefined }, () => socket.write('hello'))
    show(kind, socket)
  }
  plain('ssh', 'SSH-2.0-OpenSSH_9.2p1\r\n')
  plain('http', 'GET / HTTP/1.1\r\nHost: www.example.org\r\nUser-Agent: curl/8.5\r\n\r\n')
  plain('nonsense', 'zxcvbnm 1234567890\n')
  tls('video', 'www.youtube.com')
  tls('plain-tls', 'intranet.example.net')
  tls('hostile', 'x,TLS","name":"y\n9,6,1,1,0')
}

if (verb === 'serve') serve()
if (verb === 'open') open()
