// Drafts: values by path, what changed, the body that is sent, and faults beside their fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentRules } from '@gateway/server/contract/content-filter'
import { staticLeases } from '@gateway/server/contract/dhcp'
import { vpnSettings } from '@gateway/server/contract/vpn'
import fc from 'fast-check'
import {
  changedFields,
  entryFaults,
  faultAt,
  getAt,
  isDirty,
  isEqual,
  patchBody,
  setAt,
  sortFaults,
  stepsOf,
  wholeBody,
  wholeNew,
} from './draft.ts'
import { mergeItems, settle } from './merge.ts'
import { emptyItem, formFields, type Schema } from './schema.ts'

test('paths are those of the gateway', () => {
  assert.deepEqual(stepsOf('sstp.port'), ['sstp', 'port'])
  assert.deepEqual(stepsOf('ranges[2]'), ['ranges', 2])
  assert.deepEqual(stepsOf('routes[0].gateway'), ['routes', 0, 'gateway'])
  const item = { routes: [{ gateway: 'a' }, { gateway: 'b' }], name: 'x' }
  const next = setAt(item, 'routes[1].gateway', 'c')
  assert.equal(getAt(next, 'routes[1].gateway'), 'c')
  assert.equal(getAt(item, 'routes[1].gateway'), 'b')
  assert.equal(next.routes[0], item.routes[0])
  assert.equal(getAt(item, 'routes[7].gateway'), undefined)
})

test('what is set is what is read, and a change back is not a change', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue()),
      fc.constantFrom('a', 'b', 'c.d', 'a[1]'),
      fc.jsonValue(),
      (base, path, value) => {
        if (path !== 'a' && path !== 'b') base = {}
        const next = setAt(base, path, value)
        assert.deepEqual(getAt(next, path), value)
        assert.equal(isDirty({ base, value: base }), false)
      },
    ),
  )
})

test('a patch has only what changed, inside objects too; a whole body has all', () => {
  const base = {
    pptp_enabled: false,
    network: '10.128.0.0/16',
    zone: null,
    dns_suffix: '',
    netflow_index: 0,
    sstp: { enabled: false, domain: null, port: 1443 },
  }
  const value = setAt(setAt(base, 'sstp.port', 2443), 'dns_suffix', 'office.example')
  assert.deepEqual(patchBody(vpnSettings.update.body as Schema, base, value), {
    dns_suffix: 'office.example',
    sstp: { port: 2443 },
  })
  assert.deepEqual(changedFields({ base, value }), ['dns_suffix', 'sstp'])
  assert.deepEqual(
    wholeBody(staticLeases.create.body as Schema, {
      id: '3',
      comment: '',
      enabled: true,
      ip_address: 'x',
      mac: 'y',
      extra: 1,
    }),
    {
      comment: '',
      enabled: true,
      ip_address: 'x',
      mac: 'y',
    },
  )
})

test('a creation has what is required and what was filled in', () => {
  const fields = formFields(staticLeases.create.body as Schema)
  const empty = emptyItem(fields)
  assert.deepEqual(empty, { comment: '', enabled: true, ip_address: '', mac: '' })
  assert.deepEqual(wholeNew(fields, { ...empty, mac: 'z' }), {
    comment: '',
    enabled: true,
    ip_address: '',
    mac: 'z',
  })
})

test('what the page fills in is sent, what is blank and optional is not', () => {
  const fields = formFields(contentRules.create.body as Schema, { aliases: { initial: ['any'] } })
  const body = wholeNew(fields, { ...emptyItem(fields), name: 'a', categories: ['users.id.1'] })
  assert.deepEqual(body.aliases, ['any'])
  assert.equal('redirect_url' in body, false)
  assert.equal('comment' in body, false)
})

test('faults are beside their field, the rest is for the summary', () => {
  const faults = sortFaults(
    [
      { field: 'ranges[2]', message: 'bad' },
      { field: 'server.ranges[0]', message: 'worse' },
      { field: 'firewall.forward[7].source_addresses', message: 'in use' },
    ],
    new Set(['ranges', 'server']),
  )
  assert.equal(faultAt(faults, 'ranges'), undefined)
  assert.equal(faultAt(faults, 'ranges', true), 'bad')
  assert.equal(entryFaults(faults, 'ranges').get(2), 'bad')
  assert.equal(faultAt(faults, 'server.ranges', true), 'worse')
  assert.deepEqual(faults.rest, [{ field: 'firewall.forward[7].source_addresses', message: 'in use' }])
})

test('a merge takes what only one changed and asks for the rest', () => {
  const base = { name: 'a', comment: '', enabled: true, list: [1] }
  const mine = { ...base, name: 'b', comment: 'mine' }
  const theirs = { ...base, comment: 'theirs', enabled: false, list: [1, 2] }
  const merge = mergeItems(base, mine, theirs)
  assert.deepEqual(merge.conflicts, [{ field: 'comment', base: '', mine: 'mine', theirs: 'theirs' }])
  assert.deepEqual(merge.taken, ['enabled', 'list'])
  assert.deepEqual(settle(merge, { comment: 'mine' }), { name: 'b', comment: 'mine', enabled: false, list: [1, 2] })
  assert.deepEqual(settle(merge, { comment: 'theirs' }).comment, 'theirs')
})

test('a merge loses nothing that only one side changed', () => {
  const items = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 2 }))
  fc.assert(
    fc.property(items, items, items, (base, mine, theirs) => {
      const { merged, conflicts } = mergeItems(base, mine, theirs)
      for (const field of ['a', 'b', 'c']) {
        if (conflicts.some((one) => one.field === field)) continue
        const expected = isEqual(mine[field], base[field]) ? theirs[field] : mine[field]
        assert.deepEqual(merged[field], expected)
      }
    }),
  )
})
