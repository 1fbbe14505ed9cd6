// What may only become less: functions over the limit of lines, and casts that the compiler cannot check.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const repository = join(import.meta.dirname, '..', '..', '..')
const files = globSync('{server/src,web/src,bench,scripts}/**/*.{ts,tsx,mjs}', { cwd: repository })
  .filter((path) => !/\.test\.tsx?$|\/stand-ins\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(repository, path), 'utf8') }))

const countIn = (list: typeof files, form: RegExp): number =>
  list.reduce((sum, { text }) => sum + (text.match(form)?.length ?? 0), 0)

/** `[] as number[]` names the type of an empty list and claims nothing. */
const numberCast = /\bas number\b(?!\[| \|)/g
const unknownCast = /\bas unknown as\b/g

/** Where numbers are read by their index in loops over many; elsewhere a cast to number has its own reason beside it. */
const loops: readonly { readonly folder: string; readonly why: string; readonly now: number }[] = [
  {
    folder: 'server/src/shared/net/',
    why: 'ranges of addresses are pairs of numbers, read up to their length',
    now: 36,
  },
  {
    folder: 'server/src/domain/policy/',
    why: 'tens of thousands of rules are numbers in lists of one length',
    now: 90,
  },
  { folder: 'server/src/domain/web-filter/', why: 'millions of entries are typed arrays of one length', now: 91 },
  { folder: 'server/src/gatewayd/logs/store/', why: 'columns of records are typed arrays of one length', now: 89 },
]
const isInLoops = (path: string): boolean => loops.some(({ folder }) => path.startsWith(folder))

/** Exported functions with variables that change, functions over them, and an object of those as their result. */
function closuresIn(text: string): number {
  const begins = [...text.matchAll(/^export (?:async )?function \w+\(/gm)].map(({ index }) => index)
  const bodies = begins.map((begin) => text.slice(begin, text.indexOf('\n}\n', begin)))
  const marks = [/^ {2}let /m, /^ {2}(?:(?:async )?function |const \w+ = (?:async )?\()/m, /^ {2}return \{/m]
  return bodies.filter((body) => marks.every((mark) => mark.test(body))).length
}

/** How many there are now. Lower a number with the code; a change that needs more says why in its commit. */
const budgets: readonly { readonly what: string; readonly found: number; readonly now: number }[] = [
  {
    // biome.json has the limit; each exception says its reason where it is.
    what: 'functions of more than 80 lines',
    found: countIn(files, /biome-ignore lint\/complexity\/noExcessiveLinesPerFunction/g),
    now: 0,
  },
  {
    // Functions that keep changing state in their variables and return functions over it: they should be classes.
    what: 'closures that are classes',
    found: files.reduce((sum, { path, text }) => sum + (path.startsWith('server/') ? closuresIn(text) : 0), 0),
    now: 46,
  },
  { what: 'casts through unknown', found: countIn(files, unknownCast), now: 27 },
  ...loops.map(({ folder, why, now }) => ({
    what: `casts to number in ${folder} (${why})`,
    found: countIn(
      files.filter(({ path }) => path.startsWith(folder)),
      numberCast,
    ),
    now,
  })),
]

/** Lines with a cast whose reason is not in the lines before it, which begins with `Cast:`. */
function withoutReason({ path, text }: (typeof files)[number]): string[] {
  const form = isInLoops(path) ? unknownCast : new RegExp(`${numberCast.source}|${unknownCast.source}`, 'g')
  return [...text.matchAll(form)]
    .map(({ index }) => text.slice(0, index).split('\n'))
    .filter((before) => !before.slice(-8).some((line) => line.includes('Cast: ')))
    .map((before) => `${path}:${before.length}`)
}

describe('budgets', () => {
  for (const { what, found, now } of budgets)
    it(`${what}: ${now}, and never more`, () => {
      assert.ok(found <= now, `there are ${found}`)
      assert.ok(found === now, `there are ${found} only: lower the budget`)
    })

  it('say the reason of every cast where it is', () => {
    assert.deepEqual(files.flatMap(withoutReason), [])
  })

  it('members of Services: at most 20; an area offers the rest by name', () => {
    const handle = readFileSync(join(repository, 'server/src/core/area/handle.ts'), 'utf8')
    const [, body = ''] = /^export interface Services \{\n([\s\S]*?)^\}/m.exec(handle) ?? []
    const members = body.match(/^ {2}readonly \w+\??:/gm) ?? []
    assert.ok(members.length > 10 && members.length <= 20, `there are ${members.length}`)
  })
})
