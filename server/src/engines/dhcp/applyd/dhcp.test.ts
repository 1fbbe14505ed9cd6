// dnsmasq as applyd knows it: what its files may contain, how it reloads a change, and that dnsmasq reads every
// option that our parser accepts, with the same bytes.
// Requirement 52.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { lan, facts as sampleFacts } from '../../../../test/support/network-samples.ts'
import { lacking } from '../../../../test/support/requires.ts'
import { engineTables } from '../../../applyd/engine-tables.ts'
import { productionTables } from '../../../applyd/production.ts'
import { commandLine } from '../../../applyd/units.ts'
import { entries } from '../../../areas/dhcp/config.ts'
import type { Server } from '../../../areas/dhcp/contract.ts'
import { parseOption } from '../../../areas/dhcp/dhcp-option.ts'
import { render } from '../../../areas/dhcp/render.ts'
import { connections } from '../../../areas/network/config.ts'
import { type Config, read, write } from '../../../core/model/slots.ts'
import { faultsIn } from '../../kit/forms.ts'
import { findUnit } from '../../kit/tables.ts'
import { wpadEngine } from '../../wpad/applyd/index.ts'
import { dhcpEngine } from './index.ts'

const account = { uid: 65_534, gid: 65_534 }
const unit = findUnit(productionTables('/state', account, 'host'), 'dhcp') ?? assert.fail('there is no unit dhcp')

const withOptions = (options: readonly string[], more: Partial<Server> = {}): Config => {
  const server: Server = {
    dns: [],
    domain: '',
    gateway: '',
    lease_time: 60,
    ranges: ['10.10.0.50-10.10.0.60'],
    routes: [],
    tftp_filename: '',
    tftp_server: '',
    wins: [],
    wpad_enabled: false,
    options: options.map((option) => ({ comment: '', enabled: true, forced: false, option })),
    ...more,
  }
  const entry = { id: 'e', enabled: true, interface: 'interface.id.1', relay: null, server }
  return write(write({}, connections, [lan]), entries, [entry])
}
const settingsOf = (config: Config): string => {
  const file = render(config, sampleFacts).find((one) => one.kind === 'file' && one.name === 'dnsmasq.conf')
  assert.ok(file?.kind === 'file')
  return file.text
}

describe('the files of dnsmasq', () => {
  const text = settingsOf(withOptions(['224,"x"']))

  it('hold the lines that are rendered, and no others', () => {
    assert.deepEqual(faultsIn(unit, 'dnsmasq.conf', text), [])
    for (const line of [
      'dhcp-script=/bin/x',
      'conf-file=/etc/x',
      'conf-dir=/etc',
      'enable-tftp',
      'tftp-root=/',
      'port=53',
      'user=root',
      'dhcp-luascript=/x',
      'addn-hosts=/x',
      'log-facility=/x',
      'dhcp-leasefile=/x',
      'dhcp-option-pxe=tag:c1n0,3',
      'dhcp-optsfile=/x',
      'interface=*',
      ' port=0',
      'dhcp-hostsfile=/x',
      'dhcp-option=3,10.0.0.1',
      'servers-file=/x',
      `dhcp-option=tag:c1n0,224,"${'x'.repeat(1024)}"`,
    ])
      assert.equal(faultsIn(unit, 'dnsmasq.conf', `${text}${line}\n`).length, 1, line)
    assert.deepEqual(faultsIn(unit, 'dhcp-hosts', '10.0.0.1\n02:00:00:00:00:01,10.0.0.2\n'), [])
    for (const line of ['02:00:00:00:00:01,10.0.0.2,name', 'set:x,10.0.0.2', '*:*:*:*:*:*,ignore', '#'])
      assert.equal(faultsIn(unit, 'dhcp-hosts', `${line}\n`).length, 1, line)
  })

  it('are reloaded by a signal when only the bound addresses changed', () => {
    assert.ok(typeof unit.reload === 'function')
    assert.deepEqual(
      unit.reload(['dhcp-hosts'], () => null),
      { signal: 'SIGHUP' },
    )
    for (const changed of [['dnsmasq.conf'], ['dhcp-hosts', 'dnsmasq.conf'], null])
      assert.equal(
        unit.reload(changed, () => null),
        'restart',
      )
  })

  it('of leases are readable to the service alone, and survive', () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'portcullis-dhcp-state-'))
    const path = join(stateDir, 'dhcp', 'leases')
    const service = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
    const { makeReady } = engineTables([dhcpEngine, wpadEngine], {
      stateDir,
      plane: 'host',
      service,
      accountOf: () => undefined,
    })
    makeReady()
    writeFileSync(path, 'kept')
    makeReady()
    assert.equal(readFileSync(path, 'utf8'), 'kept')
    assert.equal(statSync(path).mode & 0o777, 0o640)
    rmSync(stateDir, { recursive: true })
  })

  it('of the proxy are served at an address of the gateway and nowhere else', () => {
    const tables = productionTables('/state', null, 'none')
    const place = (name: string) => findUnit(tables, name)?.args.slice(-3, -1)
    assert.deepEqual(place('wpad.10.10.0.1'), ['10.10.0.1', '80'])
    for (const name of ['wpad.0.0.0.0', 'wpad.lan0', 'wpad.999.1.1.1'])
      assert.deepEqual(place(name), ['127.0.0.1', '80'])
  })
})

describe('options of administrators', { skip: lacking('/usr/sbin/dnsmasq') }, () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-dnsmasq-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  const refusalOf = (config: Config): string => {
    const path = join(folder, 'dnsmasq.conf')
    writeFileSync(path, settingsOf(config))
    assert.deepEqual(faultsIn(unit, 'dnsmasq.conf', settingsOf(config)), [])
    assert.ok(unit.check !== null && typeof unit.check !== 'function')
    const [program = '', ...args] = commandLine(unit.check, () => path)
    const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
    return status === 0 ? '' : stderr
  }

  it('and fields of the greatest length fit the lines of dnsmasq', () => {
    const routes = Array(27).fill({ destination: '255.255.255.254', gateway: '255.255.255.253' })
    const config = withOptions([`vendor:${'\\'.repeat(128)},224,"${'\\\\'.repeat(180)}"`], {
      routes,
      gateway: '255.255.255.253',
      tftp_filename: '"'.repeat(127),
      tftp_server: '255.255.255.252',
    })
    const id = 999_999_999_999_999
    const far = write(write(config, connections, [{ ...lan, id }]), entries, [
      ...read(config, entries).map((entry) => ({ ...entry, interface: `interface.id.${id}` })),
    ])
    assert.equal(refusalOf(far), '')
  })

  const heads = [
    '1',
    '3',
    '6',
    '15',
    '33',
    '43',
    '58',
    '66',
    '67',
    '119',
    '120',
    '121',
    '150',
    '224',
    '249',
    '252',
    '254',
  ]
  const names = [
    'option:router',
    'option:ntp-server',
    'option:T1',
    'option:server-ip-address',
    'vendor:PXEClient,1',
    'vendor:,9',
  ]
  const values = [
    '',
    ',',
    ',10.0.0.1',
    ',10.0.0.1,10.0.0.2',
    ',10.0.0.0/8,10.0.0.1',
    ',1',
    ',70000',
    ',12s',
    ',-1',
    ',01:02:ff',
    ',text',
    ',"text"',
    ',"1.2.3"',
    ',a,b',
    ',a # b',
    ',"a\\nb\\"c\\\\"',
    ',example.com',
    ',/path/file',
    ',é',
    ',a:b',
    ',"a,b"',
    ',01:zz',
    ',*',
    ',[::1]',
    ',10.0.0.1,x',
    ',x y',
    ',"#"',
    ',"tag:x"',
    ',dhcp-script=/bin/sh',
    ",'x'",
  ]
  for (const head of [...heads, ...names])
    it(`of ${head} that we accept are accepted by dnsmasq`, () => {
      const accepted = values.map((value) => `${head}${value}`).filter((text) => typeof parseOption(text) === 'object')
      const refused = accepted.filter((text) => refusalOf(withOptions([text])) !== '')
      assert.deepEqual(refused, [])
      assert.ok(accepted.length > 0)
    })
})
