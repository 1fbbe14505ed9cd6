// HTTPS to one gateway whose certificate is known by its fingerprint, or is a renewal signed with the key of the root that
// came with it. It is judged before a single byte of a request is sent, so neither password nor cookies reach another server.

import { createHash, X509Certificate } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Method } from '../../../core/contract/endpoint.ts'
import { patient } from '../../../shared/pace.ts'
import { CommandFailure, codeOf, noConnection } from '../failure.ts'

export interface Ask {
  readonly method: Method
  /** Path and query, ready for the request line. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly bytes: Buffer; readonly contentType: string }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly bytes: Buffer
  /** The same as text. */
  readonly text: string
}

/** What tells a gateway from others. */
export interface ShownCertificate {
  readonly fingerprint: string
  /** SHA-256 of the public key of the root that signed the certificate; null when no root came with it, or it has ended. */
  readonly rootKey: string | null
}

const connectMilliseconds = 10_000
/** A change is answered after it was applied, which may take a while. */
const answerMilliseconds = 120_000
/** An event stream shows that it is alive more often. */
const silentMilliseconds = 60_000
const maxSockets = 4

export class Connection {
  readonly #address: URL
  readonly #agent: Agent

  /** `onRenewed` gets the certificate of a gateway that renewed it since `trusted` was shown. */
  constructor(address: string, trusted: ShownCertificate, onRenewed?: (shown: ShownCertificate) => void) {
    this.#address = new URL(address)
    this.#agent = new Agent({ keepAlive: true, maxSockets })
    // An already encrypted socket under plain HTTP: this is the only place that decides whom to talk to.
    this.#agent.createConnection = (_options, callback) => {
      // Node's types ask for a socket beside an error, which nothing reads.
      const fail = callback as ((error: Error) => void) | undefined
      openTrusted(this.#address, trusted, onRenewed).then((socket) => callback?.(null, socket), fail)
      return undefined
    }
  }

  async send(ask: Ask): Promise<Answer> {
    const response = await this.#open(ask, answerMilliseconds)
    return this.#whole(response)
  }

  /** The pieces of a reply that stays open; a refusal comes as a whole answer. */
  async follow(ask: Ask): Promise<{ readonly pieces: AsyncIterable<Buffer> } | { readonly refusal: Answer }> {
    const response = await this.#open(ask, silentMilliseconds)
    return response.statusCode === 200 ? { pieces: this.#piecesOf(response) } : { refusal: await this.#whole(response) }
  }

  async #whole(response: IncomingMessage): Promise<Answer> {
    try {
      const bytes = await readAll(response)
      return { ...answerOf(response), bytes, text: bytes.toString('utf8') }
    } catch (error) {
      throw explain(this.#address, error)
    }
  }

  /** A connection that ends in the middle ends the pieces; who follows connects again. */
  async *#piecesOf(response: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of response) yield chunk as Buffer
    } catch {
      return
    }
  }

  #open(ask: Ask, patienceMilliseconds: number): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(explain(this.#address, error))
      const sent = request({
        agent: this.#agent,
        method: ask.method,
        path: ask.target,
        headers: {
          host: this.#address.host,
          accept: 'application/json',
          'accept-encoding': 'gzip',
          ...ask.headers,
          ...(ask.body === undefined
            ? {}
            : { 'content-type': ask.body.contentType, 'content-length': ask.body.bytes.length }),
        },
      })
      sent.once('error', fail)
      sent.setTimeout(patient(patienceMilliseconds), () => sent.destroy(new Error('timed out waiting for an answer')))
      sent.once('response', resolve)
      // As bytes: Node writes headers in front of a string body as UTF-8, which would damage Latin-1 headers.
      sent.end(ask.body?.bytes)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** The certificate an address shows now, for a person to compare. */
export async function readCertificate(address: string): Promise<ShownCertificate> {
  const url = new URL(address)
  try {
    const socket = await openSocket(url)
    const shown = shownBy(socket)
    socket.destroy()
    return shown
  } catch (error) {
    throw explain(url, error)
  }
}

/** A destroyed socket has no certificate any more; its empty fingerprint must not match anything. */
function shownBy(socket: TLSSocket): ShownCertificate {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) throw new Error('no certificate was presented')
  return { fingerprint: certificate.fingerprint256, rootKey: rootKeyOf(socket, certificate) }
}

function rootKeyOf(socket: TLSSocket, certificate: X509Certificate): string | null {
  const { issuerCertificate } = socket.getPeerCertificate(true)
  if (!issuerCertificate) return null
  const root = new X509Certificate(issuerCertificate.raw)
  const isSigned = root.ca && certificate.checkIssued(root) && certificate.verify(root.publicKey)
  const hasEnded = certificate.validToDate.getTime() < Date.now()
  return isSigned && !hasEnded ? keyFingerprint(root) : null
}

export const keyFingerprint = ({ publicKey }: X509Certificate): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')

/** A gateway renews its certificate when its names change and before it expires; its root keeps the key. */
export const isRenewalOf = (trusted: ShownCertificate, shown: ShownCertificate): boolean =>
  trusted.rootKey !== null && trusted.rootKey === shown.rootKey

function openSocket(address: URL): Promise<TLSSocket> {
  const host = address.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(address.port || 443),
      servername: isIP(host) === 0 ? host : '',
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      // The gateway signs its own certificate: it is judged by openTrusted().
      rejectUnauthorized: false,
    })
    socket.setTimeout(patient(connectMilliseconds), () => socket.destroy(new Error('timed out while connecting')))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      socket.setTimeout(0)
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

async function openTrusted(
  address: URL,
  trusted: ShownCertificate,
  onRenewed?: (shown: ShownCertificate) => void,
): Promise<TLSSocket> {
  const socket = await openSocket(address)
  const shown = shownBy(socket)
  if (shown.fingerprint === trusted.fingerprint) return socket
  if (isRenewalOf(trusted, shown)) {
    onRenewed?.(shown)
    return socket
  }
  socket.destroy()
  throw strangeCertificate(address.origin, trusted.fingerprint, shown.fingerprint)
}

export const strangeCertificate = (address: string, trusted: string, shown: string): CommandFailure =>
  noConnection(`${address} presents a different certificate than the one you trusted. Nothing was sent.`, [
    `trusted  ${trusted}`,
    `shown    ${shown}`,
    'If the gateway has a new certificate, compare the fingerprint on the gateway, then run: gw login --trust',
  ])

const answerOf = ({ statusCode = 0, headers }: IncomingMessage) => ({ status: statusCode, headers })

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  return response.headers['content-encoding'] === 'gzip' ? promisify(gunzip)(bytes) : bytes
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; check that the gateway is running',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name cannot be resolved now',
  EHOSTUNREACH: 'no route to this address',
  ENETUNREACH: 'no route to this address',
  ECONNRESET: 'the connection was reset by the other side',
  EPROTO: 'the server does not use TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not use TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not use TLS',
}

function explain(address: URL, error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error
  const reason = reasons[codeOf(error)] ?? (error as Error).message
  return noConnection(`${address.origin} cannot be reached: ${reason}.`)
}
