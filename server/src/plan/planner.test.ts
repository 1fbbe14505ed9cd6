// Plans: areas are rendered again only when something they look at changed, and differences are told line by line.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from '../contract/schema.ts'
import { read, single, write } from '../contract/slots.ts'
import type { Artifact } from './artifacts.ts'
import { noFacts } from './facts.ts'
import { createPlanner, sameArtifacts } from './planner.ts'
import { diffArtifacts } from './text-diff.ts'

const own = single('a.settings', Type.Object({ text: Type.String() }), { text: 'one' })
const other = single('b.settings', Type.Object({ text: Type.String() }), { text: 'two' })
const unseen = single('c.settings', Type.Object({ text: Type.String() }), { text: 'three' })
const file = (text: string): Artifact => ({ kind: 'file', name: 'f', text })

describe('the planner', () => {
  it('renders an area anew only when its own or another slot it reads, or the facts, changed', () => {
    let renders = 0
    const planner = createPlanner([
      {
        name: 'a',
        slots: [own],
        reads: [other],
        render: (config) => {
          renders++
          return [file(`${read(config, own).text} ${read(config, other).text}`)]
        },
      },
    ])
    let config = write(write({}, own, own.initial), other, other.initial)
    planner.render(config, noFacts)
    config = write(config, unseen, { text: 'changed' })
    planner.render(config, noFacts)
    assert.equal(renders, 1)
    config = write(config, other, { text: 'changed' })
    assert.deepEqual(planner.render(config, noFacts), [file('one changed')])
    planner.render(config, { ...noFacts })
    assert.equal(renders, 3)
  })

  it('gathers the problems of all areas', () => {
    const problem = (field: string) => ({ field, message: 'wrong' })
    const planner = createPlanner([
      { name: 'a', slots: [own], verify: () => [problem('a'), problem('aa')] },
      { name: 'b', slots: [other], verify: () => [problem('b')] },
      { name: 'c', slots: [] },
    ])
    assert.deepEqual(
      planner.verify({}).map(({ field }) => field),
      ['a', 'aa', 'b'],
    )
  })
})

describe('artifacts', () => {
  it('are the same when kind, name and content are', () => {
    assert.ok(sameArtifacts([file('x')], [file('x')]))
    assert.ok(!sameArtifacts([file('x')], [file('y')]))
    assert.ok(!sameArtifacts([file('x')], []))
    assert.ok(!sameArtifacts([{ kind: 'unit', name: 'f' }], [file('')]))
  })

  it('differ by the lines that leave and those that come', () => {
    assert.deepEqual(diffArtifacts([file('a\nb\nc')], [file('a\nx\ny\nc'), { kind: 'unit', name: 'u' }]), [
      { artifact: 'file f', action: 'changed', removed_lines: ['b'], added_lines: ['x', 'y'] },
      { artifact: 'unit u', action: 'added', removed_lines: [], added_lines: [] },
    ])
    assert.deepEqual(diffArtifacts([file('a')], []), [
      { artifact: 'file f', action: 'removed', removed_lines: ['a'], added_lines: [] },
    ])
  })
})
