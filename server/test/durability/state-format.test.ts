// The number of the state's format, by which a package refuses to install a version that could not read the state: it must rise
// with everything that an older version would refuse.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import { migrations } from '../../src/database/migrations.ts'
import { noteStateFormat, stateFormat } from '../../src/database/state-format.ts'
import { versionOf } from '../../src/model/slots.ts'

/** What each format is made of. A new line for each; those that a release has written are never changed. */
const formats: Readonly<Record<number, { readonly migrations: number; readonly versions: Record<string, number> }>> = {
  1: { migrations: 9, versions: {} },
}

const slots = areas.flatMap((area) => area.slots)

describe('the format of the state', () => {
  it('rises with every migration and every upgrade step of a slot', () => {
    const upgraded = slots.filter((slot) => versionOf(slot) > 1).map((slot) => [slot.key, versionOf(slot)])
    const now = { migrations: migrations.length, versions: Object.fromEntries(upgraded) }
    assert.deepEqual(formats[stateFormat], now, 'raise stateFormat by one and add a line to this test')
  })

  it('is the newest of those that are listed', () => {
    assert.equal(stateFormat, Math.max(...Object.keys(formats).map(Number)))
  })
})

describe('the note of the format', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-format-'))
  const path = join(folder, 'format')
  after(() => rmSync(folder, { recursive: true }))
  const noted = (): string => readFileSync(path, 'utf8')

  it('is one number that only its owner reads', () => {
    noteStateFormat(folder)
    assert.equal(noted(), `${stateFormat}\n`)
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it('never falls', () => {
    noteStateFormat(folder, 12)
    noteStateFormat(folder, 3)
    assert.equal(noted(), '12\n')
  })

  it('replaces what is not a number, and does not write through a link', () => {
    const elsewhere = join(folder, 'elsewhere')
    writeFileSync(elsewhere, 'other')
    rmSync(path)
    symlinkSync(elsewhere, path)
    noteStateFormat(folder, 4)
    assert.equal(noted(), '4\n')
    assert.equal(readFileSync(elsewhere, 'utf8'), 'other')
  })
})
