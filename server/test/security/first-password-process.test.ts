// L6: gatewayd as the unit of systemd starts it: the first password is in its file alone, and good for nothing but its change.
// Requirement 10.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { ApiClient } from '../support/api-client.ts'
import { until } from '../support/until.ts'

it('L6: the first password of a host is never printed and only opens its own change', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-first-'))
  const child = spawn(runtimePath(appRoot), [join(appRoot, 'server/src/gatewayd/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PORTCULLIS_STATE: folder,
      // No applyd runs, so nothing reaches this machine.
      PORTCULLIS_DATAPLANE: 'host',
      PORTCULLIS_LISTEN: '127.0.0.1:0',
      PORTCULLIS_AGENT_LISTEN: '127.0.0.1:0',
      NODE_COMPILE_CACHE: join(appRoot, '.cache/compile'),
    },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  try {
    const addressSaid = (): string | undefined => /"address":"(https[^"]+)"/.exec(said)?.[1]
    await until('it serves', () => addressSaid() !== undefined)
    const path = join(folder, 'gateway', 'first-password')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const password = readFileSync(path, 'utf8').trim()
    assert.ok(password.length >= 20)
    assert.ok(!said.includes(password))
    const api = new ApiClient(addressSaid() ?? '')
    await api.signIn('admin', password)
    assert.equal((await api.call('GET', '/web/whoami')).status, 200)
    assert.equal((await api.call('GET', '/firewall/settings')).status, 403)
    api.close()
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
    rmSync(folder, { recursive: true, force: true })
  }
})
