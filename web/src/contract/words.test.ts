// Labels made from names of the wire.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dnsSettings } from '@gateway/server/contract/dns'
import type { Schema } from './schema.ts'
import { hintText, labelOf, textsOf, valueWord } from './words.ts'

test('names of the wire become labels', () => {
  assert.equal(labelOf('lease_time'), 'Lease time')
  assert.equal(labelOf('ip_address'), 'IP address')
  assert.equal(labelOf('webmail_enabled'), 'Webmail')
  assert.equal(labelOf('enabled'), 'Enabled')
  assert.equal(labelOf('mac'), 'MAC')
  assert.equal(labelOf('dst_ip'), 'Destination IP')
})

test('words of the wire become words, other texts stay', () => {
  assert.equal(valueWord('never_hit'), 'Never hit')
  assert.equal(valueWord('GET'), 'GET')
  assert.equal(valueWord(1443), '1443')
})

test('the texts of a schema are listed for the catalogs', () => {
  assert.deepEqual(textsOf(dnsSettings.show.reply as Schema), [
    'Intercept queries',
    'Answer queries that local hosts send to servers in the internet.',
  ])
})

test('hints leave out what only matters on the wire', () => {
  assert.equal(hintText({ description: 'Never returned.' }), '')
  assert.equal(hintText({ description: 'Kept in lower case.' }), 'Kept in lower case.')
  assert.equal(hintText({}), '')
})
