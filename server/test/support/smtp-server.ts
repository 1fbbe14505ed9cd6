// A small SMTP server for tests: EHLO, STARTTLS, AUTH PLAIN and LOGIN, MAIL, RCPT, DATA. It keeps what it received and says what
// it saw of the dialogue, so that a test can tell what was sent in clear.

import { createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** As sent, without the dots that SMTP adds. */
  readonly data: string
  readonly isEncrypted: boolean
  readonly login: string
}

export interface SmtpOptions {
  readonly tls?: { readonly key: string; readonly cert: string }
  /** `tls`: encrypted from the first byte. */
  readonly mode: 'plain' | 'starttls' | 'tls'
  /** `login:password`; without it no one may sign in. */
  readonly account?: string
  /** Answers instead of the usual one, by the first word of a command; null: no answer at all. */
  readonly answers?: Readonly<Record<string, string | null>>
  readonly onMail?: (mail: ReceivedMail) => void
}

export interface SmtpServer {
  readonly server: Server
  readonly mails: ReceivedMail[]
  /** Every line that a client sent in clear. */
  readonly clear: string[]
  connections: number
}

export function createSmtpServer(options: SmtpOptions): SmtpServer {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    state.connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    if (options.mode !== 'tls') return talk(socket, false, true)
    const secure = secured(socket)
    secure.once('secure', () => talk(secure, true, true))
  })
  const close = server.close.bind(server)
  server.close = (done) => {
    for (const socket of sockets) socket.destroy()
    return close(done)
  }
  const state: SmtpServer = { server, mails: [], clear: [], connections: 0 }
  return state

  function secured(socket: Socket): TLSSocket {
    const secure = new TLSSocket(socket, { isServer: true, ...options.tls })
    secure.on('error', () => {})
    return secure
  }

  function talk(socket: Socket, isEncrypted: boolean, isGreeted: boolean): void {
    let rest = ''
    let isData = false
    let [from, login, step] = ['', '', '']
    let to: string[] = []
    let data: string[] = []
    const say = (text: string): void => void socket.write(`${text}\r\n`)
    if (isGreeted && options.answers?.GREETING !== null) say(options.answers?.GREETING ?? '220 mail.test ESMTP')
    socket.on('data', read)

    function read(chunk: Buffer): void {
      rest += chunk.toString('utf8')
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (isData) take(line)
        else if (answer(line) === 'upgrade') return
      }
    }

    function take(line: string): void {
      if (line !== '.') return void data.push(line.startsWith('.') ? line.slice(1) : line)
      isData = false
      const mail = { from, to, data: data.join('\r\n'), isEncrypted, login }
      state.mails.push(mail)
      options.onMail?.(mail)
      say('250 queued')
    }

    function answer(line: string): 'upgrade' | undefined {
      if (!isEncrypted) state.clear.push(line)
      if (step !== '') return signIn(line)
      const [word = ''] = line.toUpperCase().split(/[ :]/)
      const given = options.answers?.[word]
      if (given === null) return undefined
      if (given !== undefined) return void say(given)
      const argument = /<([^>]*)>/.exec(line)?.[1] ?? ''
      const canUpgrade = options.mode === 'starttls' && !isEncrypted
      switch (word) {
        case 'EHLO':
          return void say(
            ['250-mail.test', ...(canUpgrade ? ['250-STARTTLS'] : ['250-AUTH PLAIN LOGIN']), '250 8BITMIME'].join(
              '\r\n',
            ),
          )
        case 'STARTTLS': {
          if (!canUpgrade) return void say('502 not offered')
          say('220 ready')
          socket.removeListener('data', read)
          const secure = secured(socket)
          secure.once('secure', () => talk(secure, true, false))
          return 'upgrade'
        }
        case 'AUTH': {
          const [, kind, initial] = line.split(' ')
          step = kind?.toUpperCase() ?? ''
          if (initial !== undefined) return signIn(initial)
          return void say(step === 'LOGIN' ? '334 VXNlcm5hbWU6' : '334 ')
        }
        case 'MAIL':
          ;[from, to, data] = [argument, [], []]
          return void say('250 ok')
        case 'RCPT':
          to.push(argument)
          return void say('250 ok')
        case 'DATA':
          isData = true
          return void say('354 go on')
        case 'QUIT':
          say('221 bye')
          return void socket.end()
        default:
          return void say('250 ok')
      }
    }

    function signIn(line: string): undefined {
      const text = Buffer.from(line, 'base64').toString('utf8')
      if (step === 'LOGIN') {
        login = text
        step = 'password'
        return void say('334 UGFzc3dvcmQ6')
      }
      const [, name = '', password = ''] = step === 'PLAIN' ? text.split('\0') : ['', login, text]
      step = ''
      const isRight = `${name}:${password}` === options.account
      login = isRight ? name : ''
      return void say(isRight ? '235 welcome' : '535 wrong login or password')
    }
  }
}
