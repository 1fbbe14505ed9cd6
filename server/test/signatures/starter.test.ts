// The starter set before the real engine: Suricata takes every rule, each recorded attack is seen by its signature, and
// ordinary traffic by none. PORTCULLIS_SURICATA names another place of the program.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { classtypeNames } from '../../src/signatures/names.ts'
import { starterFile } from '../../src/system/signature-files.ts'
import { lacking, unlessComplete } from '../support/requires.ts'
import { clientPort, recordTraffic, type Traffic } from './capture.ts'
import { cases, ordinary } from './cases.ts'

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
    const all: readonly Traffic[] = [...attacks.map(([, traffic]) => traffic), ...ordinary]
    writeFileSync(join(folder, 'all.pcap'), recordTraffic(all))
    run('-r', join(folder, 'all.pcap'))
    const alerts = readFileSync(join(folder, 'eve.json'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { src_port: number; dest_port: number; alert: { signature: string } })
    return all.map((_, index) =>
      alerts
        .filter(({ src_port, dest_port }) => src_port === clientPort(index) || dest_port === clientPort(index))
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

  it('sees every recorded attack, and nothing in ordinary traffic', () => {
    const alerts = replay()
    const missed = attacks.filter(([name], index) => !alerts[index]?.includes(name)).map(([name]) => name)
    assert.deepEqual(missed, [])
    assert.deepEqual(alerts.slice(attacks.length).flat(), [])
  })
})
