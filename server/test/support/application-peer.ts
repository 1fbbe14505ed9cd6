// Run in a namespace: one side of exchanges of applications, each named as number,address,port. `serve` and exchanges answers them.
// `ask`, how long silence is waited out in ms, and exchanges writes a line for each, with `ok` or `refused`, and ends with 0 when all were
// answered. `talk`, the name of a small server of this file, and the port, serves a real client; `secure` has its certificate in a
// folder, which comes last. `babble`, how long silence is waited out, the address and the port, says nonsense and ends with 0 when all
// of it was answered.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createSecureServer } from 'node:tls'
import { bytes, type Exchange, exchanges, page } from '../applications/exchanges.ts'

const [role = '', what = '', ...rest] = process.argv.slice(2)
/** Exchanges that are asked at the same time. */
const most = 16

interface Place {
  readonly exchange: Exchange
  readonly address: string
  readonly port: number
}

function placeOf(text: string): Place {
  const [index, address = '', port] = text.split(',')
  const exchange = exchanges[Number(index)]
  if (exchange === undefined) throw new Error(`There is no exchange ${index}.`)
  return { exchange, address, port: Number(port) }
}

const orDone = (data: Buffer | undefined): Buffer =>
  data === undefined || data.length === 0 ? Buffer.from('done') : data

function serve({ exchange: { protocol, greeting, answer }, address, port }: Place): void {
  if (protocol === 'udp') {
    const socket = createSocket('udp4').bind(port, address)
    socket.on('message', (_message, from) => socket.send('done', from.port, from.address))
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
  server.listen(port, address)
}

async function ask({ exchange, address, port }: Place, silenceMs: number): Promise<void> {
  const { protocol, greeting, request, more } = exchange
  const limit = AbortSignal.timeout(silenceMs)
  if (protocol === 'udp') {
    const socket = createSocket('udp4')
    socket.send(request, port, address)
    await once(socket, 'message', { signal: limit }).finally(() => socket.close())
    return
  }
  const socket = connect(port, address)
  try {
    await heard(socket, 'connect', limit)
    if (greeting) await heard(socket, 'data', limit)
    for (const said of [request, more])
      if (said && said.length > 0) {
        socket.write(said)
        await heard(socket, 'data', limit)
      }
  } finally {
    socket.on('error', () => {})
    socket.destroy()
  }
}

/** A server that ends the connection without a word did not answer either. */
async function heard(socket: Socket, event: 'connect' | 'data', signal: AbortSignal): Promise<void> {
  const ended = once(socket, 'close', { signal }).then(() => Promise.reject(new Error('It was ended.')))
  await Promise.race([once(socket, event, { signal }), ended])
}

async function askAll(silenceMs: number, texts: readonly string[]): Promise<boolean> {
  const left = [...texts]
  let isAllOk = true
  const worker = async (): Promise<void> => {
    for (let text = left.shift(); text !== undefined; text = left.shift()) {
      const isOk = await ask(placeOf(text), silenceMs).then(
        () => true,
        () => false,
      )
      isAllOk &&= isOk
      process.stdout.write(`${text} ${isOk ? 'ok' : 'refused'}\n`)
    }
  }
  await Promise.all(Array.from({ length: most }, worker))
  return isAllOk
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

/** No protocol starts like it. */
const nonsense = (turn: number): Buffer => Buffer.from(Array.from({ length: 300 }, (_, at) => 0xa1 ^ (at * 59 + turn)))

async function babble(silenceMs: number, address: string, port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(silenceMs)
  const socket = connect(port, address)
  try {
    await heard(socket, 'connect', signal)
    for (let turn = 0; turn < 6; turn++) {
      socket.write(nonsense(turn))
      await heard(socket, 'data', signal)
    }
    return true
  } catch {
    return false
  } finally {
    socket.on('error', () => {})
    socket.destroy()
  }
}

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
  nonsense: inTurn((said) => Buffer.from(said.map((byte) => byte ^ 0x55))),
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
  if (what === 'secure') {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(rest[1] ?? '', name)))
    createSecureServer({ key, cert }, (socket) => socket.on('error', () => {}).on('data', () => socket.write(page())))
      .on('tlsClientError', () => {})
      .listen(port)
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

if (role === 'serve') for (const text of [what, ...rest]) serve(placeOf(text))
else if (role === 'talk') talk(Number(rest[0]))
else if (role === 'babble') process.exit((await babble(Number(what), rest[0] ?? '', Number(rest[1]))) ? 0 : 1)
else process.exit((await askAll(Number(what), rest)) ? 0 : 1)
