// Plans: areas are rendered again only when something they look at changed, and differences are told line by line.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { say } from '../../shared/said.ts'
import { Type } from '../contract/schema.ts'
import { type Config, read, single, write } from '../model/slots.ts'
import type { AreaRules } from './area.ts'
import type { Artifact, NftPiece } from './artifacts.ts'
import { noFacts } from './facts.ts'
import { makePiece } from './nft-piece.ts'
import { allOf, changedAreas, contentOf, createPlanner, sameArtifacts } from './planner.ts'
import { diffArtifacts } from './text-diff.ts'

const own = single('a.settings', Type.Object({ text: Type.String() }), { text: 'one' })
const other = single('b.settings', Type.Object({ text: Type.String() }), { text: 'two' })
const unseen = single('c.settings', Type.Object({ text: Type.String() }), { text: 'three' })
const file = (text: string): Artifact => ({ kind: 'file', name: 'f', text })

const problemsIn = (text: string) => (Number(text) % 3 === 0 ? [{ field: text, message: say`wrong` }] : [])

describe('the planner', () => {
  it('renders an area again only when its own or another slot it reads, or the facts, changed', () => {
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

  it('gives after any changes what a planner gives that remembers nothing', () => {
    const slots = [own, other, unseen]
    const areas: AreaRules[] = [
      { name: 'a', slots: [own], reads: [other], render: (config) => [file(JSON.stringify([config[own.key]]))] },
      { name: 'b', slots: [other], verify: (config) => problemsIn(read(config, other).text) },
      { name: 'c', slots: [unseen], reads: [own], verify: (config) => problemsIn(read(config, own).text) },
      {
        name: 'd',
        slots: [],
        reads: [unseen],
        apply: 'background',
        render: (config) => (read(config, unseen).text.length > 1 ? [file(read(config, unseen).text)] : []),
      },
    ]
    const step = fc.record({
      writes: fc.array(fc.record({ slot: fc.constantFrom(...slots), text: fc.nat(15).map(String) }), { maxLength: 3 }),
      // A configuration of any origin, or an earlier one again: what was refused is followed by what was there.
      isCopied: fc.boolean(),
      isBack: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const planner = createPlanner(areas)
        let config: Config = slots.reduce((made, slot) => write(made, slot, slot.initial), {})
        let earlier = config
        for (const { writes, isCopied, isBack } of steps) {
          const before = config
          config = writes.reduce((made, { slot, text }) => write(made, slot, { text }), config)
          if (isCopied) config = { ...config }
          if (isBack) [config, earlier] = [earlier, before]
          const anew = createPlanner(areas)
          assert.deepEqual(planner.verify(config), anew.verify(config))
          assert.deepEqual(planner.renderParts(config, noFacts), anew.renderParts(config, noFacts))
          assert.deepEqual(planner.render(config, noFacts), anew.render(config, noFacts))
        }
      }),
    )
  })

  it('gives the very same while no area gives something else', () => {
    const planner = createPlanner([{ name: 'a', slots: [own], render: () => [] }])
    const config = write({}, own, own.initial)
    const parts = planner.renderParts(config, noFacts)
    assert.equal(planner.renderParts(write(config, own, { text: 'changed' }), noFacts), parts)
    assert.equal(planner.renderParts(write(config, unseen, { text: 'changed' }), noFacts), parts)
  })

  it('gathers the problems of all areas', () => {
    const problem = (field: string) => ({ field, message: say`wrong` })
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

describe('areas that are applied in the background', () => {
  const text =
    (slot: typeof own) =>
    (config: Config): Artifact[] => [{ kind: 'file', name: slot.key, text: read(config, slot).text }]
  const planner = createPlanner([
    { name: 'slow', apply: 'background', slots: [own], render: text(own) },
    { name: 'quick', slots: [other], render: text(other) },
  ])
  const before = planner.renderParts({}, noFacts)

  it('are rendered apart from the others, and come last in a plan', () => {
    assert.deepEqual(
      allOf(before).map(({ name }) => name),
      ['b.settings', 'a.settings'],
    )
    assert.deepEqual(before.background.get('slow'), planner.renderArea('slow', {}, noFacts))
  })

  it('are found when they give something else', () => {
    assert.deepEqual(changedAreas(before, planner.renderParts(write({}, other, { text: 'x' }), noFacts)), [])
    assert.deepEqual(changedAreas(before, planner.renderParts(write({}, own, { text: 'x' }), noFacts)), ['slow'])
  })
})

describe('artifacts', () => {
  it('are the same when kind, name and content are', () => {
    assert.ok(sameArtifacts([file('x')], [file('x')]))
    assert.ok(!sameArtifacts([file('x')], [file('y')]))
    assert.ok(!sameArtifacts([file('x')], []))
    assert.ok(!sameArtifacts([{ kind: 'unit', name: 'f' }], [file('')]))
  })

  const piece = (name: string, lines: readonly string[]) =>
    makePiece({ kind: 'chain', name, head: '', lines, origin: '' })
  const table = (...pieces: NftPiece[]): Artifact => ({ kind: 'nft', name: 't', pieces })

  it('that are tables are the same when their pieces have the same hashes', () => {
    assert.ok(sameArtifacts([table(piece('a', ['x']))], [table(piece('a', ['x']))]))
    assert.ok(!sameArtifacts([table(piece('a', ['x']))], [table(piece('a', ['y']))]))
    assert.ok(!sameArtifacts([table(piece('a', ['x']))], [table()]))
  })

  it('that are tables differ piece by piece', () => {
    const before = table(piece('a', ['1', '2', '3']), piece('b', ['x']), piece('c', ['y']))
    const after = table(piece('a', ['1', '4', '3']), piece('b', ['x']), piece('d', []))
    assert.deepEqual(diffArtifacts([before], [after]), [
      {
        artifact: 'nft t',
        action: 'changed',
        removed_lines: ['    2', '  chain c {', '    y', '  }'],
        added_lines: ['    4', '  chain d {', '  }'],
      },
    ])
  })

  it('that are tables are printed as nft reads them', () => {
    const set = makePiece({
      kind: 'set',
      name: 's',
      head: 'type ipv4_addr',
      lines: ['10.0.0.1', '10.0.0.2'],
      origin: '',
    })
    assert.equal(
      contentOf(table(set, piece('a', ['accept']))),
      '  set s {\n    type ipv4_addr\n    elements = { 10.0.0.1, 10.0.0.2 }\n  }\n\n  chain a {\n    accept\n  }',
    )
  })

  it('that are tables are compared without reading pieces of the same hash', () => {
    const unread = (name: string): NftPiece =>
      Object.defineProperty({ ...piece(name, ['rule']) }, 'lines', {
        get: () => assert.fail(`${name} was read`),
      })
    const before = table(piece('changed', ['old']), unread('a'), unread('b'))
    const after = table(piece('changed', ['new']), unread('a'), unread('b'))
    assert.ok(!sameArtifacts([before], [after]))
    assert.deepEqual(diffArtifacts([before], [after])[0]?.added_lines, ['    new'])
  })

  it('that are tables show of a long set the elements that come and go, and not too many of them', () => {
    const elements = Array.from({ length: 5000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`)
    const set = (lines: readonly string[]): NftPiece =>
      makePiece({ kind: 'set', name: 's', head: 'type ipv4_addr', lines, origin: '' })
    const changed = elements.toSpliced(4000, 1).toSpliced(10, 0, '9.9.9.9')
    const [few] = diffArtifacts([table(set(elements))], [table(set(changed))])
    assert.deepEqual(few?.removed_lines, ['  set s {', `      ${elements[4000]},`])
    assert.deepEqual(few?.added_lines, ['  set s {', '      9.9.9.9,'])
    const [all] = diffArtifacts([table(piece('a', []))], [table(piece('a', []), set(elements))])
    assert.deepEqual(all?.removed_lines, [])
    assert.equal(all?.added_lines.length, 1002)
    assert.equal(all?.added_lines.at(-1), '      ... and 4000 more')
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
