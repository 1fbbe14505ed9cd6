// Rules for tests of the ruleset, one revision after the other, compared with what a load from nothing gives.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { NftPiece, Outcome } from '../../core/plan/artifacts.ts'
import { linesOf } from '../../core/plan/nft-piece.ts'
import { bothWays, chain, createScenarios, forwardHead, nft, planOf, problemsOf, type Scene } from './harness.ts'

const table = 'inet portcullis'
export const rule = (origin: string, match = 'tcp dport 80', verdict = 'accept'): string =>
  `${match} counter ${verdict} comment "${origin}"`
export const base = (...lines: readonly string[]): NftPiece => chain('forward', lines, forwardHead)
export const keep: NftPiece = chain('keep', [rule('r.keep')])

/** Applies the pieces as the next revision and compares the kernel with a load of the same pieces from nothing. */
export class Sequence {
  readonly scene: Scene
  revision = 0

  constructor(scene: Scene) {
    this.scene = scene
  }

  apply(pieces: readonly NftPiece[]): Promise<Outcome> {
    this.revision += 1
    return this.scene.apply(planOf(this.revision, nft(pieces)))
  }

  async applied(...pieces: readonly NftPiece[]): Promise<void> {
    const outcome = await this.apply(pieces)
    assert.deepEqual([outcome.status, problemsOf(outcome)], ['applied', []])
    assert.equal(this.shown(), this.shownAfterFullLoad(pieces))
    assert.equal((await this.scene.observe()).tables[0]?.asLoaded, true)
  }

  /** By name, because the kernel lists pieces in the order in which they came. */
  shown(name = table): string {
    const text = this.scene.bench.nft('-s', 'list', 'table', ...name.split(' '))
    return text
      .slice(text.indexOf('{'))
      .split('\n\n')
      .map((part) =>
        part
          .trim()
          .replace(/^\{\s*|\s*\}\s*\}$/g, '')
          .replace(/\}$/, '')
          .trim(),
      )
      .toSorted()
      .join('\n')
  }

  shownAfterFullLoad(pieces: readonly NftPiece[]): string {
    const path = this.scene.bench.path('full.nft')
    const print = ({ kind, name, head, parts }: NftPiece): string => {
      const lines = linesOf({ parts })
      return kind === 'chain'
        ? [`chain ${name} {`, head, ...lines, '}'].join('\n')
        : [`${kind} ${name} {`, head, lines.length > 0 ? `elements = { ${lines.join(',\n')} }` : '', '}'].join('\n')
    }
    writeFileSync(path, `table inet full {\n${pieces.map(print).join('\n')}\n}\n`)
    const failure = this.scene.bench.nft('-f', path)
    assert.equal(failure, '')
    const text = this.shown('inet full')
    this.scene.bench.nft('delete', 'table', 'inet', 'full')
    return text
  }

  /** Handles show which objects were kept. */
  handleOf(kind: string, name: string): number | undefined {
    const { nftables } = JSON.parse(this.scene.bench.nft('-j', 'list', 'table', ...table.split(' ')))
    return nftables.find((object: Record<string, { name: string }>) => object[kind]?.name === name)?.[kind].handle
  }

  async countsOf(): Promise<Record<string, number>> {
    const { counts } = await this.scene.hits()
    return Object.fromEntries(counts.map(({ origin, packets }) => [origin, packets]))
  }

  /** As if so many packets had come: the rules of a chain are written again, with a count. */
  count(name: string, ...lines: readonly (readonly [line: string, packets: number])[]): void {
    const call = (...args: string[]) => assert.equal(this.scene.bench.nft(...args), '')
    call('flush', 'chain', 'inet', 'portcullis', name)
    for (const [line, packets] of lines)
      call(
        'add',
        'rule',
        'inet',
        'portcullis',
        name,
        line.replace('counter', `counter packets ${packets} bytes ${packets}0`),
      )
  }
}

export function createSequences(title: string) {
  const { scenario, run } = createScenarios(title, bothWays)
  const scenarioOf = (what: string, work: (sequence: Sequence) => Promise<void>): void =>
    scenario(what, (scene) => work(new Sequence(scene)))
  return { scenarioOf, run }
}
