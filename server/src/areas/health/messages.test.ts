// The words of notifications, and that no text of a check becomes syntax of a mail.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Level, Notice } from '../../core/contract/health.ts'
import { verbatim } from '../../shared/said.ts'
import { mailOf, webhookBodyOf } from './messages.ts'

const sender = { brand: 'portcullis', hostName: 'gw1' }
const notice = (kind: Notice['kind'], level: Level, title = 'Disk'): Notice => ({
  id: 'id-1',
  number: 4,
  target: 'x',
  kind,
  change: {
    id: 'disk',
    title: verbatim(title),
    source: 'disk',
    message: verbatim('It is full.'),
    advice: verbatim('Make room.'),
    level,
    time: 1_767_225_600,
  },
})

it('a failure says what to do, a recovery does not', () => {
  assert.deepEqual(mailOf([notice('failed', 2)], sender), {
    subject: '[portcullis gw1] Failed: Disk',
    text:
      'Failed: Disk\nAt 2026-01-01T00:00:00.000Z. It is full.\nWhat to do: Make room.\n\n' +
      'This message was sent by the gateway gw1.\n',
  })
  assert.doesNotMatch(mailOf([notice('recovered', 0)], sender).text, /What to do/)
  assert.match(mailOf([notice('failed', 1)], sender).subject, /Warning: Disk$/)
})

it('several notices share one mail', () => {
  const { subject, text } = mailOf([notice('failed', 2), notice('recovered', 0, 'Memory')], sender)
  assert.equal(subject, '[portcullis gw1] Failed: Disk and 1 more')
  assert.match(text, /Failed: Disk[\s\S]*Recovered: Memory/)
})

it('a subject is one short line whatever a check is called', () => {
  const { subject } = mailOf([notice('failed', 2, `x\r\nBcc: a@example.test\u2028${'y'.repeat(500)}`)], sender)
  assert.doesNotMatch(subject, /[\r\n\u2028]/)
  assert.ok(subject.length < 200)
})

it('a webhook gets the same as data, and a test says that it is one', () => {
  assert.deepEqual(JSON.parse(webhookBodyOf([notice('failed', 2)], sender)), {
    gateway: 'gw1',
    is_test: false,
    notices: [
      {
        id: 'id-1',
        number: 4,
        kind: 'failed',
        check: 'disk',
        title: verbatim('Disk'),
        state: 'failed',
        time: 1_767_225_600,
        message: verbatim('It is full.'),
        advice: verbatim('Make room.'),
      },
    ],
  })
  assert.deepEqual(JSON.parse(webhookBodyOf([], sender)), { gateway: 'gw1', is_test: true, notices: [] })
  assert.match(mailOf([], sender).subject, /Test$/)
})
