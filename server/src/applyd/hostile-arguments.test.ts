// No value of a request becomes an option of a program. Every text of a valid request of every verb is replaced by hostile
// ones: it must be refused, or be listed here as content that is never an argument of its own.
// Requirements 27 and 51.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePiece } from '../plan/nft-piece.ts'
import type { Verb } from '../plan/verbs.ts'
import { parseSignatureCheck } from './engines/inspection/check.ts'
import { parseShareUpload } from './engines/share-upload/upload.ts'
import { parseUpgrade } from './machine/upgrade.ts'
import { productionTables } from './production.ts'
import { argumentParsers } from './requests.ts'
import { findUnit } from './tables.ts'
import { Refusal } from './wire/values.ts'

const tables = productionTables('/var/lib/portcullis', { uid: 70_000, gid: 70_000 }, 'host')
const parsers = {
  ...argumentParsers(tables),
  upload: parseShareUpload,
  checkSignatures: parseSignatureCheck,
  endSignatureCheck: parseSignatureCheck,
  upgrade: parseUpgrade,
}

const link = {
  origin: 'network.lan0',
  device: 'lan0',
  make: { kind: 'vlan', parent: 'lan1', tag: 5 },
  isUp: true,
  addresses: ['192.0.2.1/24'],
  routes: [{ to: '198.51.100.0/24', via: '192.0.2.9', metric: 1 }],
  mirrors: [{ device: 'lan2', direction: 'rx' }],
}
const made = [
  { kind: 'bond', members: ['lan3'] },
  { kind: 'gre', local: '192.0.2.1', remote: '192.0.2.2' },
  { kind: 'ppp', parent: 'lan4' },
  { kind: 'dummy' },
].map((make, index) => ({ ...link, device: `dev${index}`, make }))
const packet = {
  ...{ device: 'lan0', protocol: 'tcp', source: '192.0.2.1', sourcePort: 1 },
  ...{ destination: '192.0.2.2', destinationPort: 2 },
}
const { device: _, ...ends } = packet
const element = { address: '192.0.2.1', mac: '02:00:00:00:00:01', device: 'lan0', seconds: 900 }
const units = [...tables.units.keys(), ...[...tables.templates.keys()].map((name) => `${name}.lan0`)]
const plan = {
  revision: 1,
  artifacts: [
    { kind: 'nft', name: 'inet portcullis', pieces: [makePiece(chain())] },
    { kind: 'network', name: 'links', links: [link, ...made] },
    { kind: 'network', name: 'settings', settings: [{ name: 'net.ipv4.ip_forward', value: '1' }] },
    { kind: 'network', name: 'inspection', channels: [{ number: 1, isFailOpen: true, isReady: false }] },
    ...[...tables.files.keys()].map((name) => ({ kind: 'file', name, text: '' })),
    ...[...tables.fileTemplates.keys()].map((name) => ({ kind: 'file', name: `${name}.a`, text: '' })),
    ...units.map((name) => ({ kind: 'unit', name })),
  ],
}
function chain() {
  return { kind: 'chain', name: 'c', head: '', lines: ['accept'], origin: '' } as const
}
const upload = {
  backup: '00000000-0000-4000-8000-000000000000',
  ...{ name: 'a.backup', server: 'files', address: '192.0.2.1', share: 's', folder: 'f', login: 'l', password: 'p' },
}

const requests: Readonly<Record<Verb, unknown>> = {
  check: { plan },
  apply: { plan },
  attempt: { plan },
  settle: { revision: 1 },
  undo: { revision: 1 },
  observe: {},
  devices: {},
  hits: {},
  sessions: {},
  sessionPart: { reading: 0 },
  changeLive: { changes: [{ set: 'auth_new', add: [element], remove: [{ ...element, seconds: null }] }] },
  readLive: { sets: ['auth_hosts', 'u_user_id_1'] },
  arrivals: {},
  cut: { targets: [{ host: '192.0.2.1' }, ends] },
  conflicts: {},
  neighbours: {},
  trial: { packets: [packet] },
  checkpoint: { sequence: 1, hash: 'a'.repeat(64), isFirst: false },
  checkpoints: {},
  upload,
  checkSignatures: { file: 'a' },
  endSignatureCheck: { file: 'a' },
  upgrade: { digest: 'a'.repeat(64) },
}

/** Written to a file or a pipe, only shown, or behind the name of an option in the same argument (`--user=...`). */
const contents = /\.(text|head|origin|lines\.\d+)$|^upload\.(share|folder|login|password)$/

const hostile = [
  '-s',
  '--config=/etc/passwd',
  '-',
  '-lan0',
  '\u2010s',
  '@x',
  ' -s',
  'a -s',
  'a\n-s',
  'a\0',
  '../a',
  '/etc/passwd',
  '$(id)',
  '`id`',
]

/** Every text in the value, with a function that makes the value with another text in its place. */
function* textsIn(value: unknown, path: string): Generator<[path: string, replaced: (text: string) => unknown]> {
  if (typeof value === 'string') yield [path, (text) => text]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    for (const [place, replaced] of textsIn(inner, `${path}.${key}`))
      yield [
        place,
        (text) =>
          Array.isArray(value)
            ? value.map((one, index) => (String(index) === key ? replaced(text) : one))
            : { ...value, [key]: replaced(text) },
      ]
}

for (const [verb, request] of Object.entries(requests) as [Verb, unknown][])
  test(`L8: no text of ${verb} can be an option, a path or a command`, () => {
    parsers[verb](request)
    for (const [place, replaced] of textsIn(request, verb)) {
      if (contents.test(place)) continue
      for (const text of hostile)
        assert.throws(() => parsers[verb](replaced(text)), Refusal, `${place} = ${JSON.stringify(text)}`)
    }
  })

test('L8: no text of a change of a plan can be an option, a path or a command', () => {
  parsers.check({ number: 1, plan })
  const list = makePiece({ kind: 'set', name: 's', head: 'type ipv4_addr', lines: ['192.0.2.1'], origin: 'o' })
  const { parts, ...rest } = makePiece(chain())
  const changes = [[0, 1], list, { ...rest, name: 'd', base: 0, parts }]
  const change = {
    revision: 2,
    changed: [{ kind: 'nft', name: 'inet portcullis', changes }],
    removed: ['nft inet portcullis'],
  }
  for (const [place, replaced] of textsIn({ number: 2, base: 1, change }, 'check'))
    if (!contents.test(place))
      for (const text of hostile)
        assert.throws(() => parsers.check(replaced(text)), Refusal, `${place} = ${JSON.stringify(text)}`)
})

test('L8: no instance of a unit or of a file begins with a hyphen', () => {
  for (const template of tables.templates.keys())
    for (const instance of hostile) assert.equal(findUnit(tables, `${template}.${instance}`), undefined)
})
