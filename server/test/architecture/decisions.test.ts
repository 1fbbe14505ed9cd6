// docs/decisions: every record is where one would look for it, what no longer holds says so, and files it names are there.

import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'

const repository = join(import.meta.dirname, '..', '..', '..')
const sources = join(repository, 'server', 'src')
const folder = join(repository, 'docs', 'decisions')

interface DecisionRecord {
  readonly name: string
  readonly number: number
  readonly title: string
  readonly text: string
  /** Sentences of its status; empty where it has none, which means accepted. */
  readonly status: readonly string[]
}

function readRecord(name: string): DecisionRecord {
  const text = readFileSync(join(folder, name), 'utf8')
  const [title = ''] = text.split('\n')
  const [status = ''] = /^Status: (?:.+\n)+/m.exec(text) ?? []
  return {
    name,
    number: Number(name.slice(0, 4)),
    title: title.replace('# ', ''),
    text,
    status:
      status === ''
        ? []
        : status
            .trim()
            .replaceAll('\n', ' ')
            .split(/\. (?=\S)/),
  }
}

const records = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .sort()
  .map(readRecord)
const index = readFileSync(join(folder, 'README.md'), 'utf8')
const entries = index.split('\n').filter((line) => line.startsWith('- ['))

const linked = (text: string): number[] =>
  [...text.matchAll(/\[(?:decision )?(\d+)\]\(0/g)].map(([, number]) => Number(number))
const supersededBy = ({ status }: DecisionRecord): number[] =>
  status.filter((sentence) => sentence.includes('superseded')).flatMap(linked)
const isWhollySuperseded = ({ status }: DecisionRecord): boolean => status[0]?.startsWith('Status: superseded') ?? false

describe('decisions', () => {
  it('have numbers without gaps, the same in their name and in their title, and a date', () => {
    assert.deepEqual(
      records.map(({ number }) => number),
      records.map((_, place) => place + 1),
    )
    for (const { name, number, title, text } of records) {
      assert.ok(title.startsWith(`${number}. `), `${name}: begin with "# ${number}. "`)
      assert.match(text, /^# .+\n\n\d{4}-\d\d-\d\d\n/, `${name}: the date is the line below the title`)
    }
  })

  it('are each in the index once, under their title', () => {
    const missing = records
      .map(({ name, title }) => ({ line: `- [${title}](${name})`, name }))
      .filter(({ line, name }) => {
        const own = entries.filter((entry) => entry.includes(`](${name})`))
        return own.length !== 1 || !own[0]?.startsWith(line)
      })
      .map(({ line }) => line)
    assert.deepEqual(
      missing,
      [],
      'docs/decisions/README.md needs each of these lines once, below the heading that fits',
    )
    assert.equal(entries.length, records.length, 'the index has a line without a record')
  })

  it('link to records by their number', () => {
    const links = [...records.map(({ name, text }) => ({ name, text })), { name: 'README.md', text: index }].flatMap(
      ({ name, text }) =>
        [...text.matchAll(/\[(?:decision )?(\d+)[^\]]*\]\((\d{4}-[^)]*)\)/g)].map(([link, number, target = '']) => ({
          place: `${name}: ${link}`,
          isRight: existsSync(join(folder, target)) && Number(number) === Number(target.slice(0, 4)),
        })),
    )
    assert.ok(links.length > records.length)
    assert.deepEqual(
      links.filter(({ isRight }) => !isRight).map(({ place }) => place),
      [],
    )
  })

  it('that are superseded name the newer record, and the index says so', () => {
    for (const record of records) {
      const { name, number, status } = record
      for (const sentence of status.filter((one) => one.includes('superseded'))) {
        const newer = linked(sentence)
        assert.ok(newer.length > 0, `${name}: link the newer record as [decision N](file) in "${sentence}"`)
        assert.ok(
          newer.every((other) => other > number),
          `${name}: only a newer record can supersede it`,
        )
      }
      const entry = entries.find((line) => line.includes(`](${name})`)) ?? ''
      const [, marked = ''] = /[Ss]uperseded by ([\d, ]+)/.exec(entry) ?? []
      const numbers = [...marked.matchAll(/\d+/g)].map(([found]) => Number(found))
      const newer = supersededBy(record)
      assert.equal(
        numbers.length > 0,
        newer.length > 0,
        `${name}: the status and the index differ about "superseded by"`,
      )
      assert.ok(
        numbers.every((other) => newer.includes(other)),
        `${name}: the index names a record that the status does not`,
      )
    }
  })

  it('that supersede another are named in its status', () => {
    const unnamed = records.flatMap((record) =>
      record.status
        .filter((sentence) => sentence.includes('Supersedes'))
        .flatMap(linked)
        .filter((older) => !records.some((one) => one.number === older && supersededBy(one).includes(record.number)))
        .map((older) => `decision ${older} does not say that decision ${record.number} supersedes it`),
    )
    assert.deepEqual(unnamed, [])
  })

  it('name files that are there, from the repository or from server/src', () => {
    const roots = [...readdirSync(sources), 'server', 'web', 'docs', 'scripts', 'bench', 'deploy']
    const names = new Set(
      globSync('{server,web/src,web/test,scripts,bench}/**/*.{ts,tsx,mjs,pl}', { cwd: repository }).map((path) =>
        basename(path),
      ),
    )
    const isPath = (text: string): boolean =>
      /^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(text) &&
      ((text.includes('/') && roots.includes(text.split('/')[0] ?? '')) || /\.(?:tsx?|mjs|pl)$/.test(text))
    const isThere = (path: string): boolean =>
      path.includes('/') ? [repository, sources].some((root) => existsSync(join(root, path))) : names.has(path)
    const wrong = records
      .filter((record) => !isWhollySuperseded(record))
      .flatMap(({ name, text }) =>
        [...text.matchAll(/`([^`\n]+)`/g)]
          .map(([, quoted = '']) => quoted)
          .filter((quoted) => isPath(quoted) && !isThere(quoted))
          .map((quoted) => `${name}: ${quoted}`),
      )
    assert.deepEqual(wrong, [])
  })
})
