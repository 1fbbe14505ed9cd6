// Leases as udhcpc reports them, and a real exchange with dnsmasq over a cable between two namespaces.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir, uptime } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { lacking } from '../../../../test/support/requires.ts'
import { until } from '../../../../test/support/until.ts'
import { engineTables } from '../../../applyd/engine-tables.ts'
import type { Moment } from '../lease-end.ts'
import { type Lease, recordEvent } from '../lease-event.ts'
import { dhcpClientEngine } from './index.ts'

const readLease = (path: string): Lease => JSON.parse(readFileSync(path, 'utf8')) as Lease

describe('an event of the DHCP client', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-leases-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const reported = {
    interface: 'wan0',
    ip: '192.0.2.7',
    mask: '24',
    router: '192.0.2.1 192.0.2.254',
    dns: '192.0.2.53 192.0.2.54',
    lease: '3600',
  }
  const file = () => join(folder, 'wan0.json')
  /** The machine had been up for 100 seconds at time 0. */
  const at = (unix: number): Moment => ({ unix, boot: 'this', up: unix + 100 })

  it('leaves the lease for others to read', () => {
    recordEvent(folder, 'bound', reported, at(1000.7))
    assert.deepEqual(readLease(file()), {
      device: 'wan0',
      address: '192.0.2.7/24',
      gateway: '192.0.2.1',
      dns: ['192.0.2.53', '192.0.2.54'],
      until: 4600,
      boot: 'this',
      untilUp: 4700,
    })
    assert.equal(statSync(file()).mode & 0o777, 0o644)
  })

  it('accepts nothing but addresses', () => {
    for (const ip of ['', '127.0.0.1', '0.0.0.0', '255.255.255.255', '224.0.0.1', '192.0.2.7;reboot', '::1', '1'])
      recordEvent(folder, 'bound', { ...reported, ip }, at(0))
    for (const mask of ['', '0', '33', '-1', '24 dev lo', '255.255.255.0'])
      recordEvent(folder, 'bound', { ...reported, mask }, at(0))
    for (const device of ['', '.', '..', '../wan0', 'a/b', 'a name', 'sixteen-letters-']) {
      recordEvent(folder, 'bound', { ...reported, interface: device }, at(0))
    }
    assert.deepEqual(existsSync(file()), false)
    recordEvent(
      folder,
      'bound',
      { ...reported, router: 'evil 127.0.0.1', dns: '$(reboot) 192.0.2.53', lease: 'long' },
      at(0),
    )
    assert.deepEqual(readLease(file()), {
      device: 'wan0',
      address: '192.0.2.7/24',
      gateway: null,
      dns: ['192.0.2.53'],
      until: 3600,
      boot: 'this',
      untilUp: 3700,
    })
  })

  it('removes a lease when the server does, or its time is over, but not at the start of a client', () => {
    recordEvent(folder, 'bound', reported, at(0))
    recordEvent(folder, 'deconfig', { interface: 'wan0' }, at(10))
    recordEvent(folder, 'leasefail', { interface: 'wan0' }, at(10))
    assert.ok(existsSync(file()))
    recordEvent(folder, 'deconfig', { interface: 'wan0' }, at(3601))
    assert.equal(existsSync(file()), false)
    recordEvent(folder, 'bound', reported, at(0))
    recordEvent(folder, 'nak', { interface: 'wan0' }, at(10))
    assert.equal(existsSync(file()), false)
  })

  it('keeps a lease whatever happens to the wall clock, as long as the machine runs', () => {
    recordEvent(folder, 'bound', reported, at(0))
    recordEvent(folder, 'deconfig', { interface: 'wan0' }, { ...at(10), unix: 1e9 })
    assert.ok(existsSync(file()))
    recordEvent(folder, 'deconfig', { interface: 'wan0' }, { ...at(3601), unix: -1e9 })
    assert.equal(existsSync(file()), false)
  })
})

const noMounts = process.getuid?.() === 0 ? false : 'only root can mount a small file system'

it('a lease that is renewed on a full disk takes the room of the one before', { skip: noMounts }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-leases-'))
  execFileSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', 'size=64k', 'portcullis-test', folder])
  try {
    const env = { interface: 'wan0', ip: '192.0.2.7', mask: '24', router: '192.0.2.1', dns: '', lease: '86400' }
    const moment = { unix: 1000, boot: 'this', up: 100 }
    recordEvent(folder, 'bound', env, moment)
    assert.throws(() => writeFileSync(join(folder, 'filler'), Buffer.alloc(65_536, 1)), { code: 'ENOSPC' })
    for (const [ip, up] of [
      ['192.0.2.7', 90_000],
      ['192.0.2.117', 95_000],
      ['192.0.2.8', 99_000],
    ] as const) {
      recordEvent(folder, 'renew', { ...env, ip }, { ...moment, up })
      const { address, untilUp } = readLease(join(folder, 'wan0.json'))
      assert.deepEqual([address, untilUp], [`${ip}/24`, up + 86_400])
    }
    rmSync(join(folder, 'filler'))
    recordEvent(folder, 'renew', env, { ...moment, up: 100_000 })
    assert.equal(readFileSync(join(folder, 'wan0.json'), 'utf8').trimEnd().at(-1), '}')
  } finally {
    execFileSync('/usr/bin/umount', [folder])
    rmSync(folder, { recursive: true })
  }
})

describe('the DHCP client against a real server', { skip: lacking('/usr/sbin/udhcpc', '/usr/sbin/dnsmasq') }, () => {
  const here = `h3-dhcp-client-${process.pid}`
  const there = `h3-dhcp-server-${process.pid}`
  const running: ChildProcess[] = []
  let stateDir: string
  const ip = (...args: string[]) => execFileSync('/usr/sbin/ip', args)
  const startIn = (namespace: string, command: readonly string[]): void => {
    running.push(spawn('/usr/sbin/ip', ['netns', 'exec', namespace, ...command], { stdio: 'ignore' }))
  }

  before(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'portcullis-dhcp-'))
    mkdirSync(join(stateDir, 'applyd'), { mode: 0o700 })
    ip('netns', 'add', here)
    ip('netns', 'add', there)
    ip('-n', here, 'link', 'add', 'wan0', 'type', 'veth', 'peer', 'name', 'server0', 'netns', there)
    ip('-n', here, 'link', 'set', 'wan0', 'up')
    ip('-n', there, 'link', 'set', 'server0', 'up')
    ip('-n', there, 'addr', 'add', '192.0.2.1/24', 'dev', 'server0')
  })
  after(() => {
    for (const child of running) child.kill('SIGKILL')
    ip('netns', 'del', here)
    ip('netns', 'del', there)
    rmSync(stateDir, { recursive: true })
  })

  it('records the lease and leaves the device alone', async () => {
    const options = ['--no-daemon', '--conf-file=/dev/null', '--port=0', '--no-ping', '--leasefile-ro', '--user=root']
    const offer = ['--interface=server0', '--dhcp-range=192.0.2.100,192.0.2.100,255.255.255.0,10m']
    const more = ['--dhcp-option=option:dns-server,192.0.2.53,192.0.2.54', '--dhcp-option=option:router,192.0.2.1']
    startIn(there, ['/usr/sbin/dnsmasq', ...options, ...offer, ...more])
    const tables = engineTables([dhcpClientEngine], {
      stateDir,
      plane: 'host',
      service: null,
      accountOf: () => undefined,
    })
    tables.makeReady()
    const { program, args } = tables.templates.get('dhcp-client')?.('wan0') ?? assert.fail('there is no template')
    startIn(here, [program, ...args])
    const path = join(stateDir, 'leases', 'wan0.json')
    const asked = Date.now()
    await until('the lease is there', () => existsSync(path))
    const { until: end, boot, untilUp, ...lease } = readLease(path)
    assert.equal(boot, readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
    assert.ok(Math.abs(untilUp - uptime() - 600) < 600, `${untilUp}`)
    assert.deepEqual(lease, {
      device: 'wan0',
      address: '192.0.2.100/24',
      gateway: '192.0.2.1',
      dns: ['192.0.2.53', '192.0.2.54'],
    })
    const [earliest, latest] = [asked, Date.now()].map((time) => Math.floor(time / 1000) + 600)
    assert.ok(earliest !== undefined && latest !== undefined && earliest <= end && end <= latest, String(end))
    assert.doesNotMatch(ip('-n', here, '-4', 'addr', 'show', 'dev', 'wan0').toString(), /inet /)
  })
})
