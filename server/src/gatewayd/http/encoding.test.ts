import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { acceptedBy } from './encoding.ts'

describe('the coding of a reply', () => {
  const cases: readonly (readonly [header: string | undefined, made: string | null, kept: string | null])[] = [
    [undefined, null, null],
    ['', null, null],
    ['identity', null, null],
    ['gzip', 'gzip', 'gzip'],
    ['x-gzip', 'gzip', 'gzip'],
    ['GZIP', 'gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd', 'gzip'],
    ['br;q=1.0, gzip;q=0.5', 'br', 'br'],
    ['br;q=0.2 , gzip; q=0.5', 'gzip', 'gzip'],
    ['zstd;q=0.9, gzip;q=0.8', 'zstd', 'zstd'],
    ['gzip;q=0', null, null],
    ['gzip;q=0, *', 'zstd', 'zstd'],
    ['*', 'zstd', 'gzip'],
    ['*;q=0', null, null],
    ['deflate', null, null],
    ['identity;q=0.8, gzip;q=0.5', null, null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip', 'gzip'],
    ['gzip;q=many', null, null],
    ['gzip;q=2', null, null],
    [',,;q=1,', null, null],
  ]
  for (const [header, made, kept] of cases)
    it(`is ${made} or, from what is kept, ${kept} for "${header}"`, () => {
      const { coding, keptCoding } = acceptedBy(header)
      assert.deepEqual([coding, keptCoding], [made, kept])
    })

  it('is also asked for when the reply is short and plain bytes are refused', () => {
    for (const header of ['gzip, identity;q=0', 'gzip, *;q=0', 'identity;q=0']) {
      assert.ok(acceptedBy(header).refusesPlain, header)
    }
    for (const header of ['gzip', '*', 'gzip, *;q=0, identity;q=0.1', undefined]) {
      assert.ok(!acceptedBy(header).refusesPlain, String(header))
    }
  })
})
