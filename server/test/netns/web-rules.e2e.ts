// Conditions of content rules by real requests: methods, types and files, every form of entry of a user category, categories of
// all kinds, times, users, safe search and exclusions.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { client, otherClient } from '../support/firewall-lab.ts'
import { until } from '../support/until.ts'
import { type WebAsk, WebClient } from '../support/web-client.ts'
import { type NewRule, namelessAddress, siteAddress, WebLab } from '../support/web-lab.ts'
import { readWebJournal } from '../support/web-lines.ts'

const all = 'special.id.1'

describe('rules of the content filter', () => {
  let lab: WebLab
  let asker: WebClient
  before(async () => {
    lab = await WebLab.start()
    await lab.filter(true)
    await until('there is a category database', async () => {
      return (await lab.api.ok('GET', '/content-filter/database')).state === 'ready'
    })
    asker = new WebClient(lab.gateway.stateDir)
  })
  after(async () => {
    await asker.close()
    await lab.stop()
  })
  beforeEach(() => lab.forget())

  const status = async (url: string, fields: Partial<WebAsk> = {}): Promise<number> => {
    const answer = await asker.ask({ url, address: siteAddress, ...fields })
    return answer.status === 0 ? assert.fail(`${url}: ${answer.fault}`) : answer.status
  }
  /** All of them, and what differs is told at once. */
  const expect = async (cases: readonly (readonly [string, number, Partial<WebAsk>?])[]): Promise<void> => {
    const got: string[] = []
    for (const [url, , fields] of cases) got.push(`${await status(url, fields)} ${shown(url, fields)}`)
    assert.deepEqual(
      got,
      cases.map(([url, wanted, fields]) => `${wanted} ${shown(url, fields)}`),
    )
  }
  const shown = (url: string, fields: Partial<WebAsk> = {}) => `${url} ${JSON.stringify(fields)}`
  const deny = (categories: readonly string[], fields: Partial<NewRule> = {}): NewRule => ({
    categories,
    access: 'deny',
    ...fields,
  })
  /** The proxy reads its settings again, and takes no connections in the meantime. */
  const switchSafeSearch = async (enabled: boolean): Promise<void> => {
    await lab.api.ok('PATCH', '/proxy_backend/safe_search', { enabled })
    await lab.answers()
  }
  const decrypt: NewRule = { categories: [all], access: 'bump' }

  it('name methods', async () => {
    await lab.setRules(decrypt, deny([all], { http_methods: ['POST', 'DELETE'] }))
    for (const scheme of ['http', 'https'])
      await expect([
        [`${scheme}://a.sites.test/`, 200],
        [`${scheme}://a.sites.test/`, 403, { method: 'POST', body: 10 }],
        [`${scheme}://a.sites.test/`, 403, { method: 'DELETE' }],
        [`${scheme}://a.sites.test/`, 200, { method: 'PUT', body: 10 }],
        [`${scheme}://a.sites.test/`, 200, { method: 'HEAD' }],
        [`${scheme}://a.sites.test/`, 200, { method: 'PATCH', body: 1 }],
      ])
  })

  it('name types of replies and of what is sent', async () => {
    await lab.setRules(decrypt, deny([all], { content_types: ['video/mp4', 'Image/*'] }))
    const typed = (scheme: string, type: string) => `${scheme}://a.sites.test/?type=${encodeURIComponent(type)}`
    for (const scheme of ['http', 'https'])
      await expect([
        [typed(scheme, 'text/plain'), 200],
        [typed(scheme, 'video/mp4'), 403],
        [typed(scheme, 'VIDEO/MP4'), 403],
        [typed(scheme, 'video/mp4; codecs="a, b"'), 403],
        [typed(scheme, 'text/plain, video/mp4'), 403],
        [typed(scheme, 'video/mp4, text/plain'), 403],
        [typed(scheme, 'video/mp4v'), 200],
        [typed(scheme, 'image/png'), 403],
        [typed(scheme, 'image/svg+xml;charset=utf-8'), 403],
        [typed(scheme, 'text/plain'), 403, { method: 'POST', body: 3, headers: { 'content-type': 'image/png' } }],
        [typed(scheme, 'text/plain'), 200, { method: 'POST', body: 3, headers: { 'content-type': 'text/csv' } }],
      ])
    await lab.setRules(
      { categories: [all], access: 'redirect', redirect_url: 'http://b.sites.test/', content_types: ['text/css'] },
      { categories: [all], access: 'allow', content_types: ['text/plain'] },
      deny([all]),
    )
    await expect([
      [typed('http', 'text/css'), 302],
      [typed('http', 'text/plain'), 200],
      [typed('http', 'text/plain, text/html'), 403],
      [typed('http', 'text/html'), 403],
    ])
  })

  it('send nothing to a site when every outcome is to deny', async () => {
    await lab.setRules(deny([all], { content_types: ['video/mp4'] }), deny([all]))
    await expect([['http://a.sites.test/', 403, { method: 'POST', body: 3 }]])
    assert.deepEqual((await lab.seen()).requests, [])
  })

  it('name groups of files, by the end of the name and by the type', async () => {
    await lab.setRules(decrypt, deny(['files.id.1', 'files.id.8']))
    for (const scheme of ['http', 'https'])
      await expect([
        [`${scheme}://a.sites.test/setup.exe`, 403],
        [`${scheme}://a.sites.test/SETUP.EXE?x=1`, 403],
        [`${scheme}://a.sites.test/setup%2Eexe`, 403],
        [`${scheme}://a.sites.test/report.pdf`, 403],
        [`${scheme}://a.sites.test/?file=setup.exe`, 200],
        [`${scheme}://a.sites.test/setup.exe/notes`, 200],
        [`${scheme}://a.sites.test/get?type=application/x-msdownload`, 403],
        [`${scheme}://a.sites.test/get?type=Application/PDF`, 403],
        [`${scheme}://a.sites.test/a.zip`, 200],
      ])
  })

  it('find every form of entry of a user category, and the most specific one', async () => {
    const entries = [
      '198.51.100.30',
      'one.sites.test',
      '*.two.sites.test',
      'https://three.sites.test/',
      'http://four.sites.test',
      'five.sites.test/home',
      'пример.sites.test',
      'http://six.sites.test:80',
      'http://seven.sites.test:81',
    ]
    const listed = await lab.addCategory('Listed', entries)
    await lab.addCategory('In no rule', ['sub.one.sites.test', 'deep.two.sites.test', 'five.sites.test/home/free'])
    await lab.setRules(deny([listed]))
    await expect([
      [`http://${siteAddress}/`, 403],
      [`http://${namelessAddress}/`, 200, { address: namelessAddress }],
      ['http://one.sites.test/', 403],
      ['http://ONE.Sites.test/', 403],
      ['http://one.sites.test./', 403],
      ['http://a.one.sites.test/any?x', 403],
      ['http://a.b.one.sites.test/', 403],
      ['http://xone.sites.test/', 200],
      ['http://sub.one.sites.test/', 200],
      ['http://a.sub.one.sites.test/', 200],
      ['http://two.sites.test/', 200],
      ['http://a.two.sites.test/', 403],
      ['http://deep.two.sites.test/', 200],
      ['http://three.sites.test/', 200],
      ['https://three.sites.test/', 403],
      ['http://four.sites.test/x', 403],
      ['https://four.sites.test/x', 200],
      ['http://five.sites.test/', 200],
      ['http://five.sites.test/home', 403],
      ['http://five.sites.test/%68ome', 403],
      ['http://five.sites.test/home?x=1', 403],
      ['http://five.sites.test/home/b', 403],
      ['http://five.sites.test/home/free', 200],
      ['http://five.sites.test/homestead', 200],
      ['https://five.sites.test/home', 200],
      ['http://xn--e1afmkfd.sites.test/', 403],
      ['https://xn--e1afmkfd.sites.test/', 403],
      ['http://six.sites.test/', 403],
      ['https://six.sites.test/', 200],
      ['http://seven.sites.test/', 200],
    ])
    await lab.setRules(decrypt, deny([listed]))
    await expect([
      ['https://five.sites.test/home', 403],
      ['https://five.sites.test/', 200],
    ])
    // The proxy does not find addresses in certificates, so it refuses what it would have to decrypt.
    assert.notEqual(await status(`https://${siteAddress}/`), 200)
  })

  it('know what is categorized, what is not, and what is asked by address', async () => {
    const known = await lab.addCategory('Known', ['known.sites.test'])
    const ask = async () => [
      await status('http://known.sites.test/'),
      await status('http://unknown.sites.test/'),
      await status(`http://${namelessAddress}/`, { address: namelessAddress }),
      await status('https://known.sites.test/'),
      await status('https://unknown.sites.test/'),
    ]
    await lab.setRules(deny([all]))
    assert.deepEqual(await ask(), [403, 403, 403, 403, 403])
    await lab.setRules(deny(['special.id.2']))
    assert.deepEqual(await ask(), [403, 200, 200, 403, 200])
    await lab.setRules(deny(['special.id.3']))
    assert.deepEqual(await ask(), [200, 403, 403, 200, 403])
    await lab.setRules(deny(['special.id.4']))
    assert.deepEqual(await ask(), [200, 200, 403, 200, 200])
    await lab.setRules({ categories: [known], access: 'allow' }, deny([all]))
    assert.deepEqual(await ask(), [200, 403, 403, 200, 403])
  })

  it('name topics only while they are switched on', async () => {
    const topics = (await lab.api.ok('GET', '/content-filter/categories')) as { id: string; name: string }[]
    const alcohol = topics.find(({ name }) => name === 'Alcohol')?.id ?? ''
    await lab.setRules(deny([alcohol]))
    for (const isOn of [true, false]) {
      await lab.api.ok('PATCH', '/content-filter/settings', { enabled_extended_categorizer: isOn })
      await expect([
        ['http://alcohol.category.example/', isOn ? 403 : 200],
        ['https://alcohol.category.example/', isOn ? 403 : 200],
        ['http://category.example/alcohol/beer', isOn ? 403 : 200],
        ['http://category.example/', 200],
      ])
    }
  })

  it('deny posting in social networks and uploads to file sharing, not looking at them', async () => {
    await lab.setRules(decrypt, deny(['other.id.1', 'other.id.2']))
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const file = { 'content-type': 'multipart/form-data; boundary=x' }
    for (const scheme of ['http', 'https'])
      await expect([
        [`${scheme}://social-networks.category.example/`, 200],
        [`${scheme}://social-networks.category.example/post`, 403, { method: 'POST', body: 9, headers: form }],
        [`${scheme}://social-networks.category.example/login`, 200, { method: 'POST', body: 9, headers: form }],
        [`${scheme}://file-sharing.category.example/`, 200],
        [`${scheme}://file-sharing.category.example/`, 403, { method: 'POST', body: 9, headers: file }],
        [`${scheme}://file-sharing.category.example/`, 403, { method: 'PUT', body: 9 }],
        [`${scheme}://file-sharing.category.example/`, 200, { method: 'POST', body: 9, headers: form }],
        [`${scheme}://a.sites.test/`, 200, { method: 'POST', body: 9, headers: file }],
      ])
  })

  it('hold at their times', async () => {
    const { make } = lab.users.firewall
    const always = { weekdays: [1, 2, 3, 4, 5, 6, 7], start: '00:00', end: '00:00' }
    const now = await make.call(lab.users.firewall, 'time_ranges', always)
    const past = await make.call(lab.users.firewall, 'time_ranges', {
      ...always,
      period: { first: 20_000_101_000_000, last: 20_000_102_000_000 },
    })
    await lab.setRules(deny([all], { timetable: [past] }))
    await expect([['http://a.sites.test/', 200]])
    await lab.setRules(deny([all], { timetable: [past, now] }))
    await expect([
      ['http://a.sites.test/', 403],
      ['https://a.sites.test/', 403],
    ])
  })

  it('follow users and groups with the next request on the same connection', async () => {
    await lab.api.ok('PATCH', '/user_cabinet_backend/settings', { enabled: true })
    const group = await lab.users.addGroup('Guests')
    const [user, guest] = [await lab.users.addUser(), await lab.users.addUser({ parent_id: group })]
    const address = await lab.users.firewall.address(otherClient)
    await lab.setRules(
      { categories: [all], access: 'redirect', redirect_url: 'http://b.sites.test/', aliases: [user.alias] },
      deny([all], { aliases: [group] }),
      deny([all], { aliases: [address] }),
    )
    const kept = { connection: 'kept', source: client }
    const ask = () => asker.ask({ url: 'http://a.sites.test/', address: siteAddress, ...kept })
    // A connection from the time when no rule could concern the client may be cut: then it asks again, as a browser does.
    const next = async () => {
      const first = await ask()
      const { status: got, fault } = first.fault === 'ECONNRESET' && first.isReused ? await ask() : first
      return got || fault
    }
    assert.equal(await next(), 200)
    await lab.users.signIn(client, user.login)
    assert.equal(await next(), 302)
    await lab.users.signOut(client)
    assert.equal(await next(), 200)
    await lab.users.signIn(client, guest.login)
    assert.equal(await next(), 403)
    await expect([
      ['https://a.sites.test/', 403, { source: client }],
      ['http://a.sites.test/', 403, { source: otherClient }],
    ])
    await lab.users.signOut(client)
    await expect([
      ['https://a.sites.test/', 200, { source: client }],
      ['https://a.sites.test/', 403, { source: otherClient }],
    ])
  })

  it('take effect with the next request on the same connection', async () => {
    await lab.setRules(decrypt, deny(['special.id.4']))
    for (const scheme of ['http', 'https']) {
      const kept = { url: `${scheme}://a.sites.test/`, address: siteAddress, connection: 'rules' }
      // The end of a session, just before, may have cut what the proxy kept open to the site.
      await until('the site answers', async () => (await asker.ask(kept)).status === 200)
      await lab.setRules(decrypt, deny([all]))
      const second = await asker.ask(kept)
      assert.deepEqual([second.status, second.isReused], [403, true], second.fault)
      await lab.setRules(decrypt, deny(['special.id.4']))
    }
  })

  it('make searches safe', async () => {
    await lab.setRules()
    await switchSafeSearch(true)
    for (const scheme of ['http', 'https']) {
      const found = await asker.ask({ url: `${scheme}://www.google.com/search?q=a&safe=off`, address: siteAddress })
      assert.deepEqual(
        [found.status, found.headers.location],
        [302, `${scheme}://www.google.com/search?q=a&safe=active`],
        found.fault + found.body,
      )
      await expect([
        [`${scheme}://www.google.com/search?q=a&safe=active`, 200],
        [`${scheme}://a.sites.test/search?q=a`, 200],
        [`${scheme}://www.youtube.com/watch?v=1`, 200, { headers: { 'youtube-restrict': 'Off' } }],
      ])
    }
    const { requests } = await lab.seen()
    const strict = requests.filter(({ host }) => host === 'www.youtube.com')
    assert.deepEqual(
      strict.map(({ headers }) => headers['youtube-restrict']),
      ['Strict', 'Strict'],
    )
    assert.ok(requests.every(({ host, headers }) => host === 'www.youtube.com' || !('youtube-restrict' in headers)))
    await switchSafeSearch(false)
    await lab.setRules(deny(['special.id.4']))
    await expect([['http://www.google.com/search?q=a', 200]])
  })

  it('do not concern what is excluded', async () => {
    await lab.setRules(deny([all]))
    const [source, target] = [
      await lab.users.firewall.address(otherClient),
      await lab.users.firewall.address(namelessAddress),
    ]
    const exclude = async (sources: readonly string[], destinations: readonly string[]) =>
      (await lab.api.ok('POST', '/proxy_backend/exclusions', { sources, destinations })).id
    const ids = [await exclude([source], ['any']), await exclude(['any'], [target])]
    for (const scheme of ['http', 'https'])
      await expect([
        [`${scheme}://a.sites.test/`, 403, { source: client }],
        [`${scheme}://a.sites.test/`, 200, { source: otherClient }],
        [`${scheme}://a.sites.test/`, 200, { source: client, address: namelessAddress }],
      ])
    for (const id of ids) await lab.api.ok('DELETE', `/proxy_backend/exclusions/${id}`)
    await expect([['http://a.sites.test/', 403, { source: otherClient }]])
  })

  it('name topics of lists that come while the filter runs', async () => {
    const casinos = 'extended.id.39'
    await lab.api.ok('PATCH', '/content-filter/settings', { enabled_extended_categorizer: true })
    await lab.setRules(decrypt, deny([casinos]))
    await expect([['http://dice.sites.test/', 200]])
    const folder = join(lab.gateway.stateDir, 'web-filter', 'lists', 'gambling')
    mkdirSync(folder)
    writeFileSync(join(folder, 'domains'), 'dice.sites.test\n<script>\n')
    await lab.api.ok('POST', '/content-filter/database/rebuild')
    for (const scheme of ['http', 'https'])
      await until('the list decides', async () => (await status(`${scheme}://dice.sites.test/`)) === 403)
    await expect([['http://a.sites.test/', 200]])
  })

  it('are in the journal with what they decided', async () => {
    await lab.setRules(decrypt, deny([all]))
    const rule = ((await lab.api.ok('GET', '/content-filter/rules')) as { id: number }[]).at(-1)?.id
    await expect([['https://journal.sites.test/page?x=%22%3Cb%3E', 403]])
    await until('the request is in the journal', async () => {
      const [row] = await readWebJournal(lab.api, 'journal.sites.test')
      if (row === undefined) return false
      assert.deepEqual(
        [row.result, row.reason, row.rule_id, row.source_ip, row.method, row.scheme, row.status],
        ['denied', 'rule', rule, client, 'GET', 'https', 403],
      )
      // What follows the question mark may be a secret, and is not kept.
      assert.equal(row.url, 'https://journal.sites.test/page?')
      return true
    })
  })

  it('deny nothing more when they are removed', async () => {
    await lab.setRules()
    await expect([
      ['http://a.sites.test/', 200],
      ['https://a.sites.test/', 200],
    ])
  })
})
