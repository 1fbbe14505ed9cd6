// A provider of dynamic DNS for tests: records requests, and accepts one password only. Its settings come on
// standard input.

import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:https'

interface ProviderSettings {
  readonly key: string
  readonly chain: string
  readonly logFile: string
  readonly host: string
  readonly password: string
}

const { key, chain, logFile, host, password } = JSON.parse(readFileSync(0, 'utf8')) as ProviderSettings

createServer({ key, cert: chain }, (request, response) => {
  const basic = /^Basic (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const login = Buffer.from(basic, 'base64').toString()
  appendFileSync(logFile, `${login} ${request.url}\n`)
  response.end(login.endsWith(`:${password}`) ? 'good' : 'badauth')
}).listen(443, host)
