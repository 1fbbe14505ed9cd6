// The catalogue before the real engine: it takes every rule, sees each application in what the application says first, on ports
// that are not its own, and sees no other one. PORTCULLIS_SURICATA names another place of the program.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { applicationOfSid, applications, rulesOf } from '../../src/domain/applications/catalogue.ts'
import { recordTraffic, type Turn } from '../signatures/capture.ts'
import { lacking } from '../support/requires.ts'
import { type Exchange, exchanges } from './exchanges.ts'
import { ordinary } from './ordinary.ts'

const program = process.env.PORTCULLIS_SURICATA ?? '/usr/bin/suricata'
const bit = '@1'
/** As in the gateway: the bit of the channel is set by the first packet, and every rule asks for it. */
const channel = `alert ip any any -> any any (msg:"channel"; flowbits:isnotset,k; ipv4.hdr; byte_test:1,=,0,1,bitmask 0xfc; flowbits:set,k; flowbits:set,${bit}; noalert; gid:9; sid:1; rev:1;)`

/** As in the settings of the engine in the gateway: engines/inspection/applyd/fixed.suricata.yaml. */
const everyPort = '{ enabled: yes, detection-ports: { dp: 0 } }'
const enabled =
  'http http2 ftp smtp ssh smb dcerpc rfb bittorrent-dht krb5 ike ntp snmp dhcp nfs tftp telnet mqtt'.split(' ')
const detection = [
  'tls: { enabled: yes, detection-ports: { dp: 443 }, ja3-fingerprints: yes, ja4-fingerprints: yes, encryption-handling: bypass }',
  'imap: { enabled: detection-only }',
  'dns: { tcp: { enabled: yes, detection-ports: { dp: 53 } }, udp: { enabled: yes, detection-ports: { dp: "53, 5353" } } }',
  'quic: { enabled: yes, detection-ports: { dp: "80, 443, 784, 853, 4433, 8443" } }',
  ...['sip', 'rdp', 'pgsql'].map((name) => `${name}: ${everyPort}`),
  ...enabled.map((name) => `${name}: { enabled: yes }`),
  ...['modbus', 'dnp3', 'enip'].map((name) => `${name}: { enabled: no }`),
]

const settings = (folder: string): string => `%YAML 1.1
---
vars: { address-groups: { HOME_NET: "[10.0.0.0/8]", EXTERNAL_NET: "!$HOME_NET" } }
default-log-dir: ${folder}
action-order: [ pass, alert, drop, reject ]
exception-policy: ignore
packet-alert-max: 60
stream: { inline: yes, midstream: true }
outputs: [ { eve-log: { enabled: yes, filetype: regular, filename: eve.json, types: [ alert ] } } ]
stats: { enabled: no }
app-layer:
  protocols:
${detection.map((line) => `    ${line}\n`).join('')}default-rule-path: ${folder}
rule-files: [ all.rules ]
classification-file: ${folder}/classification.config
reference-config-file: ${folder}/reference.config
threshold-file: ${folder}/threshold.config
`

interface Alert {
  readonly src_port: number
  readonly dest_port: number
  readonly alert: { readonly signature_id: number }
}

const turnsOf = ({ greeting, request, answer, more }: Exchange): Turn[] =>
  [
    { from: 'server' as const, data: greeting },
    { from: 'client' as const, data: request },
    { from: 'server' as const, data: answer },
    { from: 'client' as const, data: more },
  ].flatMap(({ from, data }) => (data === undefined ? [] : [{ from, data }]))

describe('applications in Suricata', { skip: lacking(program) }, () => {
  let folder = ''
  const all: readonly Exchange[] = [...exchanges, ...ordinary]
  /** Names of the applications seen in each exchange, in the order of the alphabet. */
  let seen: string[][] = []

  const run = (...more: string[]): string => {
    const { stdout, stderr, status } = spawnSync(
      program,
      ['-c', join(folder, 'suricata.yaml'), '-l', folder, '-k', 'none', ...more],
      { encoding: 'utf8', timeout: 120_000 },
    )
    assert.equal(status, 0, stdout + stderr)
    return stdout + stderr
  }

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-applications-'))
    const rules = applications.flatMap((application) => rulesOf(application, [bit], 'alert'))
    writeFileSync(join(folder, 'all.rules'), `${[channel, ...rules].join('\n')}\n`)
    for (const name of ['classification', 'reference', 'threshold']) writeFileSync(join(folder, `${name}.config`), '')
    writeFileSync(join(folder, 'suricata.yaml'), settings(folder))
    const port = (index: number): number => 31_000 + (index % 997)
    const { file, ports } = recordTraffic(
      all.map((exchange, index) => ({
        protocol: exchange.protocol,
        isFromInside: true,
        port: exchange.port ?? port(index),
        turns: turnsOf(exchange),
      })),
    )
    writeFileSync(join(folder, 'all.pcap'), file)
    run('--simulate-ips', '-r', join(folder, 'all.pcap'))
    const byPort = new Map<number, Set<string>>()
    for (const line of readFileSync(join(folder, 'eve.json'), 'utf8').split('\n')) {
      if (line === '') continue
      const { src_port, dest_port, alert } = JSON.parse(line) as Alert
      const name = applicationOfSid(alert.signature_id)?.name ?? `sid ${alert.signature_id}`
      for (const number of [src_port, dest_port]) byPort.set(number, (byPort.get(number) ?? new Set()).add(name))
    }
    seen = ports.map(([own = 0]) => [...(byPort.get(own) ?? [])].sort())
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** What the engine's own detection gave up on is `Unknown` beside what its bytes say: judged apart. */
  const wrongOf = (part: readonly Exchange[], from: number): string[] =>
    part.flatMap(({ application, also = [], protocol }, index) => {
      const expected = [application, ...also].filter((name) => name !== '').sort()
      const found = (seen[from + index] ?? []).filter((name) => name !== 'Unknown')
      return found.join() === expected.join() ? [] : [`${protocol} ${expected.join()}: ${found.join() || 'nothing'}`]
    })

  it('take every rule, without a warning', () => {
    const said = run('-T', '-v')
    const count = applications.reduce((sum, { patterns }) => sum + patterns.length, 1)
    assert.match(said, new RegExp(`\\b${count} rules successfully loaded, 0 rules failed`))
    assert.doesNotMatch(said, /error parsing|(?:Warning|Error): detect/)
  })

  it('are recognised by what they say first, and as no other', () => {
    assert.ok(new Set(exchanges.map(({ application }) => application)).size >= 60)
    assert.deepEqual(wrongOf(exchanges, 0), [])
  })

  it('are not seen in ordinary traffic', () => {
    assert.ok(ordinary.length >= 200)
    assert.deepEqual(wrongOf(ordinary, exchanges.length), [])
  })
})
