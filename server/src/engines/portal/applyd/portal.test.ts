// Requirement 53.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, test } from 'node:test'
import { unlessComplete } from '../../../../test/support/requires.ts'
import { productionTables } from '../../../applyd/production.ts'
import type { Account } from '../../../core/engine/accounts.ts'
import { findFile, findUnit } from '../../kit/tables.ts'
import { parsePortalFile, printPortalFile } from '../settings-file.ts'

const service = { uid: 70_000, gid: 70_000 }
const tables = productionTables('/state', service, 'lab', { block: 70_000 })
const unit = findUnit(tables, 'portal') ?? assert.fail()
const account = unit.user ?? assert.fail()

test('the portal has an account and no right', () => {
  assert.notEqual(account.uid, service.uid)
  assert.deepEqual(unit.capabilities, [])
  assert.equal(unit.isOptional, true)
})

test('it gets its socket, folder and ports from applyd', () => {
  assert.deepEqual(unit.args.slice(-5), [
    '{portal.json}',
    '/state/portal/tls',
    '/state/run/portal/gateway.sock',
    '8085',
    '8446',
  ])
  assert.deepEqual(findFile(tables, 'portal.json'), {
    mode: 0o640,
    gid: account.gid,
    path: '/state/portal/portal.json',
  })
})

test('a change of its file costs no connection', () => {
  assert.deepEqual(unit.reload, { signal: 'SIGHUP' })
})

test('its file is nothing but texts and addresses', () => {
  const words = { title: '', text: '' }
  const text = printPortalFile({
    language: 'en',
    words: { en: words, ru: words },
    accent: '#1f6feb',
    host: '',
    addresses: [],
    timeZone: 'UTC',
  })
  assert.equal(typeof parsePortalFile(text), 'object')
  for (const other of ['', '{}', text.replace('"host"', '"socket": "/x", "host"')])
    assert.equal(typeof parsePortalFile(other), 'string')
})

describe('the socket of gatewayd', {
  skip: process.getuid?.() === 0 ? false : unlessComplete('only root has accounts'),
}, () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'portal-socket-'))
  const own = productionTables(stateDir, service, 'lab', { block: 70_000 })
  const gateway = join(stateDir, 'run', 'portal', 'gateway.sock')
  const applyd = join(stateDir, 'run', 'applyd.sock')
  const servers: ChildProcess[] = []
  after(async () => {
    for (const server of servers) {
      server.kill()
      await once(server, 'exit')
    }
    rmSync(stateDir, { recursive: true })
  })

  const listen = async (path: string, mode: number, as: Account): Promise<void> => {
    const text = `require('net').createServer(() => {}).listen(${JSON.stringify(path)}, () => {
      require('fs').chmodSync(${JSON.stringify(path)}, ${mode}); console.log('ready') })`
    const server = spawn(process.execPath, ['-e', text], { ...as, cwd: '/' })
    servers.push(server)
    await once(server.stdout, 'data')
  }
  const canOpen = (path: string, as: Account): boolean => {
    const text = `require('net').connect(${JSON.stringify(path)}).on('connect', () => process.exit(0)).on('error', () => process.exit(1))`
    return spawnSync(process.execPath, ['-e', text], { ...as, cwd: '/' }).status === 0
  }

  it('is made by gatewayd, and only the portal can open it, and nothing else of the gateway', async () => {
    chmodSync(stateDir, 0o711)
    for (const name of ['run', 'dhcp', 'log']) mkdirSync(join(stateDir, name))
    chmodSync(join(stateDir, 'run'), 0o751)
    chownSync(join(stateDir, 'run'), 0, service.gid)
    own.makeReady()
    await listen(gateway, 0o660, service)
    const { uid, gid } = statSync(gateway)
    assert.deepEqual([uid, gid], [service.uid, account.gid])
    // A second start changes nothing while gatewayd listens.
    own.makeReady()
    await listen(applyd, 0o600, { uid: 0, gid: 0 })
    chownSync(applyd, service.uid, service.gid)
    assert.equal(canOpen(gateway, account), true)
    assert.equal(canOpen(applyd, account), false)
    assert.equal(canOpen(gateway, { uid: 70_099, gid: 70_099 }), false)
    assert.equal(canOpen(applyd, service), true)
  })
})
