// One request of the update protocol that providers of dynamic DNS share (dyndns2): an HTTPS GET with the name and the
// address, answered by a word. The name of the provider is asked of the gateway's own DNS server.

import { Resolver } from 'node:dns'
import { type RequestOptions, request } from 'node:https'
import type { LookupFunction } from 'node:net'

export interface DdnsServer {
  /** Where to send to, such as https://dyn.example.com/nic/update */
  readonly url: URL
  /** Certificates to trust instead of the usual ones. */
  readonly ca: string | null
}

export interface DdnsUpdate {
  readonly host: string
  readonly address: string
  readonly login: string
  readonly password: string
}

export type DdnsAnswer =
  | { readonly kind: 'done' }
  /** Sending it again would not help, and providers block who does. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'later'; readonly message: string; readonly seconds: number | null }

export type SendUpdate = (server: DdnsServer, update: DdnsUpdate) => Promise<DdnsAnswer>

const timeoutMs = 20_000
const longestAnswer = 4096

/** Answers of the protocol that require a change of the settings. */
const refusals: Readonly<Record<string, string>> = {
  badauth: 'the login or the password is wrong',
  '!donator': 'the account does not include this',
  notfqdn: 'the name is not a fully qualified domain name',
  nohost: 'the account does not own this name',
  numhost: 'too many names at once',
  abuse: 'the name is blocked because of too many updates',
  badagent: 'this client is not accepted',
}
/** The protocol requires this after `911` and `dnserr`. */
const troubleSeconds = 1800

export function readAnswer(status: number, body: string): DdnsAnswer {
  const word = /^\s*(\S{1,20})/.exec(body)?.[1]?.toLowerCase() ?? ''
  if (word === 'good' || word === 'nochg') return { kind: 'done' }
  const refusal = refusals[word] ?? (status === 401 || status === 403 ? refusals.badauth : undefined)
  if (refusal !== undefined) return { kind: 'refused', message: refusal }
  if (word === '911' || word === 'dnserr')
    return { kind: 'later', message: 'the provider reports an error on its side', seconds: troubleSeconds }
  return { kind: 'later', message: `it answered with status ${status} and an unknown text`, seconds: null }
}

export const sendUpdate =
  (agent: string): SendUpdate =>
  ({ url, ca }, { host, address, login, password }) => {
    const target = new URL(url)
    target.searchParams.set('hostname', host)
    target.searchParams.set('myip', address)
    const options: RequestOptions = {
      headers: { 'user-agent': agent, accept: 'text/plain' },
      auth: `${login}:${password}`,
      lookup: lookUpHere,
      signal: AbortSignal.timeout(timeoutMs),
      ...(ca === null ? {} : { ca }),
    }
    return new Promise((resolve) => {
      const fail = (error: Error): void =>
        resolve({ kind: 'later', message: `it cannot be reached (${error.message})`, seconds: null })
      const outgoing = request(target, options, (incoming) => {
        let body = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (part: string) => {
          if (body.length < longestAnswer) body += part
        })
        incoming.on('error', fail)
        incoming.on('end', () => resolve(readAnswer(incoming.statusCode ?? 0, body)))
      })
      outgoing.on('error', fail)
      outgoing.end()
    })
  }

const lookUpHere: LookupFunction = (name, options, callback) => {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  resolver.setServers(['127.0.0.1'])
  resolver.resolve4(name, (error, found) => {
    const [first = ''] = error ? [] : found
    if (error || first === '') callback(error ?? new Error('the name has no address'), '', 4)
    else if (options.all)
      callback(
        null,
        found.map((address) => ({ address, family: 4 })),
      )
    else callback(null, first, 4)
  })
}
