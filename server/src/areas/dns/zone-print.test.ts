// What we take as a zone, unbound takes too: zones drawn from odd names, texts and numbers are read, printed, and shown to
// applyd's own rules for its files and to unbound-checkconf.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeRandom, pick, type Random } from '../../../test/support/random-policy.ts'
import { lacking } from '../../../test/support/requires.ts'
import { labFacts } from '../../../test/support/test-gateway.ts'
import { productionTables } from '../../applyd/production.ts'
import type { Config } from '../../core/model/slots.ts'
import { faultsIn } from '../../engines/kit/forms.ts'
import { findUnit } from '../../engines/kit/tables.ts'
import { connections } from '../network/config.ts'
import { slots } from './config.ts'
import type { MasterZone } from './contract.ts'
import { render } from './render.ts'
import { readZone } from './zone-file.ts'
import { checkZone } from './zone-records.ts'

const checker = '/usr/sbin/unbound-checkconf'
const zoneCount = 400

const junk = (random: Random): string =>
  Array.from({ length: Math.floor(random() * 12) }, () => pick(random, [...'abc019_-*.\\"();@$ \té'])).join('')

const name = (random: Random): string =>
  pick(random, [
    'a',
    'b.c',
    '_x._tcp',
    '*',
    '@',
    'x'.repeat(63),
    'ns1',
    'A-b',
    '1',
    'abs.z.example.',
    '.',
    'xn--abc',
    junk(random),
  ])

const text = (random: Random): string =>
  pick(random, [
    '"plain"',
    '"a;b"',
    '"\\"q\\""',
    '\\065',
    '"\\000"',
    '"\\999"',
    '"\\25"',
    '""',
    'bare',
    '"\\\\"',
    '\\;',
    '"()"',
    `"${'z'.repeat(255)}"`,
    `"${'z'.repeat(256)}"`,
    junk(random),
  ])

function record(random: Random): string {
  const [owner, target] = [name(random), name(random)]
  const number = Math.floor(random() * 70_000)
  return pick(random, [
    `${owner} A ${pick(random, ['1.2.3.4', '01.2.3.4', '256.1.1.1', '0.0.0.0'])}`,
    `${owner} AAAA ${pick(random, ['::', 'fd00::1', '1::2::3', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8', 'g::'])}`,
    `${owner} TXT ${text(random)} ${text(random)}`,
    `${owner} MX ${number} ${target}`,
    `${owner} CNAME ${target}`,
    `_s._tcp.${owner} SRV 1 2 ${number} ${target}`,
    `${owner} CAA ${number % 300} ${pick(random, ['issue', 'x1', 'is-sue'])} ${text(random)}`,
    `${owner} ${pick(random, ['300', '1h30m', '4294967295', '2147483647', 'x'])} IN PTR ${target}`,
    `${owner} NS ${target}`,
    junk(random),
  ])
}

function drawZones(random: Random): MasterZone[] {
  const zones: MasterZone[] = []
  for (let at = 0; zones.length < zoneCount; at++) {
    const zone = `z${at}.example`
    const mailbox = pick(random, ['root', 'a\\.b.x.', 'a+b.x'])
    const head = `@ SOA ns1 ${mailbox} ${Math.floor(random() * 2 ** 32)} 1 1h 1d 60\n@ NS ns1\nns1 A 1.2.3.4\n`
    const config = `${head}${record(random)}\n${record(random)}\n`
    const { records, faults } = readZone(zone, config)
    if (faults.length === 0 && checkZone(zone, records).length === 0)
      zones.push({ id: `id-${at}`, name: zone, enabled: true, config, comment: '' })
  }
  return zones
}

test('a zone that is accepted here is accepted by applyd and by unbound', (t) => {
  const unit = findUnit(productionTables('/state', null, 'none'), 'dns') ?? assert.fail()
  const initial = Object.fromEntries([connections, ...slots].map((slot) => [slot.key, slot.initial]))
  const zones = drawZones(makeRandom(1))
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-zones-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'zones'))
  for (const artifact of render({ ...initial, 'dns.master_zones': zones } as Config, labFacts)) {
    if (artifact.kind !== 'file') continue
    assert.deepEqual(faultsIn(unit, artifact.name, artifact.text), [])
    const path = artifact.name.replace('unbound-zone.', 'zones/').replace('unbound-policy', 'policy')
    const more = path === 'unbound.conf' ? '\nserver:\n  module-config: "respip validator iterator"\n' : ''
    writeFileSync(join(folder, path), artifact.text + more)
  }
  const reason = lacking(checker)
  if (reason !== false) return t.skip(reason)
  const { status, stderr } = spawnSync(checker, ['unbound.conf'], { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})
