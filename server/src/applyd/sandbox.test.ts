// L5: every engine runs with what it declared and nothing else. Generated from the list of engines: a new one fails here
// until it has a plan that starts it. The real applyd runs the real programs in a network namespace of its own.
// Requirement 53.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { unlessComplete } from '../../test/support/requires.ts'
import { until } from '../../test/support/until.ts'
import type { UnitObservation } from '../core/plan/artifacts.ts'
import { printDictionaries, printPolicy, printUserCategories } from '../domain/web-filter/policy-file.ts'
import { productionEngines } from '../engines/applyd.ts'
import { printFlowFile } from '../engines/flow-export/settings-file.ts'
import { inspectionPaths } from '../engines/inspection/index.ts'
import { suricataSettings } from '../engines/inspection/suricata-yaml.ts'
import { findUnit } from '../engines/kit/tables.ts'
import { printPortalFile } from '../engines/portal/settings-file.ts'
import { printServedFile } from '../engines/wpad/settings-file.ts'
import { ApplydClient } from '../gatewayd/apply/client.ts'
import { makeWebAuthority } from '../shared/certificates/certificate-maker.ts'
import { productionTables } from './production.ts'
import { Bench, file, nft, piecesOf, planOf, unit } from './stand-ins/harness.ts'

const service = { uid: 70_000, gid: 70_000 }
const skip = process.getuid?.() === 0 ? false : unlessComplete('only root can start engines as other accounts')

/** Bits of capability.h. */
const bits = { chown: 0, setgid: 6, setuid: 7, net_bind_service: 10, net_admin: 12, net_raw: 13 } as const

const ulogd = [
  '[global]',
  'logfile="/dev/stderr"',
  'loglevel=7',
  'stack=hits:NFLOG,packet:BASE,names:IFINDEX,text:IP2STR,out:JSON',
  '[hits]',
  'group=5',
  'netlink_qtimeout=10',
  '[out]',
  'file="/dev/stdout"',
  'sync=1',
  '',
].join('\n')

const portalFile = printPortalFile({
  language: 'en',
  words: { en: { title: '', text: '' }, ru: { title: '', text: '' } },
  accent: '#1f6feb',
  host: '',
  addresses: ['192.0.2.1'],
  timeZone: 'UTC',
})

const signatures = 'alert tcp any any -> any any (msg:"a test"; content:"test"; sid:1;)\n'

const flowFile = printFlowFile({
  version: 9,
  address: '192.0.2.9',
  port: 2055,
  activeSeconds: 60,
  templatePackets: 20,
  templateSeconds: 1800,
  own: [],
  interfaces: [],
})

const filterPolicy = printPolicy({
  isEnabled: false,
  usesExtended: false,
  safeSearch: false,
  morphology: false,
  onFailure: 'block',
  names: {},
  rules: [],
})
const authority = await makeWebAuthority(new Date())
const squid = [
  'http_port 3129 tproxy name=http',
  'acl fails_open any-of !all',
  'acl logged any-of !all',
  'acl clients src 192.0.2.0/24',
  'acl own dst 192.0.2.1',
  'acl strict_video any-of !all',
  'icap_enable off',
  '',
].join('\n')

/** For each engine with units: one of each kind, and the files that it needs to run. */
const instances: Readonly<Record<string, readonly ReturnType<typeof unit | typeof file>[]>> = {
  'firewall-log': [file('ulogd.conf', ulogd), unit('firewall-log')],
  dns: [file('unbound.conf', 'server:\n'), file('unbound-policy.zone', ''), unit('dns')],
  dhcp: [
    file('dnsmasq.conf', 'port=0\ninterface=lan0\ndhcp-range=set:c1n1,192.0.2.10,192.0.2.20,255.255.255.0,60m\n'),
    file('dhcp-hosts', ''),
    unit('dhcp'),
  ],
  'dhcp-client': [unit('dhcp-client.lan0')],
  wpad: [file('wpad.json', printServedFile({ certificate: null, proxyPort: null })), unit('wpad.192.0.2.1')],
  portal: [file('portal.json', portalFile), unit('portal')],
  snmp: [file('snmpd.conf', 'sysName gateway\n'), unit('snmp')],
  'monitoring-agent': [
    file('zabbix-agent.conf', 'StartAgents=1\nListenPort=10050\nServer=192.0.2.9\nHostname=gateway\n'),
    unit('monitoring-agent'),
  ],
  'flow-export': [file('flow-export.json', flowFile), unit('flow-export')],
  inspection: [
    file('suricata.yaml', suricataSettings({ homeNetworks: ['192.0.2.0/24'] })),
    file('inspection-rules.json', `{"rules":"${createHash('sha256').update(signatures).digest('hex')}"}\n`),
    unit('inspection'),
  ],
  'traffic-classifier': [unit('traffic-classifier')],
  antivirus: [file('clamd.conf', 'MaxThreads 2\n'), unit('antivirus')],
  'web-filter': [
    file('web-policy.json', filterPolicy),
    file('web-user-categories.txt', printUserCategories([])),
    file('web-dictionaries.json', printDictionaries([])),
    file('squid.conf', squid),
    file('web-authority.pem', `${authority.certificate}${authority.key}`),
    unit('web-filter'),
    unit('web-filter-proxy'),
  ],
}

describe('L5: engines in the namespace of a test', { skip }, () => {
  const bench = new Bench()
  const { stateDir } = bench
  let applyd: ChildProcess
  let client: ApplydClient
  let units: readonly UnitObservation[] = []
  const tables = productionTables(stateDir, service, 'lab', { block: service.uid })

  before(async () => {
    const ip = (...args: string[]) => spawnSync('/usr/sbin/ip', ['-n', bench.namespace, ...args])
    ip('link', 'set', 'lo', 'up')
    ip('link', 'add', 'lan0', 'type', 'veth', 'peer', 'name', 'lan1')
    ip('link', 'set', 'lan1', 'up')
    ip('address', 'add', '192.0.2.1/24', 'dev', 'lan0')
    ip('link', 'set', 'lan0', 'up')
    const env = {
      PORTCULLIS_STATE: stateDir,
      PORTCULLIS_DATAPLANE: 'lab',
      PORTCULLIS_ACCOUNT_BLOCK: String(service.uid),
      PORTCULLIS_SERVICE_UID: String(service.uid),
      PORTCULLIS_SERVICE_GID: String(service.gid),
    }
    // Without a signature clamd does not start.
    mkdirSync(join(stateDir, 'antivirus', 'signatures'), { recursive: true })
    writeFileSync(join(stateDir, 'antivirus', 'signatures', 'test.hdb'), `${'0'.repeat(32)}:68:Test\n`)
    // As gatewayd writes it.
    const compiled = join(stateDir, inspectionPaths.compiled)
    mkdirSync(compiled, { recursive: true })
    const rules = join(compiled, `${createHash('sha256').update(signatures).digest('hex')}.rules`)
    writeFileSync(rules, signatures, { mode: 0o644 })
    spawnSync('/usr/bin/chmod', ['711', bench.root])
    const main = join(import.meta.dirname, 'main.ts')
    applyd = spawn('/usr/sbin/ip', ['netns', 'exec', bench.namespace, process.execPath, main], { env, stdio: 'ignore' })
    client = new ApplydClient(join(stateDir, 'run', 'applyd.sock'), { connectMs: 60_000 })
    const plan = planOf(1, nft(piecesOf('a')), ...Object.values(instances).flat())
    const outcome = await client.apply(plan)
    assert.equal(outcome.status, 'applied', JSON.stringify(outcome))
    await until('every engine runs', async () => {
      units = (await client.observe()).units
      return units.every(({ state }) => state === 'active' || state === 'failed')
    })
  })
  after(async () => {
    client.close()
    applyd.kill('SIGINT')
    await once(applyd, 'exit')
    bench.remove()
  })

  it('are all here', () => {
    const withUnits = productionEngines.filter(
      ({ data }) => Object.keys(data.units).length + Object.keys(data.unitTemplates).length > 0,
    )
    assert.deepEqual(withUnits.map(({ data }) => data.service).toSorted(), Object.keys(instances).toSorted())
    assert.deepEqual(
      units.map(({ name, state, message }) => [name, state, message]).toSorted(),
      Object.values(instances)
        .flat()
        .flatMap((artifact) => (artifact.kind === 'unit' ? [[artifact.name, 'active', '']] : []))
        .toSorted(),
    )
  })

  for (const name of Object.values(instances).flatMap((all) =>
    all.flatMap((one) => (one.kind === 'unit' ? one.name : [])),
  ))
    it(`${name} can neither get more rights nor use more than it declared`, () => {
      const spec = findUnit(tables, name) ?? assert.fail()
      const pid = units.find((one) => one.name === name)?.pid ?? assert.fail()
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      const value = (field: string) => status.match(new RegExp(`^${field}:\\s*(.*)$`, 'm'))?.[1]?.trim() ?? ''
      const declared = spec.capabilities.reduce((sum, one) => sum | (1 << bits[one]), 0)
      assert.equal(value('NoNewPrivs'), '1')
      assert.equal(Number.parseInt(value('CapBnd'), 16), declared)
      for (const set of ['CapEff', 'CapPrm', 'CapInh', 'CapAmb'])
        assert.equal(Number.parseInt(value(set), 16) & ~declared, 0, `${set} is within what it declared`)
      for (const field of ['Uid', 'Gid'])
        for (const id of value(field).split(/\s+/)) assert.notEqual(Number(id), 0, `${field} is not root's`)
      for (const group of value('Groups').split(/\s+/)) assert.notEqual(group, '0')
      if (spec.user) assert.deepEqual(value('Uid').split(/\s+/), Array(4).fill(String(spec.user.uid)))
      const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
      const limit = (title: string) => Number(limits.match(new RegExp(`^${title}\\s+(\\d+)`, 'm'))?.[1])
      assert.equal(limit('Max open files'), spec.limits.nofile)
      assert.equal(limit('Max data size'), spec.limits.data)
      assert.equal(limit('Max processes'), spec.limits.nproc)
      assert.equal(limit('Max core file size'), 0)
    })

  it('no two of them share an account', () => {
    const uids = units.map(({ pid }) => readFileSync(`/proc/${pid}/status`, 'utf8').match(/^Uid:\t(\d+)/m)?.[1])
    assert.equal(new Set([...uids, String(service.uid)]).size, units.length + 1)
  })
})

describe('L5: no part of the product uses the account that everyone shares', () => {
  it('neither by name nor by number', () => {
    const source = join(import.meta.dirname, '..')
    const files = globSync('{applyd,tools/launcher,tools/lab,engines,core/engine}/**/*.ts', { cwd: source }).filter(
      (path) => !/test\.ts$/.test(path),
    )
    const using = files.filter((path) => /\b(nobody|nogroup|65_?534)\b/.test(readFileSync(join(source, path), 'utf8')))
    assert.deepEqual(using, [])
  })
})
