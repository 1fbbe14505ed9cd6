// The starter set before the real engine: Suricata takes every rule, each recorded attack is seen by its signature, and
// ordinary traffic by none. PORTCULLIS_SURICATA names another place of the program.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { starterFile } from '../../src/areas/intrusion-prevention/runs/signature-files.ts'
import { classtypeNames } from '../../src/domain/signatures/names.ts'
import { lacking, unlessComplete } from '../support/requires.ts'
import { recordTraffic } from './capture.ts'
import { cases } from './cases.ts'
import { firstOfForms } from './encodings.ts'
import { ordinary } from './ordinary.ts'

const program = process.env.PORTCULLIS_SURICATA ?? '/usr/bin/suricata'
const leastMajor = 7

function reasonToSkip(): string | false {
  const reason = lacking(program)
  if (reason !== false) return reason
  const version = /version (\d+)\S*/.exec(spawnSync(program, ['-V'], { encoding: 'utf8' }).stdout)
  if (Number(version?.[1]) >= leastMajor) return false
  return unlessComplete(`Suricata ${leastMajor} is needed; this is ${version?.[0]}`)
}

const settings = `%YAML 1.1
---
vars:
  address-groups: { HOME_NET: "[10.0.0.0/8]", EXTERNAL_NET: "!$HOME_NET", HTTP_SERVERS: "$HOME_NET",
    SMTP_SERVERS: "$HOME_NET", SQL_SERVERS: "$HOME_NET" }
outputs: [ { eve-log: { enabled: yes, filetype: regular, filename: eve.json, types: [ alert ] } } ]
stats: { enabled: no }
app-layer: { protocols: { tls: { enabled: yes, detection-ports: { dp: 443 } }, http: { enabled: yes },
  dns: { udp: { enabled: yes, detection-ports: { dp: 53 } }, tcp: { enabled: yes, detection-ports: { dp: 53 } } },
  ssh: { enabled: yes }, ftp: { enabled: yes }, smtp: { enabled: yes },
  smb: { enabled: yes, detection-ports: { dp: "139, 445" } }, dcerpc: { enabled: yes }, krb5: { enabled: yes },
  telnet: { enabled: yes } } }
`

describe('the starter set in Suricata', { skip: reasonToSkip() }, () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-suricata-'))
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
default-rule-path: ${dirname(starterFile)}
rule-files: [ starter.rules ]
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
      { encoding: 'utf8', timeout: 60_000 },
    )
    assert.equal(status, 0, stdout + stderr)
    return stdout + stderr
  }

  const attacks = Object.entries(cases)

  /** Names of the signatures that each traffic hit, attacks first: one run for all, because the start takes longest. */
  function replay(): string[][] {
    const { file, ports } = recordTraffic([...attacks.map(([, traffic]) => traffic), ...ordinary])
    writeFileSync(join(folder, 'all.pcap'), file)
    run('-r', join(folder, 'all.pcap'))
    const alerts = readFileSync(join(folder, 'eve.json'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map(
        (line) =>
          JSON.parse(line) as { src_ip: string; src_port?: number; dest_port?: number; alert: { signature: string } },
      )
    // ICMP has no ports: what is known of it is the name of the signature.
    return ports.map((own, index) =>
      alerts
        .filter(({ src_port, dest_port, alert }) =>
          src_port === undefined
            ? attacks[index]?.[0] === alert.signature
            : own.has(src_port) || own.has(dest_port ?? 0),
        )
        .map(({ alert }) => alert.signature),
    )
  }

  it('is taken in full, without a warning about a rule', () => {
    const said = run('-T', '-v')
    const rules = readFileSync(starterFile, 'utf8')
      .split('\n')
      .filter((line) => /^[a-z]+ /.test(line))
    assert.match(said, new RegExp(`\\b${rules.length} rules successfully loaded, 0 rules failed`))
    assert.doesNotMatch(said, /error parsing|(?:Warning|Error): detect/)
  })

  it('has a recorded attack for nine of ten signatures, in every class', () => {
    const rules = readFileSync(starterFile, 'utf8').matchAll(/\(msg:"([^"]+)".*classtype:([a-z0-9-]+); sid:(\d+);/g)
    // The others have theirs in encodings.test.ts.
    const all = [...rules]
      .map(([, name = '', classtype = '', sid]) => ({ name, classtype, sid: Number(sid) }))
      .filter(({ sid }) => sid < firstOfForms)
    const known = new Set(all.map(({ name }) => name))
    assert.deepEqual(
      attacks.map(([name]) => name).filter((name) => !known.has(name)),
      [],
    )
    const recorded = all.filter(({ name }) => name in cases)
    assert.ok(recorded.length >= 0.9 * all.length, `${recorded.length} of ${all.length}`)
    const classes = (rows: typeof all) => [...new Set(rows.map(({ classtype }) => classtype))].sort()
    assert.deepEqual(classes(recorded), classes(all))
  })

  it('sees every recorded attack, and nothing in ordinary traffic', () => {
    assert.ok(ordinary.length >= 500, `${ordinary.length} ordinary exchanges`)
    const alerts = replay()
    const missed = attacks.filter(([name], index) => !alerts[index]?.includes(name)).map(([name]) => name)
    assert.deepEqual(missed, [])
    const wrong = ordinary.flatMap(({ turns }, index) =>
      (alerts[attacks.length + index] ?? []).map(
        (name) => `${name}: ${turns[0]?.data.toString('latin1').slice(0, 120)}`,
      ),
    )
    assert.deepEqual(wrong, [])
  })
})
