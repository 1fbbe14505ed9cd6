import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sayConflict } from './conflict-words.ts'

describe('words about conflicts', () => {
  it('are those of the gateway where no catalog has others', () => {
    for (const text of [
      'Stop the program that holds the port, and what starts it.',
      'Stop the program dnsmasq (process 12), and what starts it.',
      'The rules of the table inet filter drop what passes through the gateway',
      'Remove the table by its handle, which "nft -a list tables" shows.',
    ])
      assert.equal(sayConflict(text), text)
  })
})
