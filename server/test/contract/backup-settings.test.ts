// The settings of automatic backups: what they take, what they refuse, and who sees their passwords.

import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { Client, TestGateway } from '../support/test-gateway.ts'
import { ftp, tracer, useGateways } from './backup-calls.ts'

const { start, restart } = useGateways()

describe('the settings of automatic backups', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await start()
    admin = await gateway.client('predefined_admin_write')
  })

  const off = { enabled: false, server: '', login: '', password: '', remote_dir: '' }
  const initial = { common: { hour: 3, rotate: 'weekly' }, ftp: off, cifs: off }

  it('start with both uploads off', async () => {
    assert.deepEqual((await admin('GET', '/backup/settings')).body, initial)
  })

  it('take any subset of parts and fields and keep the rest, also over a restart', async () => {
    for (const [patch, expected] of [
      [{ common: { hour: 23 } }, { ...initial, common: { hour: 23, rotate: 'weekly' } }],
      [{ common: { rotate: 'monthly' } }, { ...initial, common: { hour: 23, rotate: 'monthly' } }],
      [{ ftp }, { common: { hour: 23, rotate: 'monthly' }, ftp, cifs: off }],
      [
        { cifs: { server: '192.0.2.1' } },
        { common: { hour: 23, rotate: 'monthly' }, ftp, cifs: { ...off, server: '192.0.2.1' } },
      ],
      [{}, { common: { hour: 23, rotate: 'monthly' }, ftp, cifs: { ...off, server: '192.0.2.1' } }],
    ] as const) {
      const answer = await admin('PATCH', '/backup/settings', patch)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.text, '')
      assert.deepEqual((await admin('GET', '/backup/settings')).body, expected)
    }
    const { body } = await admin('GET', '/backup/settings')
    const again = await restart(gateway)
    assert.deepEqual((await (await again.client('predefined_admin_write'))('GET', '/backup/settings')).body, body)
  })

  it('show passwords to full administrators only, and write an audit record of that', async () => {
    await admin('PATCH', '/backup/settings', { ftp })
    const count = async () =>
      (await admin('GET', '/journal/records?limit=1000')).body.filter((r: { message: string }) =>
        /were shown/.test(r.message),
      ).length
    assert.equal(await count(), 0)
    assert.equal((await admin('GET', '/backup/settings')).body.ftp.password, tracer)
    assert.equal(await count(), 1)
    for (const role of [
      'predefined_admin_readonly',
      'predefined_firewall_admin',
      'predefined_security_admin',
    ] as const) {
      const { text, body } = await (await gateway.client(role))('GET', '/backup/settings')
      assert.equal(body.ftp.password, '***', role)
      assert.equal(body.cifs.password, '', role)
      assert.ok(!text.includes(tracer), role)
    }
    assert.equal(await count(), 1)
  })

  it('keep the password for the mask, null and absence, and take a new or an empty one', async () => {
    await admin('PATCH', '/backup/settings', { ftp })
    const passwordAfter = async (patch: object): Promise<string> => {
      assert.equal((await admin('PATCH', '/backup/settings', { ftp: patch })).status, 200)
      return (await admin('GET', '/backup/settings')).body.ftp.password
    }
    assert.equal(await passwordAfter({ password: '***' }), tracer)
    assert.equal(await passwordAfter({ password: null }), tracer)
    assert.equal(await passwordAfter({ login: 'other' }), tracer)
    assert.equal(await passwordAfter({ password: 'ж'.repeat(42) }), 'ж'.repeat(42))
    assert.equal(await passwordAfter({ password: '', enabled: false }), '')
  })

  it('name every field that is missing while an upload is on', async () => {
    const fields = async (patch: object): Promise<string[]> => {
      const answer = await admin('PATCH', '/backup/settings', patch)
      assert.equal(answer.status, 422, answer.text)
      return answer.body.problems.map((problem: { field: string }) => problem.field).sort()
    }
    const all = (kind: string) => ['login', 'password', 'remote_dir', 'server'].map((field) => `${kind}.${field}`)
    assert.deepEqual(await fields({ ftp: { enabled: true } }), all('ftp'))
    assert.deepEqual(await fields({ ftp: { enabled: true }, cifs: { enabled: true } }), [...all('cifs'), ...all('ftp')])
    for (const field of ['server', 'login', 'remote_dir', 'password'] as const) {
      assert.deepEqual(await fields({ cifs: { ...ftp, [field]: '' } }), [`cifs.${field}`])
    }
    assert.deepEqual((await admin('GET', '/backup/settings')).body, initial)
  })

  it('refuse values that are not allowed, with their field', async () => {
    for (const [patch, field] of [
      [{ common: { hour: 24 } }, 'common.hour'],
      [{ common: { hour: -1 } }, 'common.hour'],
      [{ common: { rotate: 'daily' } }, 'common.rotate'],
      [{ ftp: { server: '300.1.1.1' } }, 'ftp.server'],
      [{ ftp: { server: '-oProxy=x' } }, 'ftp.server'],
      [{ ftp: { server: 'a b' } }, 'ftp.server'],
      [{ ftp: { server: 'ftp://x' } }, 'ftp.server'],
      [{ ftp: { login: 'a\nb' } }, 'ftp.login'],
      [{ ftp: { password: 'x'.repeat(43) } }, 'ftp.password'],
      [{ ftp: { password: 'a\r\nb' } }, 'ftp.password'],
      [{ cifs: { remote_dir: '..' } }, 'cifs.remote_dir'],
      [{ cifs: { remote_dir: 'a/../b' } }, 'cifs.remote_dir'],
      [{ cifs: { remote_dir: 'a\\b' } }, 'cifs.remote_dir'],
      [{ cifs: { remote_dir: 'a/..' } }, 'cifs.remote_dir'],
    ] as const) {
      const answer = await admin('PATCH', '/backup/settings', patch)
      assert.equal(answer.status, 422, JSON.stringify(patch))
      assert.equal(answer.body.problems[0].field, field)
    }
    for (const remote_dir of ['a..b/c', 'dir_1/dir 2/..backup', '/backups/', '😀']) {
      assert.equal((await admin('PATCH', '/backup/settings', { cifs: { remote_dir } })).status, 200, remote_dir)
    }
  })

  it('refuse for a share what no share can have, once the upload is on', async () => {
    const cifs = { ...ftp, server: '192.0.2.1' }
    for (const [patch, field] of [
      [{ login: 'a%b' }, 'cifs.login'],
      [{ remote_dir: '/' }, 'cifs.remote_dir'],
      [{ remote_dir: './.' }, 'cifs.remote_dir'],
      [{ remote_dir: 'share/a"b' }, 'cifs.remote_dir'],
      [{ remote_dir: 'share/a*' }, 'cifs.remote_dir'],
      [{ remote_dir: 'sh:are' }, 'cifs.remote_dir'],
    ] as const) {
      const answer = await admin('PATCH', '/backup/settings', { cifs: { ...cifs, ...patch } })
      assert.equal(answer.status, 422, JSON.stringify(patch))
      assert.deepEqual(
        answer.body.problems.map((problem: { field: string }) => problem.field),
        [field],
      )
    }
    assert.equal((await admin('PATCH', '/backup/settings', { ftp: { ...ftp, login: 'a%b' } })).status, 200)
  })
})
