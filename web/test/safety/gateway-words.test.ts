// What the gateway says about packages, upgrades, conflicts, cards and the set-up is known to the console, so that it is said in the
// language of the person. A sentence that is new on the server fails here until a page declares it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sayConflict } from '../../src/pages/health/conflict-words.ts'
import '../../src/pages/network/gateway-words.ts'
import '../../src/pages/updates/gateway-words.ts'
import { recognise } from '../../src/words.ts'
import { readEntries } from '../support/catalogs.ts'

const server = join(import.meta.dirname, '..', '..', '..', 'server', 'src')
const translated = new Set(readEntries('ru').map(({ text }) => text))

const literal = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g
/** A sentence begins with a capital letter or a value and ends with a full stop or with a value. */
const isSentence = (text: string): boolean =>
  /^[A-Z]/.test(text) && / /.test(text) && /(?:[a-z\d)]\.|X1)$/.test(text) && !/[<>|=\n]/.test(text)

/** What a file says, with a word in the place of each value. */
function sentencesIn(path: string, skipped: readonly RegExp[] = []): string[] {
  const code = readFileSync(join(server, path), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  return [...code.matchAll(literal)]
    .map(([, plain, filled]) => plain ?? filled ?? '')
    .map((text) => text.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'X1'))
    .filter((text) => isSentence(text) && !skipped.some((one) => one.test(text)))
}

const isKnown = (text: string): boolean => translated.has(text) || recognise(text) !== null

describe('sentences of the gateway', () => {
  /** Lines of the journal of the machine and of the audit trail, the title of a backup, and parts of sentences. */
  const notShown = [
    ...[/^Upgrade from X1 to/, /^Version X1, signed .* was uploaded\.$/, /^The upgrade from X1 to X1 was begun\.$/],
    ...[/^Before the upgrade/, /^Version X1$/, /^X1 did not come up/, /^X1: X1$/],
    // Of two units, each of which is declared by its name.
    /^X1 is X1\.$/,
  ]
  for (const path of [
    'upgrade/judge.ts',
    'upgrade/keep.ts',
    'upgrade/places.ts',
    'upgrade/program.ts',
    'upgrade/take.ts',
    'upgrade/undo.ts',
    'upgrade/watch.ts',
    'applyd/machine/upgrade.ts',
    'runtime/upgrades/upgrades.ts',
    'files/signed-package.ts',
    'areas/updates/routes.ts',
    'areas/network/status-cards.ts',
    'areas/network/rules.ts',
    'areas/network/setup.ts',
    'areas/network/edits.ts',
  ])
    it(`in ${path} are known`, () => {
      const sentences = sentencesIn(path, notShown)
      assert.deepEqual(
        sentences.filter((text) => !isKnown(text)),
        [],
      )
    })

  it('are found at all', () => {
    assert.ok(sentencesIn('upgrade/program.ts').length > 10)
    assert.ok(sentencesIn('areas/network/rules.ts').length > 20)
  })

  it('hold others inside of them', () => {
    const found = recognise(
      'Version 2 was taken back, and 1 is in use again. The new version did not come up: portcullis-gatewayd.service is activating. It was restarted 20 times.',
    )
    assert.deepEqual(found?.values.to, '2')
    const inner = recognise(String(found?.values.why))
    assert.equal(inner?.text, 'The new version did not come up: {missing}')
    const last = recognise(String(inner?.values.missing))
    assert.deepEqual(last, {
      text: '{missing} It was restarted {count} times.',
      values: { missing: 'portcullis-gatewayd.service is activating.', count: '20' },
    })
  })

  it('that are not known stay as they are', () => {
    assert.equal(recognise('The moon is full.'), null)
    assert.equal(recognise(`Version ${'9'.repeat(3_000)} was not installed. Why.`), null)
    assert.equal(sayConflict('The moon is full.'), 'The moon is full.')
  })
})
