// A valid request of every verb, for tests that make hostile ones of them.

import { makePiece } from '../../core/plan/nft-piece.ts'
import type { Verb } from '../../core/plan/verbs.ts'
import { parseUpgrade } from '../machine/upgrade.ts'
import { productionTables } from '../production.ts'
import { createQuestions } from '../questions.ts'
import { argumentParsers } from '../requests.ts'

export const tables = productionTables('/var/lib/portcullis', { uid: 70_000, gid: 70_000 }, 'host')

/** As for one connection. */
export const makeParsers = () => ({
  ...argumentParsers(tables),
  ask: createQuestions(tables).parse,
  upgrade: parseUpgrade,
})

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
  device: 'lan0',
  protocol: 'tcp',
  source: '192.0.2.1',
  sourcePort: 1,
  destination: '192.0.2.2',
  destinationPort: 2,
}
const { device: _, ...ends } = packet
const element = { address: '192.0.2.1', mac: '02:00:00:00:00:01', device: 'lan0', seconds: 900 }
const units = [...tables.units.keys(), ...[...tables.templates.keys()].map((name) => `${name}.lan0`)]
export const plan = {
  revision: 1,
  artifacts: [
    { kind: 'nft', name: 'inet portcullis', pieces: [makePiece(chain())] },
    { kind: 'network', name: 'links', links: [link, ...made] },
    { kind: 'network', name: 'settings', settings: [{ name: 'net.ipv4.ip_forward', value: '1' }] },
    { kind: 'way', name: 'inspection', entries: [{ number: 1, isFailOpen: true, isReady: false }] },
    { kind: 'way', name: 'interception', entries: [] },
    ...[...tables.files.keys()].map((name) => ({ kind: 'file', name, text: '' })),
    ...[...tables.fileTemplates.keys()].map((name) => ({ kind: 'file', name: `${name}.a`, text: '' })),
    ...units.map((name) => ({ kind: 'unit', name })),
  ],
}
export function chain() {
  return { kind: 'chain', name: 'c', head: '', lines: ['accept'], origin: '' } as const
}
const upload = {
  backup: '00000000-0000-4000-8000-000000000000',
  name: 'a.backup',
  server: 'files',
  address: '192.0.2.1',
  share: 's',
  folder: 'f',
  login: 'l',
  password: 'p',
}

export const requests: Readonly<Record<Verb, unknown>> = {
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
  machine: {},
  neighbours: {},
  trial: { packets: [packet] },
  checkpoint: { sequence: 1, hash: 'a'.repeat(64), isFirst: false },
  checkpoints: {},
  ask: { service: 'share-upload', request: 'upload', args: upload },
  upgrade: { digest: 'a'.repeat(64) },
}
