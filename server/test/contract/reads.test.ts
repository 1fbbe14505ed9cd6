// Every area declares the slots that it looks at. The gateways of all other tests watch this, too; here it is proven for every
// golden configuration and all of them together, and that the watch itself finds what it has to find.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import { Type } from '../../src/core/contract/schema.ts'
import { createReferenceFinder } from '../../src/core/model/references.ts'
import { type Config, read, single, write } from '../../src/core/model/slots.ts'
import { noFacts } from '../../src/core/plan/facts.ts'
import { createPlanner } from '../../src/core/plan/planner.ts'
import { listGoldenCases } from '../support/golden.ts'
import { withRecordedReads } from '../support/recorded-reads.ts'

const initial: Config = Object.fromEntries(
  areas.flatMap(({ slots }) => slots.map(({ key, initial }) => [key, initial])),
)

describe('areas read only the slots they declare', () => {
  const cases = listGoldenCases()
  const watched = withRecordedReads(areas)
  const changes = cases.flatMap(({ config }) => Object.entries(config).filter(([key, value]) => value !== initial[key]))
  const everything = { ...initial, ...Object.fromEntries(changes) }

  for (const { path, config, facts } of [
    ...cases,
    { path: 'all of them together', config: everything, facts: noFacts },
  ])
    it(`in ${path}`, () => {
      const planner = createPlanner(watched)
      planner.verify(config)
      planner.render(config, facts)
      createReferenceFinder(watched)(config, 'ip.id.1')
    })
})

describe('the watch over reads', () => {
  const settings = (key: string) => single(key, Type.Object({ text: Type.String() }), { text: '' })
  const [own, declared, foreign] = [settings('a.own'), settings('b.declared'), settings('c.foreign')]
  const config = { [own.key]: own.initial, [declared.key]: declared.initial, [foreign.key]: foreign.initial }
  const area = { name: 'a', slots: [own], reads: [declared] }

  it('lets declared slots pass', () => {
    const look = (config: Config) => {
      read(config, own)
      read(write(config, own, { text: 'changed' }), declared)
      return []
    }
    const planner = createPlanner(withRecordedReads([{ ...area, verify: look, render: look }]))
    assert.deepEqual(planner.verify(config), [])
    assert.deepEqual(planner.render(config, noFacts), [])
  })

  const foreignReads: readonly (readonly [string, (config: Config) => unknown])[] = [
    ['through its slot', (config) => read(config, foreign)],
    ['by its key', (config) => config['c.foreign']],
    ['by asking whether it is there', (config) => 'c.foreign' in config],
    ['in a copy', (config) => read(write(config, own, { text: 'changed' }), foreign).text],
  ]
  for (const [how, look] of foreignReads)
    it(`finds a read of another slot ${how}`, () => {
      const empty = (config: Config) => {
        look(config)
        return []
      }
      const [watched] = withRecordedReads([{ ...area, verify: empty, render: empty, references: empty }])
      const fault = /^Error: The (verify|render|references) of the area a /
      assert.throws(() => watched?.verify?.(config), fault)
      assert.throws(() => watched?.render?.(config), fault)
      assert.throws(() => watched?.references?.(config), fault)
    })

  it('finds references that depend on slots of others, which do not renew them', () => {
    const references = (config: Config) => (read(config, declared).text === '' ? [] : [])
    const [watched] = withRecordedReads([{ ...area, references }])
    assert.throws(() => watched?.references?.({}), /reads b\.declared/)
  })
})
