// The category database over the interface: what a new gateway knows, uploads, lists of the operator, and what is refused.

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fixedCategories } from '../../src/areas/content-filter/catalogue.ts'
import { slugOf } from '../../src/areas/content-filter/list-folders.ts'
import { tarOf } from '../support/list-archive.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const upload = '/content-filter/update_archive_upload'
const lists = gzipSync(
  tarOf([
    { name: 'blacklists/', type: '5' },
    { name: 'blacklists/gambling/domains', content: 'dice.test\nnot a name\n' },
    { name: 'blacklists/gambling/urls', content: 'news.test/dice\n' },
    { name: 'blacklists/ads', type: '2' },
    { name: 'blacklists/zzz/domains', content: 'other.test\n' },
  ]),
)

describe('the category database', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  afterEach(async () => {
    await gateway.close()
  })

  const state = async (): Promise<Answer['body']> => (await admin('GET', '/content-filter/database')).body
  const built = async (): Promise<Answer['body']> => {
    await until('the index is built', async () => (await state()).state !== 'building')
    return state()
  }
  const categoriesOf = async (url: string): Promise<Answer['body']> => {
    const answer = await admin('GET', `/content-filter/categorize?url=${encodeURIComponent(url)}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.categories
  }
  const rebuild = async (): Promise<Answer['body']> => {
    assert.equal((await admin('POST', '/content-filter/database/rebuild')).status, 200)
    return built()
  }

  it('says that there is none before it was built', async () => {
    const { state: shown, message, entries, built_at } = await state()
    assert.deepEqual([shown, message, entries, built_at], ['building', '', 0, null])
    assert.deepEqual(await categoriesOf('pets.category.example'), [])
  })

  it('has a name and a page of each topic to try rules with', async () => {
    const { state: shown, sources, message } = await rebuild()
    assert.deepEqual([shown, message], ['ready', ''])
    assert.deepEqual(
      sources.map(({ name }: { name: string }) => name),
      ['operator', 'uploaded', 'starter'],
    )
    const topics = fixedCategories.filter(({ type, comment }) => type === 'extended' && comment === '')
    assert.equal(topics.length, 142)
    for (const { id, name } of topics) {
      const slug = slugOf(name)
      const of = async (url: string): Promise<unknown> => (await categoriesOf(url))[0]
      const source = `starter/${slug}`
      const host = `${slug}.category.example`
      assert.deepEqual(await of(`https://www.${host}/x`), { id, name, entry: host, source: `${source}/domains` })
      const page = `category.example/${slug}`
      assert.deepEqual(await of(`${page}/below?x=1`), { id, name, entry: page, source: `${source}/urls` })
    }
  })

  it('takes an archive, and keeps it over a restart', async () => {
    const answer = await admin('PUT', upload, lists)
    assert.equal(answer.status, 200, answer.text)
    const { sources, state: shown } = await built()
    assert.equal(shown, 'ready')
    assert.deepEqual(sources[1], {
      name: 'uploaded',
      entries: 2,
      categories: 1,
      refused: 1,
      unknown_folders: ['zzz'],
      unknown_count: 1,
    })
    const expected = { id: 'extended.id.39', name: 'Casinos, lotteries, betting' }
    const dice = { ...expected, entry: 'dice.test', source: 'uploaded/gambling/domains' }
    assert.deepEqual(await categoriesOf('http://a.dice.test:8080/'), [dice])
    assert.deepEqual(await categoriesOf('www.news.test/dice/x'), [
      { ...expected, entry: 'news.test/dice', source: 'uploaded/gambling/urls' },
    ])
    assert.deepEqual(await categoriesOf('other.test'), [])
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await categoriesOf('dice.test'), [dice])
    assert.equal((await rebuild()).sources[1].entries, 2)
  })

  it('unites the lists of the operator with the others, and names theirs first', async () => {
    const { folder } = await rebuild()
    mkdirSync(join(folder, 'Pets'), { recursive: true })
    writeFileSync(join(folder, 'Pets', 'domains'), 'pets.category.example\nvk.com\n')
    await rebuild()
    const [pets] = await categoriesOf('pets.category.example')
    assert.equal(pets.source, 'operator/Pets/domains')
    const names = (await categoriesOf('vk.com')).map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['Pets', 'Social networks'])
  })

  it('finds the most specific entry of the user categories too', async () => {
    const add = async (name: string, urls: readonly string[]): Promise<string> => {
      const answer = await admin('POST', '/content-filter/users_categories', { name, comment: '', urls })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.id
    }
    const wide = await add('Wide', ['example.org'])
    const narrow = await add('Narrow', ['www.example.org', 'https://vk.com/feed'])
    await rebuild()
    assert.deepEqual(await categoriesOf('example.org'), [
      { id: wide, name: 'Wide', entry: 'example.org', source: 'Wide' },
    ])
    assert.deepEqual(await categoriesOf('a.www.example.org'), [
      { id: narrow, name: 'Narrow', entry: 'www.example.org', source: 'Narrow' },
    ])
    const found = await categoriesOf('https://vk.com/feed/1')
    assert.deepEqual(
      found.map(({ name, entry }: Record<string, string>) => [name, entry]),
      [
        ['Narrow', 'https://vk.com/feed'],
        ['Social networks', 'vk.com'],
      ],
    )
    assert.equal((await categoriesOf('http://vk.com/feed/1')).length, 1)
  })

  it('names in `all` each category for which a rule decides, and no other', async () => {
    await rebuild()
    const use = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Answer['body']> => {
      const answer = await admin(method, path, body)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    for (const { id } of (await admin('GET', '/content-filter/rules')).body)
      await use('DELETE', `/content-filter/rules/${id}`)
    await use('PATCH', '/content-filter/state', { enabled: true })
    const { id: own } = await use('POST', '/content-filter/users_categories', {
      name: 'Own',
      comment: '',
      urls: ['own.example'],
    })
    const candidates = [
      own,
      'extended.id.39',
      ...fixedCategories.flatMap(({ id, type }) => (type === 'extended' ? [] : [id])),
    ]
    const { id: rule } = await use('POST', '/content-filter/rules', {
      name: 'tried',
      comment: '',
      enabled: true,
      access: 'deny',
      redirect_url: null,
      aliases: ['any'],
      categories: [own],
      http_methods: [],
      content_types: [],
      timetable: ['any'],
    })
    const decides = async (url: string, category: string): Promise<boolean> => {
      await use('PATCH', `/content-filter/rules/${rule}`, { categories: [category] })
      const { verdict, rule: deciding } = await use('POST', '/content-filter/explain', { source: '10.10.0.5', url })
      // What waits for the type of the reply is not decided.
      return verdict === 'deny' && deciding?.id === rule
    }
    const casino = 'http://casinos-lotteries-betting.category.example/'
    for (const [hasTopics, url] of [
      [true, 'http://own.example/setup.exe'],
      [true, casino],
      [false, casino],
      [true, 'http://198.51.100.7/'],
      [true, 'http://nowhere.example/'],
    ] as const) {
      await use('PATCH', '/content-filter/settings', { enabled_extended_categorizer: hasTopics })
      const { all } = (await admin('GET', `/content-filter/categorize?url=${encodeURIComponent(url)}`)).body
      const deciding: string[] = []
      for (const id of candidates) if (await decides(url, id)) deciding.push(id)
      assert.deepEqual(all.toSorted(), deciding.toSorted(), `${url}, topics ${hasTopics}`)
      assert.ok(all.length > 1, url)
    }
  })

  it('refuses what is not an archive of lists, and keeps nothing of it', async () => {
    await rebuild()
    const before = await state()
    const noLists = tarOf([{ name: 'readme', content: 'x' }])
    const outside = tarOf([{ name: '../gambling/domains', content: 'dice.test\n' }])
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(2_000)])
    const cut = lists.subarray(0, lists.length - 20)
    for (const [file, message] of [
      [Buffer.from('text'), /neither a tar archive nor one compressed with gzip/],
      [zip, /neither a tar archive/],
      [noLists, /no folder in it with domains or urls/],
      [outside, /a name outside the archive/],
      [cut, /damaged or incomplete/],
      [gzipSync(Buffer.from('text')), /incomplete/],
    ] as const) {
      const answer = await admin('PUT', upload, file)
      assert.equal(answer.status, 422, answer.text)
      assert.equal(answer.body.problems[0].field, 'body')
      assert.match(answer.body.message, message)
    }
    assert.equal((await admin('PUT', upload)).status, 400)
    assert.deepEqual(await state(), before)
    assert.deepEqual(readdirSync(join(gateway.folder, 'web-filter', 'uploads')), [])
  })

  it('takes one archive at a time', async () => {
    const answers = await Promise.all([admin('PUT', upload, lists), admin('PUT', upload, lists)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    await built()
    assert.equal((await categoriesOf('dice.test')).length, 1)
  })

  it('refuses a question about what is not a URL', async () => {
    for (const url of ['ftp://example.com', 'http://', 'a b', 'http://exa mple.com/', '1.2.3.256', 'a.b:99999']) {
      const answer = await admin('GET', `/content-filter/categorize?url=${encodeURIComponent(url)}`)
      assert.equal(answer.status, 422, url)
    }
  })
})
