// The rules of channels before the real engine: Suricata takes every one of them, and each channel does with recorded packets what
// its own profile says. PORTCULLIS_SURICATA names another place of the program.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Compiled, type CompileInput, compileRules } from '../../src/areas/inspection/runs/compile.ts'
import { starterFile } from '../../src/areas/intrusion-prevention/runs/signature-files.ts'
import { applications } from '../../src/domain/applications/catalogue.ts'
import { classtypeNames } from '../../src/domain/signatures/names.ts'
import { channelGroup, firstCanarySid, groupOfAction } from '../../src/domain/signatures/numbering.ts'
import type { ProfileRule } from '../../src/domain/signatures/profile.ts'
import { lacking } from '../support/requires.ts'
import { recordTraffic } from './capture.ts'
import { cases } from './cases.ts'

const program = process.env.PORTCULLIS_SURICATA ?? '/usr/bin/suricata'

/** Hyperscan takes seconds to build what it looks for, and each run of the engine does so: by day it is done without. */
const [many, single] = process.env.PORTCULLIS_NIGHTLY === '1' ? ['auto', 'auto'] : ['ac', 'bm']

const settings = `%YAML 1.1
---
vars:
  address-groups: { HOME_NET: "[10.0.0.0/8]", EXTERNAL_NET: "!$HOME_NET", HTTP_SERVERS: "$HOME_NET",
    SMTP_SERVERS: "$HOME_NET", SQL_SERVERS: "$HOME_NET" }
outputs: [ { eve-log: { enabled: yes, filetype: regular, filename: eve.json, types: [ { alert: { metadata: yes } } ] } } ]
stats: { enabled: no }
action-order: [ pass, alert, drop, reject ]
mpm-algo: ${many}
spm-algo: ${single}
packet-alert-max: 64
app-layer: { protocols: { tls: { enabled: yes, detection-ports: { dp: 443 } }, http: { enabled: yes }, http2: { enabled: yes },
  dns: { udp: { enabled: yes, detection-ports: { dp: 53 } }, tcp: { enabled: yes, detection-ports: { dp: 53 } } },
  ssh: { enabled: yes }, ftp: { enabled: yes }, smtp: { enabled: yes }, imap: { enabled: detection-only },
  smb: { enabled: yes, detection-ports: { dp: "139, 445" } }, dcerpc: { enabled: yes }, krb5: { enabled: yes },
  telnet: { enabled: yes }, quic: { enabled: yes }, rdp: { enabled: yes }, rfb: { enabled: yes }, sip: { enabled: yes },
  mqtt: { enabled: yes }, nfs: { enabled: yes }, tftp: { enabled: yes }, ntp: { enabled: yes }, ike: { enabled: yes },
  dhcp: { enabled: yes }, snmp: { enabled: yes }, pgsql: { enabled: yes }, modbus: { enabled: yes }, dnp3: { enabled: yes },
  enip: { enabled: yes }, bittorrent-dht: { enabled: yes } } }
`

const everything = (action: ProfileRule['action']): ProfileRule[] => [{ id: 1, filters: [], action }]

interface Engine {
  readonly folder: string
  readonly compiled: Compiled
  readonly run: (...more: string[]) => string
}

async function prepareEngine(input: Pick<CompileInput, 'applications' | 'texts' | 'channels'>): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-channels-'))
  const compiled = await compileRules({ ...input, folder, kept: [], mostBytes: 100_000_000 })
  const classes = [...classtypeNames].filter(([name]) => name !== '-')
  writeFileSync(
    join(folder, 'classification.config'),
    classes.map(([name, title]) => `config classification: ${name},${title},2\n`).join(''),
  )
  writeFileSync(join(folder, 'reference.config'), 'config reference: cve https://www.cve.org/CVERecord?id=CVE-\n')
  writeFileSync(join(folder, 'threshold.config'), '')
  writeFileSync(
    join(folder, 'suricata.yaml'),
    `${settings}default-log-dir: ${folder}
default-rule-path: ${folder}
rule-files: [ ${compiled.sha256}.rules ]
classification-file: ${folder}/classification.config
reference-config-file: ${folder}/reference.config
threshold-file: ${folder}/threshold.config
`,
  )
  const run = (...more: string[]): string => {
    const { stdout, stderr, status } = spawnSync(
      program,
      ['-c', join(folder, 'suricata.yaml'), '-l', folder, '-k', 'none', ...more],
      { encoding: 'utf8', timeout: 120_000 },
    )
    assert.equal(status, 0, stdout + stderr)
    return stdout + stderr
  }
  return { folder, compiled, run }
}

/** As many as the compiler says that there are. */
function takesAll({ run, folder, compiled }: Engine): void {
  const said = run('-T', '-v')
  const lines = readFileSync(join(folder, `${compiled.sha256}.rules`), 'utf8')
    .trimEnd()
    .split('\n')
  assert.equal(compiled.rules, lines.length)
  assert.match(said, new RegExp(`\\b${lines.length} rules successfully loaded, 0 rules failed`))
  assert.doesNotMatch(said, /error parsing/)
}

interface Alert {
  readonly gid: number
  readonly signature_id: number
  readonly action: string
}

/** What the engine says of a capture. */
function alertsOf({ folder, run }: Engine, capture: Buffer): (Alert & { readonly port: number })[] {
  rmSync(join(folder, 'eve.json'), { force: true })
  writeFileSync(join(folder, 'attacks.pcap'), capture)
  run('-r', join(folder, 'attacks.pcap'))
  return readFileSync(join(folder, 'eve.json'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { alert: Alert; dest_port: number })
    .map(({ alert, dest_port: port }) => ({ ...alert, port }))
}

interface Analysed {
  readonly id: number
  readonly gid: number
  /** What a packet must have; others are passed over by a comparison of bits. */
  readonly requirements?: readonly string[]
  /** What is matched, in this order. */
  readonly pkt_engines: readonly { readonly name: string; readonly is_mpm: boolean }[]
  readonly engines?: readonly unknown[]
  readonly lists: Readonly<Record<string, { readonly matches: readonly { readonly name: string }[] }>>
}

/** What the engine makes of each rule. */
function analysed({ folder, run }: Engine): Analysed[] {
  run('--engine-analysis', '--set', 'engine-analysis.rules=yes')
  return readFileSync(join(folder, 'rules.json'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Analysed)
}

/** Without a pattern to find first, and without a need that few packets meet. */
const isAskedAboutAll = ({ requirements = [], pkt_engines, engines = [] }: Analysed): boolean =>
  engines.length === 0 &&
  !pkt_engines.some(({ is_mpm }) => is_mpm) &&
  !requirements.some((name) => ['engine_event', 'tcp_flags_init_deinit'].includes(name))

/** The packets of a capture with the number of a channel in their DSCP field, as the kernel hands them to the engine. */
function tagged(capture: Buffer, number: number): Buffer {
  const bytes = Buffer.from(capture)
  const linkBytes = bytes.readUInt32LE(20) === 1 ? 14 : 0
  for (let at = 24; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 8)
    bytes[at + 16 + linkBytes + 1] = number << 2
    at += 16 + length
  }
  return bytes
}

describe('rules of channels in Suricata', { skip: lacking(program) }, () => {
  let engine: Engine
  before(async () => {
    const denied = applications.filter(({ patterns }) => patterns.length > 0)
    engine = await prepareEngine({
      applications: denied,
      texts: readFileSync(starterFile),
      channels: [
        { number: 1, rules: everything('alert'), denied: [] },
        { number: 2, rules: everything('drop'), denied: denied.map(({ id }) => id) },
        { number: 3, rules: [], denied: ['id.l7.unknown'] },
      ],
    })
  })
  after(() => rmSync(engine.folder, { recursive: true, force: true }))

  it('are taken in full', () => {
    takesAll(engine)
    assert.deepEqual(engine.compiled.leftOut, [])
    assert.ok(engine.compiled.signatures > 50)
  })

  it('ask about ordinary packets in one cheap rule, beside those that note the channel', () => {
    const own = analysed(engine).filter(({ gid, id }) => gid === channelGroup && id < firstCanarySid)
    const asked = own.filter(isAskedAboutAll)
    assert.deepEqual(
      asked.map(({ id }) => id).toSorted((a, b) => a - b),
      [1, 2, 3, 101, 102, 103, 302],
    )
    // Nothing but the packet itself: a buffer is filled before the bits of the connection are looked at.
    const shut = asked.find(({ id }) => id === 302)
    assert.deepEqual(
      shut?.pkt_engines.map(({ name }) => name),
      ['packet'],
    )
    assert.equal(shut?.lists.packet?.matches[0]?.name, 'flowbits')
    assert.ok(own.length > asked.length + 8)
  })

  const actionsIn = (number: number): ReadonlyMap<number, unknown> =>
    Map.groupBy(alertsOf(engine, tagged(recordTraffic(Object.values(cases)).file, number)), ({ gid }) => gid)

  it('do what the profile of the channel says, and nothing where there is none', () => {
    assert.deepEqual([...actionsIn(1).keys()], [1])
    assert.ok(actionsIn(2).has(2))
    assert.equal(actionsIn(2).has(1), false)
    assert.deepEqual(
      [...actionsIn(3).keys()].filter((gid) => gid !== 10),
      [],
    )
    assert.deepEqual([...actionsIn(0).keys()], [])
  })
})

describe('63 channels with 63 profiles in Suricata', { skip: lacking(program) }, () => {
  const all = Array.from({ length: 63 }, (_, index) => index + 1)
  const text = (sid: number): string => `marker-${sid}-end`
  /** Of its own, of every third neighbour, and one that all have, with another action here and there. */
  const sidsOf = (number: number): number[] => [
    ...all.filter((sid) => sid === number || (sid * 5 + number) % 3 === 0),
    900,
  ]
  const actionOf = (number: number): 'alert' | 'drop' => (number % 4 === 0 ? 'alert' : 'drop')
  const denied = applications.filter(({ patterns }) => patterns.length > 0)
  /** Of all signatures that come with the gateway, and of none of the own ones. */
  const classes = [...classtypeNames.keys()].filter((name) => name !== '-')
  let engine: Engine
  before(async () => {
    const custom = [...all, 900].map(
      (sid) => `alert udp any any -> any any (msg:"own ${sid}"; content:"${text(sid)}"; sid:${sid}; rev:1;)\n`,
    )
    engine = await prepareEngine({
      applications: denied,
      texts: Buffer.from(`${custom.join('')}${readFileSync(starterFile, 'utf8')}`),
      channels: all.map((number) => ({
        number,
        rules: [
          { id: 1, filters: [{ key: 'sid', values: sidsOf(number) }], action: actionOf(number) },
          { id: 2, filters: [{ key: 'classtype', values: classes }], action: 'drop' },
        ],
        denied: denied.map(({ id }) => id),
      })),
    })
  })
  after(() => rmSync(engine.folder, { recursive: true, force: true }))

  it('are taken in full', () => takesAll(engine))

  it('do in each channel what its own profile says, and nothing else', () => {
    const data = Buffer.from([...all, 900].map(text).join(' '))
    const captures = all.map((number) =>
      tagged(
        recordTraffic([
          { protocol: 'udp', isFromInside: true, port: 20_000 + number, turns: [{ from: 'client', data }] },
        ]).file,
        number,
      ),
    )
    const alerts = alertsOf(engine, Buffer.concat(captures.map((one, index) => (index === 0 ? one : one.subarray(24)))))
    for (const number of all) {
      const own = alerts.filter(({ port, signature_id: sid }) => port === 20_000 + number && sid <= 900)
      assert.deepEqual(
        own.map(({ signature_id: sid }) => sid).toSorted((a, b) => a - b),
        sidsOf(number).toSorted((a, b) => a - b),
        `channel ${number}`,
      )
      assert.deepEqual(new Set(own.map(({ gid }) => gid)), new Set([groupOfAction[actionOf(number)]]))
    }
  })
})
