// Run in a namespace: one side of an exchange of an application. Arguments: `serve`, the number of the exchange and the port; or
// `ask`, the number, the address and the port, which ends with 0 when everything was answered. `talk` and the name of a small server
// of this file, and the port, serves a real client.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { bytes, exchanges, page } from '../applications/exchanges.ts'

const [role = '', what = '', ...rest] = process.argv.slice(2)
const waitMs = 3000

function requireExchange() {
  const found = exchanges[Number(what)]
  if (found === undefined) throw new Error(`There is no exchange ${what}.`)
  return found
}

const orDone = (data: Buffer | undefined): Buffer =>
  data === undefined || data.length === 0 ? Buffer.from('done') : data

function serve(port: number): void {
  const { protocol, greeting, answer } = requireExchange()
  if (protocol === 'udp') {
    const socket = createSocket('udp4').bind(port)
    socket.on('message', (_message, { address, port: from }) => socket.send('done', from, address))
    return
  }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (greeting) socket.write(greeting)
    socket.once('data', () => {
      socket.write(orDone(answer))
      socket.on('data', () => socket.write('done'))
    })
  })
  server.listen(port)
}

async function ask(address: string, port: number): Promise<void> {
  const { protocol, greeting, request, more } = requireExchange()
  const limit = AbortSignal.timeout(waitMs)
  if (protocol === 'udp') {
    const socket = createSocket('udp4')
    socket.send(request, port, address)
    await once(socket, 'message', { signal: limit })
    return
  }
  const socket = connect(port, address)
  await once(socket, 'connect', { signal: limit })
  if (greeting) await once(socket, 'data', { signal: limit })
  for (const said of [request, more])
    if (said && said.length > 0) {
      socket.write(said)
      await once(socket, 'data', { signal: limit })
    }
}

/** A server that answers line by line. */
const lines = (greeting: string, answer: (line: string) => string) => (socket: Socket) => {
  let left = ''
  socket.write(greeting)
  socket.on('data', (data) => {
    const parts = (left + data.toString('latin1')).split('\r\n')
    left = parts.pop() ?? ''
    for (const line of parts) socket.write(answer(line))
  })
}

/** Answers to one message after another; the last one is repeated. */
const inTurn =
  (...turns: readonly ((said: Buffer) => Buffer)[]) =>
  (socket: Socket) => {
    let turn = 0
    socket.on('data', (said: Buffer) => socket.write(turns[Math.min(turn++, turns.length - 1)]?.(said) ?? ''))
  }

const ldapDone = (tag: string) => (said: Buffer) => {
  const id = said[said.indexOf(bytes('|02 01|')) + 2] ?? 1
  return Buffer.concat([bytes('|30 0c 02 01|'), Buffer.from([id]), bytes(`|${tag} 07 0a 01 00 04 00 04 00|`)])
}

const smtpAnswer = (line: string): string => {
  if (line.startsWith('DATA')) return '354 go on\r\n'
  if (line.startsWith('QUIT')) return '221 bye\r\n'
  return /^(?:EHLO|HELO|MAIL|RCPT|\.)/.test(line) ? '250 ok\r\n' : ''
}

const imapAnswer = (line: string): string => {
  const capability = line.includes('CAPABILITY') ? '* CAPABILITY IMAP4rev1\r\n' : ''
  return `${capability}${line.split(' ')[0]} OK done\r\n`
}

const popAnswer = (line: string): string => {
  if (line.startsWith('CAPA')) return '-ERR\r\n'
  return line.startsWith('LIST') ? '+OK\r\n1 10\r\n.\r\n' : '+OK\r\n'
}

/** Of RTSP, and of HTTP with the version that a proxy repeats. */
const rtspAnswer = (said: Buffer): Buffer => {
  const number = /CSeq: (\d{1,9})/.exec(said.toString('latin1'))?.[1] ?? '1'
  return Buffer.from(`RTSP/1.0 200 OK\r\nCSeq: ${number}\r\nPublic: DESCRIBE\r\n\r\n`)
}

const refusedLogin = (): Buffer => bytes('E|00 00 00 2d|SFATAL|00|VFATAL|00|C28000|00|Mhello from the peer|00 00|')

const talkers: Readonly<Record<string, (socket: Socket) => void>> = {
  imap: lines('* OK IMAP4rev1 ready\r\n', imapAnswer),
  pop3: lines('+OK ready\r\n', popAnswer),
  smtp: lines('220 mail.example.org ESMTP\r\n', smtpAnswer),
  web: inTurn(() => Buffer.from(page())),
  connect: inTurn(
    () => Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
    () => Buffer.from(page()),
  ),
  rtsp: inTurn(rtspAnswer),
  ldap: inTurn(ldapDone('61'), ldapDone('65')),
  postgres: inTurn(() => Buffer.from('N'), refusedLogin),
  socks: inTurn(
    () => bytes('|05 00|'),
    () => bytes('|05 00 00 01 00 00 00 00 00 00|'),
    () => Buffer.from(page()),
  ),
  telnet: (socket) => {
    socket.write(bytes('|ff fd 18 ff fd 20|'))
    socket.once('data', () => socket.end('welcome\r\n'))
  },
}

function talk(port: number): void {
  if (what === 'tftp' || what === 'sip') {
    talkOverUdp(port)
    return
  }
  const meet = talkers[what]
  if (meet === undefined) throw new Error(`There is no server "${what}".`)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    meet(socket)
  })
  server.listen(port)
}

function talkOverUdp(port: number): void {
  const socket = createSocket('udp4').bind(port)
  socket.on('message', (message, { address, port: from }) => {
    if (what === 'tftp') return message[1] === 1 ? socket.send(bytes('|00 03 00 01|file'), from, address) : undefined
    const headers = message
      .toString('latin1')
      .split('\r\n')
      .filter((line) => /^(?:Via|From|To|Call-ID|CSeq):/i.test(line))
    return socket.send(`SIP/2.0 200 OK\r\n${headers.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`, from, address)
  })
}

if (role === 'serve') serve(Number(rest[0]))
else if (role === 'talk') talk(Number(rest[0]))
else
  await ask(rest[0] ?? '', Number(rest[1])).then(
    () => process.exit(0),
    () => process.exit(1),
  )
