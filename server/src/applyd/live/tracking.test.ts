// The table of connections as applyd passes it on: limited, in whole lines, and with the reason when it does not exist.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Context } from '../context.ts'
import { readSessions } from './tracking.ts'

describe('the table of connections', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tracking-'))
    for (const name of ['acct', 'timestamp']) writeFileSync(join(folder, name), '1\n')
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const tracking = () => ({
    table: join(folder, 'table'),
    switches: ['acct', 'timestamp'].map((name) => join(folder, name)),
  })
  const read = (more: Partial<Context> = {}) =>
    readSessions({ plane: 'lab', limitation: null, tables: { tracking: tracking() }, ...more } as Context)

  it('is given as it is', async () => {
    writeFileSync(join(folder, 'table'), 'ipv4 one\nipv4 two\n')
    assert.deepEqual(await read(), { text: 'ipv4 one\nipv4 two\n', isCut: false, isCounting: true, limitation: null })
  })

  it('is cut after a whole line when it is too long', async () => {
    const line = `ipv4 ${'x'.repeat(1000)}\n`
    writeFileSync(join(folder, 'table'), line.repeat(10_000))
    const { text, isCut } = await read()
    assert.ok(isCut)
    assert.ok(text.length <= 8 * 1024 * 1024 + 64 * 1024 && text.length > 8 * 1024 * 1024 - line.length)
    assert.ok(text.endsWith(line))
  })

  it('that does not exist is reported with the reason', async () => {
    const { text, isCounting, limitation } = await read()
    assert.deepEqual([text, isCounting], ['', false])
    assert.match(limitation ?? '', /does not show the connections it tracks \(no such file or directory\)/)
  })

  it('is not looked for where no traffic is carried', async () => {
    writeFileSync(join(folder, 'table'), 'ipv4 one\n')
    const { text, limitation } = await read({ plane: 'none', limitation: 'no namespaces here' })
    assert.deepEqual([text, limitation], ['', 'No traffic passes here: no namespaces here.'])
  })

  it('shows when nothing is counted, which is not a fault', async () => {
    writeFileSync(join(folder, 'table'), '')
    rmSync(join(folder, 'acct'))
    assert.equal((await read()).isCounting, false)
  })
})
