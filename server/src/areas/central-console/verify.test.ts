// A configuration that the API would refuse is refused as a whole too, as from a restored backup.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Config, Slot } from '../../core/model/slots.ts'
import { filterDefaults } from '../firewall/public.ts'
import { connection, contentAfter, forwardBefore, groups, root, servers } from './config.ts'
import { centralConsole } from './index.ts'

const group = (id: string, parent_id: string | null = root.id) => ({ id, name: id, parent_id, comment: '' })
const server = { id: 's', parent_id: 'none', approved: true, title: 'S' }
const rule = { ...filterDefaults, id: 1, action: 'drop' }
const content = {
  id: 1,
  parent_id: root.id,
  name: 'C',
  comment: '',
  aliases: ['any'],
  categories: ['users.id.1'],
  http_methods: [],
  content_types: [],
  access: 'deny',
  redirect_url: null,
  enabled: true,
  timetable: ['any'],
}

const fieldsOf = (config: Config): string[] => (centralConsole.verify?.(config) ?? []).map(({ field }) => field)

const cases: readonly (readonly [title: string, slot: Slot, value: object, ...fields: string[]])[] = [
  ['a group of a missing group', groups, [group('a', 'none')], 'groups[a].parent_id'],
  ['a second root group', groups, [group('a', null)], 'groups[a].parent_id'],
  ['a group inside itself', groups, [group('a', 'b'), group('b', 'a')], 'groups[a].parent_id', 'groups[b].parent_id'],
  [
    'a group on the fourth level',
    groups,
    [group('a'), group('b', 'a'), group('c', 'b')],
    ...['a', 'b', 'c'].map((id) => `groups[${id}].parent_id`),
  ],
  ['a gateway of a missing group', servers, [server], 'servers[s].parent_id'],
  ['a rule of a missing group', forwardBefore, [{ ...rule, parent_id: 'none' }], 'forward_before[1].parent_id'],
  [
    'a rule with missing objects',
    forwardBefore,
    [{ ...rule, source_addresses: ['ip.id.9'], incoming_interface: 'zone.id.9', ips_profile: 'none' }],
    'forward_before[1].source_addresses[0]',
    'forward_before[1].incoming_interface',
    'forward_before[1].ips_profile',
  ],
  [
    'a rule with ports and no protocol',
    forwardBefore,
    [{ ...rule, source_ports: [] }],
    'forward_before[1].source_ports',
  ],
  ['a missing category', contentAfter, [{ ...content, categories: ['users.id.9'] }], 'content_after[1].categories[0]'],
  ['any beside others', contentAfter, [{ ...content, timetable: ['any', 'x'] }], 'content_after[1].timetable'],
  [
    'an address without redirection',
    contentAfter,
    [{ ...content, redirect_url: 'x' }],
    'content_after[1].redirect_url',
  ],
  ['a broken root certificate', connection, { cc_server: null, root_ca: 'x' }, 'connection.root_ca'],
]

for (const [title, slot, value, ...fields] of cases) {
  it(`${title} is refused`, () => {
    assert.deepEqual(
      fieldsOf({ [slot.key]: value }),
      fields.map((field) => `central_console.${field}`),
    )
  })
}

it('a right configuration is accepted', () => {
  const right = {
    [groups.key]: [group('a'), group('b', 'a')],
    [servers.key]: [{ ...server, parent_id: 'b' }],
    [forwardBefore.key]: [{ ...rule, parent_id: 'a' }],
    [contentAfter.key]: [content],
  }
  assert.deepEqual(fieldsOf(right), [])
})
