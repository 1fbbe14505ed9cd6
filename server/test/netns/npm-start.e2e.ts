// `npm start` as people and programs use it: it serves, the lab can be entered with gw, and it ends with npm however npm ends.
// Requirement 28.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isRunning } from '../../src/tools/launcher/identity.ts'
import { appRoot } from '../../src/tools/launcher/layout.ts'
import { readRecord } from '../../src/tools/launcher/record.ts'
import { ApiClient } from '../support/api-client.ts'
import { patienceMs, until } from '../support/until.ts'

/** Unlike any other: the search below goes through all processes of this machine. */
const password = `correct horse ${randomBytes(8).toString('hex')}`
const listRules = ['/usr/sbin/nft', 'list', 'table', 'inet', 'portcullis']

function npmStart(stateDir: string): ChildProcess {
  return spawn('npm', ['start'], {
    cwd: appRoot,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORTCULLIS_STATE: stateDir,
      PORTCULLIS_LISTEN: '127.0.0.1:0',
      PORTCULLIS_ADMIN_PASSWORD: password,
      PORTCULLIS_SKIP_PACKAGES: '1',
    },
  })
}

/** The command line as a person types it. */
function gw(stateDir: string, ...args: string[]): { readonly code: number | null; readonly out: string } {
  const { status, stdout, stderr } = spawnSync(join(appRoot, 'gw'), args, {
    encoding: 'utf8',
    timeout: patienceMs,
    env: { PATH: process.env.PATH, HOME: stateDir, XDG_CONFIG_HOME: stateDir, PORTCULLIS_STATE: stateDir },
  })
  return { code: status, out: stdout + stderr }
}

/** What the README shows in the second terminal. */
function useLab(stateDir: string): void {
  const status = gw(stateDir, 'lab', 'status')
  assert.equal(status.code, 0, status.out)
  assert.match(status.out, /gateway +wan0 +up .*203\.0\.113\.2\/24/)
  const seen = gw(stateDir, 'lab', 'exec', 'client', '--', 'curl', '-s', '-m', '60', 'http://www.example.test/')
  assert.match(seen.out, /"client":"203\.0\.113\.2"/)
  assert.equal(gw(stateDir, 'lab', 'exec', 'client', '--', 'false').code, 1)
  assert.notEqual(gw(stateDir, 'lab', 'exec', 'nowhere', '--', 'true').code, 0)
}

/** L6: whose environment shows the password. That of npm itself cannot be changed by what it starts. */
function holdersOfPassword(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(password)
      } catch {
        // It has ended.
        return false
      }
    })
}

describe('npm start', () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`serves, and leaves nothing behind when npm ends by ${signal}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'portcullis-npm-'))
      chmodSync(folder, 0o711)
      const stateDir = join(folder, 'state')
      const npm = npmStart(stateDir)
      try {
        await until('it serves', () => readRecord(stateDir)?.processes.gatewayd?.ready === true)
        const record = readRecord(stateDir)
        assert.ok(record)
        const api = new ApiClient(record.address)
        await api.signIn('admin', password)
        api.close()
        assert.deepEqual(holdersOfPassword(), [npm.pid], 'L6: only npm itself still has the password')
        await until(
          'the rules are in the kernel',
          () => gw(stateDir, 'lab', 'exec', 'gateway', '--', ...listRules).code === 0,
        )
        useLab(stateDir)
        npm.kill(signal)
        await until('it is gone', () => !isRunning(record.launcher) && !isRunning(record.inside))
      } finally {
        npm.kill('SIGKILL')
        await until('npm and all below it are gone', () => readRecord(stateDir) === null)
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
})
