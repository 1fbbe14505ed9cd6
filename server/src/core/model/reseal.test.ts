// Sealing again reaches every secret, at any depth, with the place it belongs to, and nothing else.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resealAll } from './reseal.ts'

describe('sealing again', () => {
  it('names the place of every secret', () => {
    const places: string[] = []
    const config = {
      'a.list': [
        { id: 'x', secret: { sealed: '1' }, deep: { inner: { sealed: '2' }, other: 'text' } },
        { id: 7, secret: { sealed: '3' }, none: null, list: [1, 2] },
      ],
      'b.single': { token: { sealed: '4' }, nested: { registration: { token: { sealed: '5' } } } },
      'c.plain': { enabled: true },
    }
    const next = resealAll(config, (secret, place) => {
      places.push(`${place}=${secret.sealed}`)
      return { sealed: `new ${secret.sealed}` }
    })
    assert.deepEqual(places, [
      'a.list/x/secret=1',
      'a.list/x/deep.inner=2',
      'a.list/7/secret=3',
      'b.single//token=4',
      'b.single//nested.registration.token=5',
    ])
    assert.deepEqual(JSON.parse(JSON.stringify(next).replaceAll('new ', '')), config)
    assert.deepEqual(config['b.single'].token, { sealed: '4' }, 'the old value is left alone')
  })
})
