// The log server, which the operator of a gateway names in a file of the state folder. Without the file records stay on the
// gateway alone.

import { readFileSync } from 'node:fs'
import { type SaidText, say } from '../../../shared/said.ts'

export interface LogServerSettings {
  readonly url: URL
  readonly database: string
  readonly user: string
  readonly password: string
  /** Certificates to trust beside those of the system; PEM. */
  readonly ca: string | null
  /** What this gateway is called on the server; no two gateways have the same. */
  readonly gateway: string
}

/** Null without a file. A file that is there and cannot be used is a fault, in the operator's words. */
export function readLogServer(path: string): LogServerSettings | { readonly fault: SaidText } | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    return { fault: say`log-server.json cannot be read. Check who may read the file.` }
  }
  try {
    return settingsOf(JSON.parse(text))
  } catch {
    return { fault: say`log-server.json is not JSON. Correct the file and restart the gateway.` }
  }
}

function settingsOf(read: unknown): LogServerSettings | { readonly fault: SaidText } {
  if (typeof read !== 'object' || read === null) return faultOf('must be an object')
  const { url, database = 'portcullis', user = 'default', password = '', ca = null, gateway, ...rest } = fieldsOf(read)
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return faultOf(`has an unknown field: ${JSON.stringify(unknown)}`)
  if (typeof url !== 'string' || !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    return faultOf('needs "url", such as https://logs.example.com:8443')
  if (typeof database !== 'string' || !/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(database))
    return faultOf('has a "database" that is not made of letters, digits and _')
  if (typeof gateway !== 'string' || !/^[a-zA-Z0-9._-]{1,64}$/.test(gateway))
    return faultOf('needs "gateway", a name that no other gateway has: letters, digits, dots and dashes')
  if (typeof user !== 'string' || /[:\r\n]/.test(user)) return faultOf('has a "user" that is not a plain name')
  if (typeof password !== 'string') return faultOf('has a "password" that is not a text')
  if (ca !== null && typeof ca !== 'string') return faultOf('has a "ca" that is not a certificate in PEM form')
  return { url: new URL(url), database, user, password, ca, gateway }
}

const fieldsOf = (read: object): Readonly<Record<string, unknown>> => ({ ...read })

const faultOf = (what: string) => ({ fault: say`log-server.json ${what}. Correct the file and restart the gateway.` })
