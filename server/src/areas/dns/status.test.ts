import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StatusItem } from '../../core/contract/fields.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Observation } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { verbatim } from '../../shared/said.ts'
import { connections } from '../network/config.ts'
import { slots } from './config.ts'
import { type DdnsView, dnsStatusItems } from './status.ts'

const facts: Facts = {
  interfaces: [{ name: 'wan0', mac: '', addresses: ['203.0.113.2/24'], isUp: true, index: 3 }],
  externalInterfaces: ['wan0'],
  externalIpv6Interfaces: [],
  leases: [],
  addressBook: new Map(),
  agentPort: null,
  timeZone: 'UTC',
  scheduleDay: 0,
}
const running: Observation = {
  plane: 'lab',
  limitation: null,
  appliedRevision: 1,
  links: [],
  tables: [{ name: 'inet portcullis', present: true, asLoaded: true }],
  units: [{ name: 'dns', state: 'active', message: '' as const, pid: 7 }],
}
const updates: DdnsView = { hasServer: true, address: null, error: null, retrySeconds: null }

function items(
  config: Config = {},
  { observation = running as Observation | null, ddns = updates, on = facts } = {},
): Record<string, StatusItem> {
  const initial = Object.fromEntries([connections, ...slots].map((slot) => [slot.key, slot.initial]))
  const view = { observation, unreachable: verbatim('no answer'), applyError: null, brand: 'acme', facts: on, ddns }
  const found = dnsStatusItems({ ...view, config: { ...initial, ...config } as Config })
  assert.deepEqual(
    found.map(({ name }) => name),
    ['unbound', 'nsd', 'acme-dns-backend'],
  )
  return Object.fromEntries(found.map((item) => [item.name, item]))
}

const said = (item: StatusItem | undefined): string => `${item?.status}: ${item?.msg.join(' ')}`

test('the server has the state that applyd observes', () => {
  assert.equal(said(items().unbound), 'active: Names are resolved through the root servers.')
  assert.equal(said(items({}, { observation: null }).unbound), 'failed: no answer')
  const limited = { ...running, limitation: 'no namespaces' }
  assert.match(said(items({}, { observation: limited }).unbound), /^inactive: Stored and checked, not applied/)
  const unit = { name: 'dns', state: 'failed' as const, message: verbatim('dns ended with status 1.'), pid: null }
  const dead = items(
    { 'dns.safesearch': { enabled: true }, 'dns.master_zones': [{ id: 'a', name: 'a.b', enabled: true }] } as never,
    { observation: { ...running, units: [unit] } },
  )
  for (const item of Object.values(dead)) assert.match(said(item), /^failed: dns ended with status 1\./)
})

test('a missing program is named with its package', () => {
  const message = verbatim(
    'dns ended with status 127. prlimit: failed to execute /usr/sbin/unbound: No such file or directory',
  )
  const unit = { name: 'dns', state: 'failed' as const, message, pid: null }
  const { unbound } = items({}, { observation: { ...running, units: [unit] } })
  assert.equal(said(unbound), 'failed: The program unbound is not installed (Debian package unbound).')
})

test('who is asked, and which server of a connection is missing', () => {
  const config = {
    'dns.root_servers': [
      { id: 'a', enabled: true, type: 'ip', object: '192.0.2.53', comment: '' },
      { id: 'b', enabled: true, type: 'interface', object: 'interface.id.2', comment: '' },
    ],
    'dns.forward_zones': [{ id: 'a', name: 'a.example', enabled: true, servers: ['192.0.2.1'], comment: '' }],
    'dns.master_zones': [{ id: 'b', name: 'A.example', enabled: true, config: '', comment: '' }],
  } as never
  const shown = items(config)
  assert.match(said(shown.unbound), /External servers are asked: 192\.0\.2\.53\. Signatures .* not enforced/)
  assert.match(said(shown.unbound), /The connection interface\.id\.2 gives no DNS server now\./)
  assert.match(said(shown.unbound), /The forward zone a\.example is covered by the authoritative zone of this name\./)
  assert.equal(said(shown.nsd), 'active: 1 authoritative zone is served by unbound; there is no separate nsd.')
})

test('interception needs its rules in the kernel', () => {
  const config = { 'dns.settings': { intercept_enabled: true } } as never
  assert.match(said(items(config)['acme-dns-backend']), /^active: Queries of local hosts/)
  const bare = items(config, { observation: { ...running, tables: [] } })
  assert.match(said(bare['acme-dns-backend']), /^failed: The rules of interception are not in the kernel\./)
})

test('dynamic DNS says what is missing, what failed and what is done', () => {
  const sealed = { $sealed: 'x' }
  const config = {
    'dns.settings': { intercept_enabled: false },
    'dns.ddns_state': { enabled: true },
    'dns.ddns': { domain: 'example.com', service_login: 'me', service_password: sealed },
  } as never
  const statusFor = (view: Partial<DdnsView>, on = facts): string =>
    said(items(config, { ddns: { ...updates, ...view }, on })['acme-dns-backend'])
  assert.match(
    said(items({ 'dns.ddns_state': { enabled: true } } as never)['acme-dns-backend']),
    /^failed: .* missing\.$/,
  )
  assert.match(statusFor({ hasServer: false }), /^failed: .*is not set on this gateway/)
  const hidden = {
    ...facts,
    interfaces: [{ name: 'wan0', mac: '', addresses: ['100.64.1.2/10'], isUp: true, index: 3 }],
  }
  assert.match(statusFor({}, hidden), /^failed: .*behind NAT/)
  assert.match(statusFor({}, { ...facts, interfaces: [] }), /^failed: .*no external address/)
  assert.match(
    statusFor({ error: 'it said no.', retrySeconds: 60 }),
    /^failed: Dynamic DNS: it said no\. The next attempt is in 60 s\.$/,
  )
  assert.match(statusFor({ error: 'it said no.' }), /until a setting or the address changes\.$/)
  assert.match(statusFor({}), /^activating: /)
  assert.match(
    statusFor({ address: '203.0.113.2' }),
    /^active: .*example\.com and www\.example\.com are at 203\.0\.113\.2\.$/,
  )
})
