// Settings of the kernel: written, recorded before, repaired, restored, and reported where the kernel does not take them. On a
// folder that looks like /proc/sys/net.

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { KernelSetting, KernelSettingName } from '../../core/plan/artifacts.ts'
import { isAllowed, settingTable } from './setting-table.ts'
import { Settings } from './settings.ts'

const redirects: KernelSetting = { name: 'net.ipv4.conf.*.send_redirects', value: '0' }
const cookies: KernelSetting = { name: 'net.ipv4.tcp_syncookies', value: '1' }
const connections: KernelSetting = { name: 'net.netfilter.nf_conntrack_max', value: '65536' }
const forwarding: KernelSetting = { name: 'net.ipv4.ip_forward', value: '1' }

describe('settings of the kernel', () => {
  let folder = ''
  const root = () => join(folder, 'net')
  const directory = () => join(folder, 'applyd')
  const put = (path: string, value: string): void => {
    mkdirSync(dirname(join(root(), path)), { recursive: true })
    writeFileSync(join(root(), path), `${value}\n`)
  }
  const shown = (path: string): string => readFileSync(join(root(), path), 'utf8').trim()
  const warnings: string[] = []
  let time = 0
  const make = (kernel = 'boot net', plane = 'host') => {
    const log = (level: string, message: string) => void warnings.push(`${level} ${message}`)
    return new Settings({ plane, directory: directory(), kernel, log }, root(), () => time)
  }
  const record = () => JSON.parse(readFileSync(join(directory(), 'settings.json'), 'utf8')) as { before: unknown }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'settings-'))
    mkdirSync(directory())
    for (const device of ['all', 'default', 'lan0', 'wan0']) put(`ipv4/conf/${device}/send_redirects`, '1')
    put('ipv4/tcp_syncookies', '2')
    put('netfilter/nf_conntrack_max', '262144')
    warnings.length = 0
    time = 0
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('reach every device and those that come later, and what was there before is recorded', async () => {
    const settings = make()
    assert.equal(await settings.isCurrent([redirects]), false)
    await settings.apply([redirects])
    for (const device of ['all', 'default', 'lan0', 'wan0'])
      assert.equal(shown(`ipv4/conf/${device}/send_redirects`), '0')
    assert.equal(await settings.isCurrent([redirects]), true)
    assert.deepEqual(
      record().before,
      ['all', 'default', 'lan0', 'wan0'].map((device) => [`ipv4/conf/${device}/send_redirects`, '1']),
    )
    assert.deepEqual(settings.observe([redirects]), [
      { name: redirects.name, value: '0', wanted: '0', before: '1', state: 'set', message: '' },
    ])
  })

  it('are recorded before they are written', async () => {
    const settings = make()
    rmSync(directory(), { recursive: true })
    writeFileSync(directory(), 'not a folder')
    await assert.rejects(settings.apply([cookies]))
    assert.equal(shown('ipv4/tcp_syncookies'), '2')
  })

  it('that leave the plan get back what they had, also after a restart and with a device that came later', async () => {
    await make().apply([redirects, cookies])
    put('ipv4/conf/usb0/send_redirects', '0')
    rmSync(join(root(), 'ipv4/conf/lan0'), { recursive: true })
    const settings = make()
    assert.equal(await settings.isCurrent([cookies]), false)
    await settings.apply([cookies])
    assert.deepEqual(
      ['all', 'default', 'usb0', 'wan0'].map((device) => shown(`ipv4/conf/${device}/send_redirects`)),
      ['1', '1', '1', '1'],
    )
    assert.equal(shown('ipv4/tcp_syncookies'), '1')
    assert.deepEqual(settings.leave(), { put: 1, failed: [] })
    assert.equal(shown('ipv4/tcp_syncookies'), '2')
    assert.equal(existsSync(join(directory(), 'settings.json')), false)
    assert.deepEqual(make().leave(), { put: 0, failed: [] }, 'a second time there is nothing to do')
  })

  it('of another boot are not restored', async () => {
    await make().apply([cookies])
    put('ipv4/tcp_syncookies', '0')
    const settings = make('another boot')
    await settings.apply([])
    assert.equal(shown('ipv4/tcp_syncookies'), '0')
    await settings.apply([cookies])
    settings.leave()
    assert.equal(shown('ipv4/tcp_syncookies'), '0')
  })

  it('that another program changes are put right, and say so', async () => {
    const settings = make()
    await settings.apply([cookies])
    assert.deepEqual(warnings, [])
    put('ipv4/tcp_syncookies', '0')
    assert.equal(settings.observe([cookies])[0]?.state, 'different')
    assert.equal(await settings.isCurrent([cookies]), false)
    await settings.apply([cookies])
    assert.equal(shown('ipv4/tcp_syncookies'), '1')
    assert.deepEqual(warnings, ['warning Another program changed a setting of the kernel; it is as before again'])
    const [one] = settings.observe([cookies])
    assert.equal(one?.message, 'Another program had set it to 0; it was corrected at 1970-01-01T00:00:00Z.')
    assert.equal(one?.before, '2', 'what was there at first stays recorded')
  })

  it('of a kernel that does not have them fail nothing', async () => {
    const settings = make()
    rmSync(join(root(), 'ipv4/tcp_syncookies'))
    await settings.apply([cookies])
    assert.deepEqual(settings.observe([cookies])[0], {
      name: cookies.name,
      value: null,
      wanted: '1',
      before: null,
      state: 'missing',
      message: 'The kernel does not have the setting here.',
    })
    assert.equal(await settings.isCurrent([cookies]), true)
  })

  it('are not lowered where more is better', async () => {
    const settings = make()
    await settings.apply([connections])
    assert.equal(shown('netfilter/nf_conntrack_max'), '262144')
    assert.equal(settings.observe([connections])[0]?.state, 'set')
    put('netfilter/nf_conntrack_max', '1000')
    await settings.apply([connections])
    assert.equal(shown('netfilter/nf_conntrack_max'), '65536')
    settings.leave()
    assert.equal(shown('netfilter/nf_conntrack_max'), '262144')
  })

  it('that the kernel moves with forwarding are restored after it', async () => {
    put('ipv4/ip_forward', '0')
    put('ipv4/conf/all/accept_redirects', '1')
    for (const device of ['default', 'lan0', 'wan0']) put(`ipv4/conf/${device}/forwarding`, '0')
    const settings = make()
    await settings.apply([forwarding, { name: 'net.ipv4.conf.all.accept_redirects', value: '0' }])
    const order = (record().before as readonly (readonly [string, string])[]).map(([path]) => path)
    assert.deepEqual(order.slice(0, 2), ['ipv4/ip_forward', 'ipv4/conf/default/forwarding'])
    assert.ok(order.indexOf('ipv4/conf/all/accept_redirects') > order.indexOf('ipv4/ip_forward'))
    settings.leave()
    assert.equal(shown('ipv4/ip_forward') + shown('ipv4/conf/all/accept_redirects'), '01')
  })

  it('are not touched where nothing is applied', async () => {
    const settings = make('boot net', 'none')
    await settings.apply([cookies])
    assert.equal(shown('ipv4/tcp_syncookies'), '2')
    assert.equal(await settings.isCurrent([cookies]), true)
  })
})

describe('the table of settings', () => {
  const takes = (name: KernelSettingName, value: string) => isAllowed(settingTable[name], value)

  it('allows only values that a gateway needs', () => {
    assert.equal(takes('net.ipv4.ip_forward', '1'), true)
    for (const value of ['0', '', '1\n', ' 1', '01', '2', '../1'])
      assert.equal(takes('net.ipv4.ip_forward', value), false)
    for (const value of ['16384', '4194304']) assert.equal(takes('net.netfilter.nf_conntrack_max', value), true)
    for (const value of ['16383', '4194305', '1e5', '0x10000', '99999999999', '65536.5', '-65536'])
      assert.equal(takes('net.netfilter.nf_conntrack_max', value), false)
  })

  it('stays below the settings of the network', () => {
    const paths = Object.values(settingTable).flatMap(({ paths: own, moves = [] }) => [...own, ...moves])
    for (const path of paths) assert.match(path, /^(?:ipv4|ipv6|netfilter)\/[a-z0-9_*/]+$/)
  })
})
