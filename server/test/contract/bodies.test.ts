// A body is JSON whatever its type says, read in one way only; and what came in as text goes out as the same text.
// Requirements 21 and 34.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { plainText } from '../../src/core/contract/fields.ts'
import { sampleArea } from '../support/sample-area.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const seed = Number(process.env.PORTCULLIS_SEED ?? 20_260_101)

describe('a body', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway({ extraAreas: [sampleArea] })
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const types = [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;charset=utf-16',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'text/xml',
    'foo',
    ';',
    '/',
    '',
    ' ',
    'application/json\t',
    'a/b/c',
    '*/*',
    'é',
  ]
  it('is read as JSON whatever its type says, and without one', async () => {
    for (const [index, type] of types.entries()) {
      const isOn = index % 2 === 0
      const answer = await admin('PATCH', '/gather_stat/settings', { enabled: isOn }, { 'content-type': type })
      assert.equal(answer.status, 200, `${JSON.stringify(type)}: ${answer.text}`)
      assert.equal((await admin('GET', '/gather_stat/settings')).body.enabled, isOn)
    }
    assert.equal((await admin('PATCH', '/gather_stat/settings', '{"enabled":true}')).status, 200)
  })

  it('in a form or a multipart wrapping is not JSON', async () => {
    const wrapped = '--x\r\nContent-Disposition: form-data; name="enabled"\r\n\r\ntrue\r\n--x--'
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', 'enabled=true'],
      ['multipart/form-data; boundary=x', wrapped],
    ]) {
      const answer = await admin('PATCH', '/gather_stat/settings', body, { 'content-type': type ?? '' })
      assert.equal(answer.status, 400)
    }
  })

  it('in another encoding is refused', async () => {
    const { revision } = gateway.engine
    for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip']) {
      const answer = await admin('PATCH', '/gather_stat/settings', Buffer.from([0x1f, 0x8b, 8]), {
        'content-encoding': encoding,
      })
      assert.equal(answer.status, 400, encoding)
    }
    assert.equal(gateway.engine.revision, revision)
  })

  it('with a field of the prototype changes nothing and leaves no trace', async () => {
    const { revision } = gateway.engine
    for (const body of [
      '{"__proto__":{"enabled":true}}',
      '{"constructor":{"prototype":{"enabled":true}}}',
      '{"enabled":true,"enabled":false}',
      '{"\\u0065nabled":true,"enabled":false}',
    ]) {
      assert.equal((await admin('PATCH', '/gather_stat/settings', body)).status, 400, body)
    }
    assert.equal(gateway.engine.revision, revision)
    assert.equal(({} as { enabled?: unknown }).enabled, undefined)
  })

  it('gives texts back exactly as they were sent', async () => {
    const plain = new RegExp(plainText, 'u')
    const { body } = await admin('POST', '/sample/notes', { title: 'x', comment: '' })
    const text = fc.string({ unit: 'grapheme', maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(text, async (comment) => {
        const answer = await admin('PATCH', `/sample/notes/${body.id}`, { comment })
        const isPlain = plain.test(comment) && [...comment].length <= 255
        assert.equal(answer.status, isPlain ? 200 : 422, JSON.stringify(comment))
        const [note] = (await admin('GET', '/sample/notes')).body
        if (isPlain) assert.equal(note.comment, comment)
      }),
      { seed, numRuns: process.env.PORTCULLIS_NIGHTLY ? 3_000 : 150 },
    )
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    const comment = 'комментарий "😀" \\ </script> \' ; DROP TABLE items; --'
    await admin('PATCH', `/sample/notes/${body.id}`, { comment })
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.equal((await admin('GET', '/sample/notes')).body[0].comment, comment)
  })

  it('sent with a GET is not looked at', async () => {
    const { revision } = gateway.engine
    const answer = await admin('GET', '/gather_stat/settings', '{"enabled":true')
    assert.equal(answer.status, 200)
    assert.equal(gateway.engine.revision, revision)
  })
})
