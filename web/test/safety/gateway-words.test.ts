// What the gateway says about packages, upgrades, conflicts, cards, the set-up, its engines, its rules and its revisions is known to the console, so that it is said in the
// language of the person. A sentence that is new on the server fails here until a page declares it.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { endpoints } from '../../../server/test/contract/contract.ts'
import { sayConflict } from '../../src/pages/health/conflict-words.ts'
import '../../src/pages/network/gateway-words.ts'
import '../../src/pages/updates/gateway-words.ts'
import '../../src/util/status-words.ts'
import { recogniseReason, wholeReasons } from '../../src/util/reason-words.ts'
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
    /^Upgrade from X1 to/,
    /^Version X1, signed .* was uploaded\.$/,
    /^The upgrade from X1 to X1 was begun\.$/,
    /^Before the upgrade/,
    /^Version X1$/,
    /^X1 did not come up/,
    /^X1: X1$/,
    // Of two units, each of which is declared by its name.
    /^X1 is X1\.$/,
    // Names of things, not sentences.
    /^X1(?: X1)+$/,
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
    'areas/updates/runs/upgrades.ts',
    'shared/files/signed-package.ts',
    'areas/updates/routes.ts',
    'areas/network/status-cards.ts',
    'areas/network/rules.ts',
    'areas/network/setup.ts',
    'areas/network/edits.ts',
    'applyd/machine/settings.ts',
    'areas/objects/runs/geoip.ts',
  ])
    it(`in ${path} are known`, () => {
      const sentences = sentencesIn(path, notShown)
      assert.deepEqual(
        sentences.filter((text) => !isKnown(text)),
        [],
      )
    })

  /** Sentences that have several forms, and what is made of others: what is really said. */
  const forms: Readonly<Record<string, readonly string[]>> = {
    // Of conflicts and checks, which have their own words.
    'X1. X1': [],
    'X1: X1': [],
    'X1: X1 X1': [],
    'X1 is not running.': [],
    'The backup of X1': [],
    'The disk is full or takes no writes: new changes are refused. X1; X1 are free.': [
      'The disk is full or takes no writes: new changes are refused. Delete backups that are not needed, or other files on the disk of the state folder; 1.0 MiB are free.',
    ],
    'X1 X1 of X1 MB; they are kept for X1.': ['1 record uses', '2 records use'].flatMap((used) =>
      ['1 day', '30 days'].map((kept) => `${used} 1 of 9 MB; they are kept for ${kept}.`),
    ),
    'X1 forward X1 resolved by other servers.': [
      '1 forward zone is resolved by other servers.',
      '2 forward zones are resolved by other servers.',
    ],
    'X1 authoritative X1 served by X1; there is no separate nsd.': [
      '1 authoritative zone is served by dns; there is no separate nsd.',
      '2 authoritative zones are served by dns; there is no separate nsd.',
    ],
    'X1 loaded.': ['1 signature is loaded.', '2 signatures are loaded.'],
    'X1 of the archive X1 X1 left out.': [
      '1 rule of the archive a is left out.',
      '2 rules of the archive a are left out.',
    ],
    'X1 lost since the start.': ['1 record was lost since the start.', '2 records were lost since the start.'],
    'Packets came faster than they could be looked at: X1.': ['1 time', '2 times'].map(
      (times) => `Packets came faster than they could be looked at: ${times}.`,
    ),
    'Since the classifier started: X1, X1 recognised.': ['1 packet', '2 packets'].flatMap((packets) =>
      ['1 connection', '2 connections'].map(
        (known) => `Since the classifier started: ${packets}, ${known} recognised.`,
      ),
    ),
    'Sent to X1 since the exporter started: X1 in X1.': ['1 flow', '2 flows'].flatMap((flows) =>
      ['1 packet', '2 packets'].map((packets) => `Sent to a since the exporter started: ${flows} in ${packets}.`),
    ),
    'Reopen it with DELETE X1.': ['1 failure', '2 failures'].flatMap((failures) =>
      ['1 address', '2 addresses'].map(
        (from) =>
          `The account a is closed to sign-in since now after ${failures} from ${from}. Reopen it with DELETE /x.`,
      ),
    ),
    'The rule never decides: X1 X1 X1 everything it matches, with a different action.': ['above', 'below'].flatMap(
      (place) => [
        `The rule never decides: rule 1 ${place} matches everything it matches, with a different action.`,
        `The rule never decides: rules 1, 2 and 3 together ${place} match everything it matches, with a different action.`,
      ],
    ),
    'The rule never decides: X1 X1 X1 everything it matches, with the same action.': ['above', 'below'].flatMap(
      (place) => [
        `The rule never decides: rule 1 ${place} matches everything it matches, with the same action.`,
        `The rule never decides: rules 1 and 2 together ${place} match everything it matches, with the same action.`,
      ],
    ),
    'The rule is redundant: X1 X1 matches everything it matches, with the same action, and no rule between them decides otherwise.':
      ['above', 'below'].map(
        (place) =>
          `The rule is redundant: rule 1 ${place} matches everything it matches, with the same action, and no rule between them decides otherwise.`,
      ),
    'The rule accepts X1 from any source to any destinationX1.': ['everything', 'every tcp port'].flatMap((what) =>
      ['', ', limited only by interface, time or device profile'].map(
        (limits) => `The rule accepts ${what} from any source to any destination${limits}.`,
      ),
    ),
    'X1: it does not X1 these connections, and later rules and the default decide about them.': [
      'The rule is not in the kernel',
      'The rule is in the kernel with its other addresses only',
    ].map(
      (where) => `${where}: it does not drop these connections, and later rules and the default decide about them.`,
    ),
  }
  const statusFiles = globSync('areas/*/status*.ts', { cwd: server }).filter((path) => !path.endsWith('.test.ts'))
  for (const path of [
    ...statusFiles.sort(),
    'core/plan/observed.ts',
    'domain/policy/hygiene.ts',
    'domain/policy/unresolved.ts',
  ])
    it(`in ${path} are known`, () => {
      // What may follow a whole sentence is one itself.
      const sentences = sentencesIn(path).map((text) => text.replace(/\.X1$/, '.'))
      assert.deepEqual(
        sentences.flatMap((text) => forms[text] ?? [text]).filter((text) => !isKnown(text)),
        [],
      )
    })

  it('that are reasons of revisions are known: each summary of a call that changes the configuration', () => {
    const summaries = new Set(
      endpoints.filter(({ effect }) => effect === 'configuration').map(({ summary }) => summary),
    )
    assert.ok(summaries.size > 300)
    const isSaid = (reason: string): boolean => {
      const found = recogniseReason(reason)
      return found ? translated.has(found.text) && translated.has(found.item) : translated.has(reason)
    }
    assert.deepEqual(
      [...summaries, ...wholeReasons].filter((reason) => !isSaid(reason)),
      [],
    )
    // What a person wrote is left alone.
    assert.equal(recogniseReason('Add a printer for the office'), null)
  })

  it('are found at all', () => {
    assert.ok(statusFiles.length > 25)
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
