// The log: one line a call, whatever is in it, and no secrets.
// Requirement 44.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { say } from '../shared/said.ts'
import { GatewayError } from './contract/error.ts'
import { createLog } from './log.ts'

const hostile = [
  'two\nlines',
  'two\r\nlines',
  '\u0000',
  '\u001b[2J\u001b[31mred',
  '\u0085next',
  '\u009b31m',
  '\u2028line\u2029',
  '\u007f',
  '"},{"level":"info"',
  '\u0024{jndi:ldap://x}',
  '\ud800',
  '%n%s',
  '\u202eevil',
]

describe('the log', () => {
  const lines: string[] = []
  const log = createLog(
    (line) => lines.push(line),
    () => new Date(0),
  )
  const logged = (
    message: string,
    fields?: Record<string, unknown>,
  ): { line: string; parsed: Record<string, unknown> } => {
    lines.length = 0
    log('info', message, fields)
    assert.equal(lines.length, 1)
    return { line: lines[0] ?? '', parsed: JSON.parse(lines[0] ?? '') }
  }

  for (const text of hostile) {
    it(`keeps ${JSON.stringify(text)} on one line, as message, name and value`, () => {
      for (const { line, parsed } of [
        logged(text),
        logged('x', { [text]: 1 }),
        logged('x', { field: { deep: [text] } }),
      ]) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point
        assert.doesNotMatch(line.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
        assert.equal(line.at(-1), '\n')
        assert.equal(parsed.level, 'info')
      }
      const { parsed } = logged(text)
      assert.equal(parsed.message, text.toWellFormed() === text ? text : parsed.message)
    })
  }

  it('prints secrets as a mask, at any depth', () => {
    const { line } = logged('x', {
      password: 'p1',
      nested: { token: 'p2', list: [{ psw: 'p3', Cookie: 'p4' }] },
      secret: { a: 'p5' },
    })
    for (const secret of ['p1', 'p2', 'p3', 'p4', 'p5']) assert.ok(!line.includes(secret), line)
    assert.ok(line.includes('***'))
  })

  it('prints errors with their causes', () => {
    const error = new GatewayError('internal', say`outer`, { cause: new Error('inner') })
    const { parsed } = logged('failed', { error })
    const shown = parsed.error as { message: string; cause: { message: string } }
    assert.deepEqual([shown.message, shown.cause.message], ['outer', 'inner'])
  })
})
