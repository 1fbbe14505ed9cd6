// The rules of three channels before the real engine: Suricata takes every one of them, and each channel does with a recorded attack what
// its profile says. PORTCULLIS_SURICATA names another place of the program.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { applications } from '../../src/applications/catalogue.ts'
import { type Compiled, compileRules } from '../../src/runtime/inspection/compile.ts'
import { classtypeNames } from '../../src/signatures/names.ts'
import type { ProfileRule } from '../../src/signatures/profile.ts'
import { starterFile } from '../../src/system/signature-files.ts'
import { lacking } from '../support/requires.ts'
import { recordTraffic } from './capture.ts'
import { cases } from './cases.ts'

const program = process.env.PORTCULLIS_SURICATA ?? '/usr/bin/suricata'

const settings = `%YAML 1.1
---
vars:
  address-groups: { HOME_NET: "[10.0.0.0/8]", EXTERNAL_NET: "!$HOME_NET", HTTP_SERVERS: "$HOME_NET",
    SMTP_SERVERS: "$HOME_NET", SQL_SERVERS: "$HOME_NET" }
outputs: [ { eve-log: { enabled: yes, filetype: regular, filename: eve.json, types: [ { alert: { metadata: yes } } ] } } ]
stats: { enabled: no }
action-order: [ pass, alert, drop, reject ]
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

describe('rules of channels in Suricata', { skip: lacking(program) }, () => {
  let folder = ''
  let compiled: Compiled
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-channels-'))
    const denied = applications.filter(({ patterns }) => patterns.length > 0)
    compiled = await compileRules({
      ...{ folder, kept: [], mostBytes: 100_000_000, applications: denied },
      texts: readFileSync(starterFile),
      channels: [
        { number: 1, rules: everything('alert'), denied: [] },
        { number: 2, rules: everything('drop'), denied: denied.map(({ id }) => id) },
        { number: 3, rules: [], denied: ['id.l7.unknown'] },
      ],
    })
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
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const run = (...more: string[]): string => {
    const { stdout, stderr, status } = spawnSync(
      program,
      ['-c', join(folder, 'suricata.yaml'), '-l', folder, '-k', 'none', ...more],
      { encoding: 'utf8', timeout: 120_000 },
    )
    assert.equal(status, 0, stdout + stderr)
    return stdout + stderr
  }

  it('are taken in full', () => {
    const said = run('-T', '-v')
    const lines = readFileSync(join(folder, `${compiled.sha256}.rules`), 'utf8')
      .trimEnd()
      .split('\n')
    assert.deepEqual(compiled.leftOut, [])
    assert.ok(compiled.signatures > 50)
    assert.match(said, new RegExp(`\\b${lines.length} rules successfully loaded, 0 rules failed`))
    assert.doesNotMatch(said, /error parsing/)
  })

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

  const actionsIn = (number: number): Map<number, number[]> => {
    rmSync(join(folder, 'eve.json'), { force: true })
    writeFileSync(join(folder, 'attacks.pcap'), tagged(recordTraffic(Object.values(cases)).file, number))
    run('-r', join(folder, 'attacks.pcap'))
    const alerts = readFileSync(join(folder, 'eve.json'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { alert: { gid: number; signature_id: number } })
    return Map.groupBy(
      alerts.map(({ alert }) => alert),
      ({ gid }) => gid,
    ) as unknown as Map<number, number[]>
  }

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
