// Exceptions and captures before the real engine: Suricata takes the exception of every starter signature, lets what it excepts pass and
// nothing else, and the packets of an event are found in the files that it writes. PORTCULLIS_SURICATA names another place of the
// program.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createCaptureRing } from '../../src/areas/inspection/runs/captures.ts'
import { compileRules } from '../../src/areas/inspection/runs/compile.ts'
import { starterFile } from '../../src/areas/intrusion-prevention/runs/signature-files.ts'
import { parseEveLine } from '../../src/domain/signatures/eve-line.ts'
import { exceptionText } from '../../src/domain/signatures/exception.ts'
import { classtypeNames } from '../../src/domain/signatures/names.ts'
import { parseRule } from '../../src/domain/signatures/rule.ts'
import { lacking } from '../support/requires.ts'
import { recordTraffic } from './capture.ts'
import { cases } from './cases.ts'

const program = process.env.PORTCULLIS_SURICATA ?? '/usr/bin/suricata'
/** The host inside of every recording. */
const inside = '10.10.0.5'

const signatures = readFileSync(starterFile, 'utf8')
  .split('\n')
  .filter((line) => /^(?:alert|drop|pass|reject)\b/.test(line))

/** Two for each signature: with the host as the source and as the destination. */
const exceptionsFor = (host: string): readonly string[] =>
  signatures.flatMap((text, at) => [
    exceptionText(text, { sid: 900_000 + 2 * at, source: host, destination: null }),
    exceptionText(text, { sid: 900_001 + 2 * at, source: null, destination: host }),
  ])

const settings = (folder: string, rules: string): string => `%YAML 1.1
---
vars:
  address-groups: { HOME_NET: "[10.0.0.0/8]", EXTERNAL_NET: "!$HOME_NET", HTTP_SERVERS: "$HOME_NET",
    SMTP_SERVERS: "$HOME_NET", SQL_SERVERS: "$HOME_NET" }
outputs:
  - eve-log: { enabled: yes, filetype: regular, filename: eve.json, types: [ { alert: { metadata: yes, packet: yes } } ] }
  - pcap-log: { enabled: yes, mode: normal, conditional: alerts, dir: ${folder}/captures, filename: alerts.pcap, limit: 8mb,
      max-files: 8, use-stream-depth: no, honor-pass-rules: no }
stats: { enabled: no }
action-order: [ pass, alert, drop, reject ]
app-layer: { protocols: { tls: { enabled: yes, detection-ports: { dp: 443 } }, http: { enabled: yes }, http2: { enabled: yes },
  dns: { udp: { enabled: yes, detection-ports: { dp: 53 } }, tcp: { enabled: yes, detection-ports: { dp: 53 } } },
  ssh: { enabled: yes }, ftp: { enabled: yes }, smtp: { enabled: yes }, smb: { enabled: yes, detection-ports: { dp: "139, 445" } },
  dcerpc: { enabled: yes }, krb5: { enabled: yes }, snmp: { enabled: yes }, tftp: { enabled: yes } } }
default-log-dir: ${folder}
default-rule-path: ${folder}
rule-files: [ ${rules} ]
classification-file: ${folder}/classification.config
reference-config-file: ${folder}/reference.config
threshold-file: ${folder}/threshold.config
`

/** The packets as the kernel hands them to the engine: from the header of IP on, with the number of the channel in DSCP. */
function inChannel(capture: Buffer, number: number): Buffer {
  const header = Buffer.from(capture.subarray(0, 24))
  header.writeUInt32LE(101, 20)
  const parts = [header]
  for (let at = 24; at < capture.length; ) {
    const length = capture.readUInt32LE(at + 8)
    const record = Buffer.from([...capture.subarray(at, at + 16), ...capture.subarray(at + 16 + 14, at + 16 + length)])
    record.writeUInt32LE(length - 14, 8)
    record.writeUInt32LE(length - 14, 12)
    record[17] = number << 2
    parts.push(record)
    at += 16 + length
  }
  return Buffer.concat(parts)
}

describe('exceptions of signatures in Suricata', { skip: lacking(program) }, () => {
  let folder = ''
  let rules = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-exceptions-'))
    mkdirSync(join(folder, 'captures'))
    const classes = [...classtypeNames].filter(([name]) => name !== '-')
    writeFileSync(
      join(folder, 'classification.config'),
      classes.map(([name, title]) => `config classification: ${name},${title},2\n`).join(''),
    )
    writeFileSync(join(folder, 'reference.config'), 'config reference: cve https://www.cve.org/CVERecord?id=CVE-\n')
    writeFileSync(join(folder, 'threshold.config'), '')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  async function compile(exceptions: readonly string[]): Promise<void> {
    const sids = exceptions.map((text) => {
      const read = parseRule(text, 'custom')
      assert.ok('rule' in read, text)
      return read.rule.signature.sid
    })
    const compiled = await compileRules({
      folder,
      kept: [],
      mostBytes: 100_000_000,
      applications: [],
      texts: Buffer.from([...signatures, ...exceptions, ''].join('\n')),
      channels: [
        {
          number: 1,
          // As an exception changes a profile: its signature is on top, with the action that it has.
          rules: [
            { id: 2, filters: [{ key: 'sid', values: sids }], action: 'default' },
            { id: 1, filters: [], action: 'drop' },
          ],
          denied: [],
        },
      ],
    })
    assert.deepEqual(compiled.leftOut, [])
    rules = `${compiled.sha256}.rules`
    writeFileSync(join(folder, 'suricata.yaml'), settings(folder, rules))
  }

  const run = (...more: string[]): string => {
    const { stdout, stderr, status } = spawnSync(
      program,
      ['-c', join(folder, 'suricata.yaml'), '-l', folder, '-k', 'none', '--runmode', 'single', ...more],
      { encoding: 'utf8', timeout: 240_000 },
    )
    assert.equal(status, 0, stdout + stderr)
    return stdout + stderr
  }

  const replayed = () => {
    const recording = recordTraffic(Object.values(cases))
    writeFileSync(join(folder, 'attacks.pcap'), inChannel(recording.file, 1))
    run('-r', join(folder, 'attacks.pcap'))
    const alerts = readFileSync(join(folder, 'eve.json'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => {
        const read = parseEveLine(line)
        return read.is === 'alert' ? [read.alert] : []
      })
    return { recording, alerts }
  }

  it('are taken, each of them, and let pass what they except, also in the first packet of a connection', async () => {
    await compile(exceptionsFor(inside))
    const lines = readFileSync(join(folder, rules), 'utf8').trimEnd().split('\n')
    assert.ok(lines.filter((line) => line.startsWith('pass ')).length > 2 * signatures.length)
    const said = run('-T', '-v')
    assert.match(said, new RegExp(`\\b${lines.length} rules successfully loaded, 0 rules failed`))
    const { alerts } = replayed()
    assert.deepEqual(
      alerts.map(({ signature }) => signature),
      [],
    )
  })

  it('of another host change nothing, and packets of an event are in the files of the engine', async () => {
    await compile(exceptionsFor('10.10.0.6'))
    const { alerts } = replayed()
    const told = new Set(alerts.map(({ signature }) => signature))
    assert.deepEqual(
      Object.keys(cases).filter((name) => !told.has(name)),
      [],
    )
    const files = readdirSync(join(folder, 'captures'))
    assert.ok(files.length > 0 && files.every((name) => /^alerts\.pcap\.\d+$/.test(name)), files.join(' '))
    const ring = createCaptureRing(join(folder, 'captures'))
    const event = alerts.find(({ protocol, url }) => protocol === 'TCP' && url !== '')
    assert.ok(event)
    const ends = {
      protocol: event.protocol,
      source: event.source,
      sourcePort: event.sourcePort ?? 0,
      destination: event.destination,
      destinationPort: event.destinationPort ?? 0,
    }
    const period = { from: event.time - 60_000_000, until: event.time + 60_000_000 }
    const { signal } = new AbortController()
    const packets = await ring.find({ ends, ...period }, signal)
    const all = Buffer.concat(packets.map(({ bytes }) => bytes)).toString('latin1')
    assert.ok(packets.length >= 2, String(packets.length))
    assert.ok(all.includes(event.url), 'the request is among them')
    assert.deepEqual(await ring.find({ ends: { ...ends, sourcePort: 1 }, ...period }, signal), [])
  })
})
