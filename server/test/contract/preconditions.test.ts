// ETag, If-None-Match and If-Match: an unchanged answer is not sent again, a change someone else overtook is refused, and
// HEAD reports what GET would.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { sampleArea } from '../support/sample-area.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { endpoints, fillPath } from './contract.ts'

const shownSlots = areas
  .flatMap((area) => area.routes)
  .filter((route) => route.slot && route.endpoint.effect === 'read')
  .map((route) => route.endpoint)

describe('preconditions', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway({ extraAreas: [sampleArea] })
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const tagOf = async (url: string): Promise<string> => String((await admin('GET', url)).headers.etag)

  for (const endpoint of shownSlots) {
    it(`${nameOf(endpoint)} is not sent again while it is unchanged`, async () => {
      const tag = await tagOf(endpoint.path)
      assert.match(tag, /^"[a-z0-9._]+-\d+"$/)
      const again = await admin('GET', endpoint.path, undefined, { 'if-none-match': tag })
      assert.equal(again.status, 304)
      assert.equal(again.text, '')
      assert.equal(again.headers.etag, tag)
      for (const other of ['"x"', '', tag.replace('"', ''), tag.replace(/\d+/, '999')]) {
        assert.equal((await admin('GET', endpoint.path, undefined, { 'if-none-match': other })).status, 200, other)
      }
    })
  }

  it('a tag does not hide a wrong parameter, a missing session or a missing right', async () => {
    const tag = await tagOf('/web/admins/local')
    const headers = { 'if-none-match': tag }
    assert.equal((await admin('GET', '/web/admins/local?format_type=XML', undefined, headers)).status, 422)
    assert.equal((await (await gateway.client(null))('GET', '/web/admins/local', undefined, headers)).status, 401)
    const viewer = await gateway.client('predefined_reports_view')
    assert.equal((await viewer('GET', '/web/admins/local', undefined, headers)).status, 403)
  })

  it('a change gives the new tag, and only what it touched gets one', async () => {
    const [settings, state] = [await tagOf('/firewall/settings'), await tagOf('/firewall/state')]
    const changed = await admin('PATCH', '/firewall/settings', { log_mode: 'all' })
    assert.notEqual(changed.headers.etag, settings)
    assert.equal(changed.headers.etag, await tagOf('/firewall/settings'))
    assert.equal(changed.headers['portcullis-revision'], String(gateway.engine.revision))
    assert.equal(await tagOf('/firewall/state'), state)
  })

  it('a change made on an old copy is refused, on the newest one done', async () => {
    const tag = await tagOf('/firewall/settings')
    assert.equal(
      (await admin('PATCH', '/firewall/settings', { log_mode: 'selected' }, { 'if-match': tag })).status,
      200,
    )
    const { revision } = gateway.engine
    const late = await admin('PATCH', '/firewall/settings', { log_mode: 'nothing' }, { 'if-match': tag })
    assert.equal(late.status, 412)
    assert.equal(late.body.code, 'precondition_failed')
    assert.equal(gateway.engine.revision, revision)
    const fresh = { 'if-match': await tagOf('/firewall/settings') }
    assert.equal((await admin('PATCH', '/firewall/settings', { log_mode: 'nothing' }, fresh)).status, 200)
  })

  it('tags that were never ours, or are of something else, match nothing', async () => {
    const tag = await tagOf('/firewall/settings')
    const state = await tagOf('/firewall/state')
    const { revision } = gateway.engine
    for (const wrong of [
      '"x"',
      '',
      'x',
      state,
      `W/${tag}`,
      `${tag}, "y"`,
      tag.slice(1),
      `${tag}0`,
      '"firewall.settings-"',
      '"firewall.settings--1"',
    ]) {
      const answer = await admin('PATCH', '/firewall/settings', { log_mode: 'all' }, { 'if-match': wrong })
      assert.equal(answer.status, 412, JSON.stringify(wrong))
    }
    const revert = await admin('POST', `/config/revisions/${revision - 1}/revert`, undefined, { 'if-match': tag })
    assert.equal(revert.status, 412, 'a call without a tag of its own')
    assert.equal(gateway.engine.revision, revision)
    assert.equal((await admin('PATCH', '/firewall/settings', { log_mode: 'all' }, { 'if-match': '*' })).status, 200)
  })

  it('hold for dry runs as well', async () => {
    const answer = await admin(
      'PATCH',
      '/firewall/settings?dry_run=true',
      { log_mode: 'nothing' },
      { 'if-match': '"old"' },
    )
    assert.equal(answer.status, 412)
  })

  it('of two writers with the same copy, one is refused', async () => {
    const tag = await tagOf('/sample/settings')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        admin('PATCH', '/sample/settings', { limit: 100 + index }, { 'if-match': tag }),
      ),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
    assert.equal(answers.filter((answer) => answer.status === 412).length, 19)
  })

  it('a tag stays what it is across a restart', async () => {
    const tags = await Promise.all(shownSlots.map((endpoint) => tagOf(endpoint.path)))
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await Promise.all(shownSlots.map((endpoint) => tagOf(endpoint.path))), tags)
  })

  it('HEAD answers as GET would, without the body', async () => {
    for (const endpoint of endpoints.filter((candidate) => candidate.method === 'GET')) {
      const url = fillPath(endpoint.path)
      const [get, head] = [await admin('GET', url), await admin('HEAD', url)]
      assert.equal(head.status, get.status, url)
      const names = ['content-type', 'etag', 'cache-control']
      assert.deepEqual(
        names.map((name) => head.headers[name]),
        names.map((name) => get.headers[name]),
        url,
      )
      if (get.status === 200 && !endpoint.path.startsWith('/journal')) {
        assert.equal(head.headers['content-length'], get.headers['content-length'], url)
        assert.equal(head.text, '', url)
      }
    }
  })

  it('a reason is one line of at most 255 characters, and is kept with the revision', async () => {
    const latin1 = (text: string): string => Buffer.from(text).toString('latin1')
    let limit = 500
    for (const reason of ['why', 'ж'.repeat(255), '😀'.repeat(255), '"<&\\']) {
      const headers = { 'portcullis-reason': latin1(reason) }
      assert.equal((await admin('PATCH', '/sample/settings', { limit: ++limit }, headers)).status, 200)
      assert.equal((await admin('GET', '/config/revisions?limit=1')).body[0].reason, reason)
    }
    for (const reason of ['', 'a'.repeat(256), latin1('a\u0085b'), latin1('a\u2028b'), 'a\tb']) {
      const answer = await admin('PATCH', '/sample/settings', { limit: 1 }, { 'portcullis-reason': reason })
      assert.equal(answer.status, 422, JSON.stringify(reason))
      assert.equal(answer.body.problems[0].field, 'Portcullis-Reason')
    }
  })

  it('a time to confirm is a whole number of seconds from 1 to 3600', async () => {
    for (const seconds of ['0', '-1', '3601', '1.5', '1e3', '', 'x', ' 5', '5 s', '99999', '9'.repeat(20)]) {
      const answer = await admin('PATCH', '/sample/settings', { limit: 2 }, { 'portcullis-confirm-within': seconds })
      assert.equal(answer.status, 422, seconds)
      assert.equal(answer.body.problems[0].field, 'Portcullis-Confirm-Within')
    }
    for (const [seconds, limit] of [
      ['1', 601],
      ['3600', 602],
    ] as const) {
      const answer = await admin('PATCH', '/sample/settings', { limit }, { 'portcullis-confirm-within': seconds })
      assert.equal(answer.status, 200)
      const until = new Date(gateway.clock.now().getTime() + Number(seconds) * 1000).toISOString()
      assert.equal(answer.headers['portcullis-confirm-before'], until)
      assert.equal((await admin('POST', '/config/confirm')).status, 200)
    }
  })
})
