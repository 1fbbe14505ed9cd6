// Stands in for gatewayd in the launcher's own tests: takes the same descriptors and variables, answers with
// what it finds itself to be.

import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

const stateDir = process.env.PORTCULLIS_STATE ?? ''
const password = readFileSync(Number(process.env.PORTCULLIS_ADMIN_PASSWORD_FD), 'utf8')

function describeSelf(): object {
  const status = readFileSync('/proc/self/status', 'utf8')
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1]
  return {
    pid: process.pid,
    uid: process.getuid?.(),
    groups: process.getgroups?.(),
    capabilities: [field('CapPrm'), field('CapEff'), field('CapBnd')],
    noNewPrivileges: field('NoNewPrivs'),
    environment: process.env,
    password,
    script: import.meta.filename,
  }
}

const server = createServer((_request, response) => response.end(JSON.stringify(describeSelf())))
process.once('SIGTERM', () => process.exit(0))
writeFileSync(join(stateDir, 'gateway', 'mark'), 'written by the service account')
server.listen({ fd: Number(process.env.PORTCULLIS_LISTEN_FD) }, () => {
  const ready = {
    event: 'ready',
    address: `http://${process.env.PORTCULLIS_LISTEN}/`,
    firstPassword: 'stand-in-password',
  }
  writeSync(Number(process.env.PORTCULLIS_NOTIFY_FD), `${JSON.stringify(ready)}\n`)
})
