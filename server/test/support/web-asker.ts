// Asks many web sites from a namespace of the lab, over connections that stay: questions come as lines of JSON on standard input,
// and for each the answer goes out as one line. Certificates are not checked; who signed them is told.

import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { createInterface } from 'node:readline'
import type { TLSSocket } from 'node:tls'
import type { WebAnswer, WebAsk } from './web-client.ts'

const agents = new Map<string, Agent | SecureAgent>()

/** One connection for each name, and another one for each question without. */
function agentOf({ connection }: WebAsk, isSecure: boolean): Agent | SecureAgent | false {
  if (connection === undefined) return false
  const key = `${isSecure} ${connection}`
  const found = agents.get(key)
  if (found) return found
  const options = { keepAlive: true, maxSockets: 1 }
  const made = isSecure ? new SecureAgent(options) : new Agent(options)
  agents.set(key, made)
  return made
}

const print = (answer: WebAnswer): void => {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

function ask(question: WebAsk): void {
  const { id, url, address, method = 'GET', headers = {}, body = 0, source } = question
  const { protocol, hostname, port, pathname, search, host } = new URL(url)
  const isSecure = protocol === 'https:'
  const options = {
    host: address,
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    method,
    path: `${pathname}${search}`,
    headers: { host, ...(body > 0 ? { 'content-length': body } : {}), ...headers },
    agent: agentOf(question, isSecure),
    ...(source === undefined ? {} : { localAddress: source }),
    ...(isSecure ? { servername: /^[0-9.]+$/.test(hostname) ? '' : hostname, rejectUnauthorized: false } : {}),
    timeout: 60_000,
  }
  const socketOf = (): TLSSocket | null => outgoing.socket as TLSSocket | null
  // A certificate can only be asked for while the connection is open.
  let issuer = ''
  const take = (incoming: IncomingMessage): void => {
    let [text, bytes] = ['', 0]
    incoming.on('data', (part: Buffer) => {
      bytes += part.length
      if (text.length < 6_000) text += part.toString()
    })
    incoming.on('error', (error) => print(failed(id, issuer, error, outgoing.reusedSocket)))
    incoming.on('end', () =>
      print({
        id,
        issuer,
        bytes,
        fault: '',
        status: incoming.statusCode ?? 0,
        isReused: outgoing.reusedSocket,
        headers: incoming.headers,
        body: text.slice(0, 6_000),
      }),
    )
  }
  const outgoing = isSecure ? secureRequest(options, take) : request(options, take)
  outgoing.on('socket', (socket) => {
    const read = (): void => {
      const { issuer: by } = (socketOf()?.getPeerCertificate() ?? {}) as { issuer?: Record<string, string> }
      issuer = by?.CN ?? by?.O ?? ''
    }
    if (!isSecure) return
    if (socket.connecting || (socket as TLSSocket).getProtocol() === null) socket.once('secureConnect', read)
    else read()
  })
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')))
  outgoing.on('error', (error) => print(failed(id, issuer, error, outgoing.reusedSocket)))
  outgoing.end(body > 0 ? Buffer.alloc(body, 'b') : undefined)
}

const failed = (id: number, issuer: string, error: NodeJS.ErrnoException, isReused: boolean): WebAnswer => ({
  id,
  issuer,
  bytes: 0,
  status: 0,
  headers: {},
  body: '',
  isReused,
  fault: error.code ?? error.message,
})

createInterface({ input: process.stdin }).on('line', (line) => ask(JSON.parse(line) as WebAsk))
