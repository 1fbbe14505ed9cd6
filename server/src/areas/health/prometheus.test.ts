// Metrics as text: read back by a strict reader, whatever the labels hold.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readMetrics } from '../../../test/support/prometheus.ts'
import { printMetrics } from './prometheus.ts'

const family = (samples: Parameters<typeof printMetrics>[0][number]['samples']) =>
  printMetrics([{ name: 'a_gauge', help: 'Help.', type: 'gauge', samples }])

describe('metrics', () => {
  it('are printed with help, type and samples', () => {
    assert.equal(
      family([{ value: 1 }, { labels: { name: 'lan0' }, value: 2.5 }]),
      '# HELP a_gauge Help.\n# TYPE a_gauge gauge\na_gauge 1\na_gauge{name="lan0"} 2.5\n',
    )
  })

  it('without samples are left out', () => {
    assert.equal(family([]), '')
  })

  it('escape text that would be syntax', () => {
    const text = family([{ labels: { name: 'a"b\\c\nd 1\n# TYPE' }, value: 1 }])
    assert.equal(text.split('\n').length, 4)
    assert.match(text, /name="a\\"b\\\\c\\nd 1\\n# TYPE"/)
    readMetrics(text)
  })

  it('are read back as they were, whatever the labels hold', () => {
    const value = fc.oneof(fc.double({ noNaN: true }), fc.integer())
    const samples = fc.uniqueArray(fc.record({ text: fc.string({ unit: 'binary', maxLength: 20 }), value }), {
      selector: ({ text }) => text,
      minLength: 1,
      maxLength: 10,
    })
    fc.assert(
      fc.property(samples, (given) => {
        const text = family(given.map((one) => ({ labels: { text: one.text }, value: one.value })))
        const read = readMetrics(text).get('a_gauge')
        assert.deepEqual(
          [...(read?.samples.values() ?? [])],
          given.map((one) => one.value + 0),
        )
      }),
    )
  })

  it('with names that are not valid are a mistake of ours', () => {
    assert.throws(() => printMetrics([{ name: 'a b', help: '', type: 'gauge', samples: [{ value: 1 }] }]))
    assert.throws(() => family([{ labels: { 'a-b': '' }, value: 1 }]))
  })
})
