// `npm start` as people and programs use it: it says where it is, and it ends with npm however npm ends.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isRunning } from '../../src/launcher/identity.ts'
import { appRoot } from '../../src/launcher/layout.ts'
import { readRecord } from '../../src/launcher/record.ts'
import { ApiClient } from '../support/api-client.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'

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

describe('npm start', () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`serves, and leaves nothing behind when npm ends by ${signal}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'portcullis-npm-'))
      chmodSync(folder, 0o711)
      const stateDir = join(folder, 'state')
      const npm = npmStart(stateDir)
      try {
        await until('it serves', () => readRecord(stateDir)?.processes.gatewayd?.ready === true, 30_000)
        const record = readRecord(stateDir)
        assert.ok(record)
        const api = new ApiClient(record.address)
        await api.signIn('admin', password)
        api.close()
        npm.kill(signal)
        await until('it is gone', () => !isRunning(record.launcher) && !isRunning(record.inside), 15_000)
      } finally {
        npm.kill('SIGKILL')
        await until('npm and all below it are gone', () => readRecord(stateDir) === null, 15_000)
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
})
