// Routes of lists whose items have owners; and what lists of many items cost after a change of one: the others are neither
// shown nor serialised again.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { profileRuleEndpoints } from '../contract/collections.ts'
import { endpoint } from '../contract/endpoint.ts'
import { CreatedString, strictObject } from '../contract/fields.ts'
import { Type } from '../contract/schema.ts'
import { declareList } from '../model/declarations.ts'
import { type Config, list, read } from '../model/slots.ts'
import type { Change, Context } from './handle.ts'
import { listRoutes, perItem } from './routes.ts'

const fields = strictObject({ name: Type.String() })
const Rule = strictObject({ id: Type.Integer(), ...fields.properties })
const profiles = list('sample.profiles', strictObject({ id: Type.String(), name: Type.String() }))
const rules = list('sample.rules', strictObject({ profile_id: Type.String(), ...Rule.properties }))
const profileList = declareList({
  slot: profiles,
  noun: 'profile',
  ids: { kind: 'uuid' },
  builtIn: [{ id: 'template', name: 'Template' }],
})
const ruleList = declareList({
  slot: rules,
  noun: 'rule',
  ids: { kind: 'number' },
  owner: { field: 'profile_id', list: profileList },
  builtIn: [{ id: 1, profile_id: 'template', name: 'first' }],
})

const copy = endpoint({
  method: 'POST',
  path: '/profiles/:profile_id/copy',
  access: 'configure',
  summary: 'Copy',
  reply: CreatedString,
})
const replace = endpoint({
  method: 'PUT',
  path: '/profiles/:profile_id',
  access: 'configure',
  summary: 'Replace',
  body: fields,
  reply: strictObject({ id: Type.String(), ...fields.properties }),
})
const ruleEndpoints = profileRuleEndpoints({
  path: '/profiles',
  title: 'rules',
  item: 'a rule',
  fields,
  shown: Rule,
  bodyLimitBytes: 1_000,
})

describe('routes of lists with owners', () => {
  let config: Config = {
    [profiles.key]: [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B' },
    ],
  }
  let last = 0
  const tools = { nextId: () => ++last, keepIds: () => {}, referencesTo: () => [] }
  const change = (async (edit: (config: Config, given: typeof tools) => unknown) => {
    const result = edit(config, tools)
    const [next, answer] = Array.isArray(result) ? result : [result, undefined]
    config = next as Config
    return answer
  }) as Change
  const routes = [
    ...listRoutes({ copy, replace }, profileList, { copying: { owned: [ruleList], fields: { name: 'Copy' } } }),
    ...listRoutes(ruleEndpoints, ruleList),
  ]
  const call = (of: { readonly method: string; readonly path: string }, given: Partial<Context>) => {
    const found = routes.find(({ endpoint: one }) => one.method === of.method && one.path === of.path)
    assert.ok(found)
    return found.handler({ params: {}, query: {}, body: {}, config, change, ...given } as Context)
  }
  const add = (profile_id: string, name: string, query = {}) =>
    call(ruleEndpoints.create, { params: { profile_id }, body: { name }, query })
  const shown = (profile_id: string) => call(ruleEndpoints.list, { params: { profile_id } })

  it('take the owner from the path and do not show it', async () => {
    assert.deepEqual(await add('a', 'one'), { id: 1 })
    assert.deepEqual(await add('b', 'other'), { id: 2 })
    assert.deepEqual(await add('a', 'two', { anchor_item_id: 1, insert_after: false }), { id: 3 })
    assert.deepEqual(shown('a'), [
      { id: 3, name: 'two' },
      { id: 1, name: 'one' },
    ])
    assert.equal(read(config, rules).length, 3)
    assert.deepEqual(shown('template'), [{ id: 1, name: 'first' }])
    assert.throws(() => shown('none'), /There is no profile/)
  })

  it('have no tag of one list for what depends on two', () => {
    const slotOf = (method: string) =>
      routes.find((one) => one.endpoint.path.endsWith('rules') && one.endpoint.method === method)
    assert.equal(slotOf('GET')?.slot, null)
    assert.equal(slotOf('POST')?.slot, rules)
  })

  it('move an item whatever the order of the fields of the body', async () => {
    await call(ruleEndpoints.move, { body: { params: { anchor_item_id: 1, rule_id: 3, profile_id: 'a' } } })
    assert.deepEqual(
      (shown('a') as { id: number }[]).map(({ id }) => id),
      [1, 3],
    )
    const elsewhere = { params: { profile_id: 'b', rule_id: 3, anchor_item_id: 2 } }
    await assert.rejects(async () => call(ruleEndpoints.move, { body: elsewhere }), /There is no rule/)
  })

  it('refuse to change what belongs to a built-in item', async () => {
    await assert.rejects(async () => add('template', 'x'), { code: 'conflict' })
    const params = { profile_id: 'template', rule_id: '1' }
    await assert.rejects(async () => call(ruleEndpoints.update, { params, body: { name: 'x' } }), { code: 'conflict' })
    await assert.rejects(async () => call(ruleEndpoints.remove, { params }), { code: 'conflict' })
  })

  it('copy an owner with its items and answer with the id', async () => {
    const { id } = (await call(copy, { params: { profile_id: 'a' } })) as { id: string }
    assert.deepEqual(
      (shown(id) as { name: string }[]).map(({ name }) => name),
      ['one', 'two'],
    )
  })

  it('answer a replacement with the item where the endpoint has a reply', async () => {
    const answer = await call(replace, { params: { profile_id: 'a' }, body: { name: 'New' } })
    assert.deepEqual(answer, { id: 'a', name: 'New' })
  })
})

const items = Array.from({ length: 50_000 }, (_, id) => ({ id }))

function counted() {
  let count = 0
  const show = perItem((item: { readonly id: number }) => {
    count++
    return { shown: item.id }
  })
  return { show, count: () => count }
}

it('after one change only that item is shown again, wherever it is', () => {
  const { show, count } = counted()
  const first = show(items)
  for (const changed of [items.with(700, { id: -1 }), items.toSpliced(9, 1), items.toSpliced(3, 0, { id: -2 })]) {
    const before = count()
    const next = show(changed)
    assert.ok(count() - before <= 1)
    assert.deepEqual(
      next.map(({ shown }) => shown),
      changed.map(({ id }) => id),
    )
    assert.equal(next[20_000], show(changed)[20_000])
  }
  assert.equal(show(items), first)
})

it('items keep what they were shown as when they move', () => {
  const { show, count } = counted()
  const [one] = show(items)
  const moved = show([...items.slice(1), ...items.slice(0, 1)])
  assert.equal(moved.at(-1), one)
  assert.equal(count(), items.length)
})
