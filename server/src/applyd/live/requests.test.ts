import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../engines/kit/values.ts'
import { liveKeyOf, parseLiveChanges, parseLiveSets, parseTargets } from './requests.ts'

const host = { address: '10.0.0.1', mac: null, device: null, seconds: 900 }
const pair = { ...host, mac: '02:00:00:00:00:0a' }
const seen = { ...pair, device: 'lan0', seconds: null }
const change = (set: unknown, ...add: readonly unknown[]) => ({ changes: [{ set, add, remove: [] }] })

test('elements with exactly the parts of their key are taken', () => {
  const changes = [
    { set: 'auth_hosts', add: [host], remove: [host] },
    { set: 'auth_pairs', add: [pair], remove: [] },
    { set: 'auth_new', add: [], remove: [seen] },
    { set: 'u_group_id_7', add: [{ ...host, seconds: null }], remove: [] },
  ]
  assert.deepEqual(parseLiveChanges({ changes }), { changes })
  assert.deepEqual(parseLiveSets({ sets: ['auth_hosts', 'auth_hosts', 'auth_new'] }), {
    sets: ['auth_hosts', 'auth_new'],
  })
})

const refused: Record<string, unknown> = {
  'an unknown set': change('blocked', host),
  'a set of the kernel only': change('auth_cards', host),
  'a set from the prototype': change('constructor', host),
  'a set with syntax': change('auth_hosts } ; flush ruleset', host),
  'a member set with a long number': change(`u_user_id_${'1'.repeat(50)}`, host),
  'a member set with a line break': change('u_user_id_1\n', host),
  'a set twice': { changes: [change('auth_hosts', host), change('auth_hosts')].flatMap(({ changes }) => changes) },
  'an IPv6 address': change('auth_hosts', { ...host, address: '2001:db8::1' }),
  'a network': change('auth_hosts', { ...host, address: '10.0.0.0/8' }),
  'an address of numbers': change('auth_hosts', { ...host, address: 1 }),
  'a MAC address where there is none': change('auth_hosts', pair),
  'a device where there is none': change('auth_pairs', seen),
  'no MAC address': change('auth_pairs', host),
  'a MAC address in capitals': change('auth_pairs', { ...pair, mac: '02:00:00:00:00:0A' }),
  'a MAC address without colons': change('auth_pairs', { ...pair, mac: '02000000000a' }),
  'no device': change('auth_new', pair),
  'a device with a quote': change('auth_new', { ...seen, device: 'a"b' }),
  'a device with a long name': change('auth_new', { ...seen, device: 'a'.repeat(16) }),
  'no time at all': change('auth_hosts', { ...host, seconds: 0 }),
  'a time of text': change('auth_hosts', { ...host, seconds: '900' }),
  'a broken time': change('auth_hosts', { ...host, seconds: 1.5 }),
  'a time of more than a week': change('auth_hosts', { ...host, seconds: 7 * 86_400 + 1 }),
  'a missing time': change('auth_hosts', { address: '10.0.0.1', mac: null, device: null }),
  'an unknown key': change('auth_hosts', { ...host, comment: 'x' }),
  'an element of null': change('auth_hosts', null),
  'too many elements': change('auth_hosts', ...Array(50_001).fill(host)),
  'too many elements in all': {
    changes: ['auth_hosts', 'auth_net_hosts'].map((set) => ({ set, add: Array(25_001).fill(host), remove: [] })),
  },
  'changes that are not a list': { changes: { length: 0 } },
}
for (const [what, args] of Object.entries(refused))
  test(`${what} is refused`, () => assert.throws(() => parseLiveChanges(args), Refusal))

test('sets that are not live are not read', () => {
  for (const set of ['blocked', '', null, 'auth_hosts ', '__proto__'])
    assert.throws(() => parseLiveSets({ sets: [set] }), Refusal)
  assert.equal(liveKeyOf('toString'), null)
})

const ends = { protocol: 'tcp', source: '10.0.0.1', sourcePort: 1, destination: '2001:db8::1', destinationPort: 65_535 }

test('a connection is named by a host or by all of its ends', () => {
  const targets = [{ host: '10.0.0.1' }, { host: '2001:db8::1' }, ends]
  assert.deepEqual(parseTargets({ targets }), { targets })
  for (const target of [
    { host: 'localhost' },
    { host: '10.0.0.1', protocol: 'tcp' },
    { host: 'fe80::1%lan0' },
    { ...ends, protocol: 'icmp' },
    { ...ends, sourcePort: 65_536 },
    { source: '10.0.0.1' },
    null,
    [],
  ])
    assert.throws(() => parseTargets({ targets: [target] }), Refusal)
})
