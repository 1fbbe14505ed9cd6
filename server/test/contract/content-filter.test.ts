// The content filter through the interface: switches, categories, rules and dictionaries, with what is there from the start.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const root = 'f3ffde22-a562-4f43-ac04-c40fcec6a88c'

let gateway: TestGateway
let admin: Client
before(async () => {
  gateway = await createTestGateway()
  admin = await gateway.client('predefined_admin_write')
})
after(() => gateway.close())

const get = async (url: string) => {
  const { status, body, text } = await admin('GET', url)
  assert.equal(status, 200, text)
  return body
}

const done = async (method: string, url: string, body?: unknown) => {
  const answer = await admin(method, url, body)
  assert.equal(answer.status, 200, `${method} ${url}: ${answer.text}`)
  return answer.body
}

const fieldsOf = ({ body }: Answer): string[] => body.problems.map((problem: { field: string }) => problem.field)

const assertRefused = (answer: Answer, ...fields: string[]): void => {
  assert.equal(answer.status, 422, answer.text)
  assert.deepEqual(fieldsOf(answer), fields)
}

const restart = async (): Promise<void> => {
  gateway = await gateway.restart()
  admin = await gateway.client('predefined_admin_write')
}

describe('switches and settings of the content filter', () => {
  it('are off at first, change and are read back', async () => {
    for (const url of ['/content-filter/state', '/proxy_backend/safe_search', '/content-filter/morph_analysis/state']) {
      assert.deepEqual(await get(url), { enabled: false })
      assert.equal(await done('PATCH', url, { enabled: true }), '')
      assert.deepEqual(await get(url), { enabled: true })
    }
    const url = '/content-filter/settings'
    assert.deepEqual(await get(url), { enabled_extended_categorizer: false, quic_reject_enabled: false })
    await done('PATCH', url, { quic_reject_enabled: true })
    assert.deepEqual(await get(url), { enabled_extended_categorizer: false, quic_reject_enabled: true })
    await done('PATCH', url, { enabled_extended_categorizer: true, quic_reject_enabled: true })
    assert.deepEqual(await get(url), { enabled_extended_categorizer: true, quic_reject_enabled: true })
  })

  it('say in the status what runs of them', async () => {
    const items = await get('/content-filter/status')
    assert.deepEqual(
      items.map((item: { name: string }) => item.name),
      ['content-filter', 'extended-categories', 'quic-reject', 'safe-search', 'morphological-analysis'],
    )
    assert.ok(items[0].msg.every((text: string) => !/not part of this release/.test(text)))
    await done('PATCH', '/content-filter/state', { enabled: false })
    assert.deepEqual((await get('/content-filter/status'))[0].msg, ['The content filter is disabled.'])
  })
})

describe('categories of the content filter', () => {
  it('hold every kind, each with its own id', async () => {
    const list: { id: string; type: string; name: string }[] = await get('/content-filter/categories')
    assert.equal(new Set(list.map(({ id }) => id)).size, list.length)
    assert.ok(list.every(({ id, type, name }) => id.startsWith(`${type}.id.`) && name !== ''))
    const count = (type: string): number => list.filter((category) => category.type === type).length
    assert.deepEqual(
      ['users', 'special', 'files', 'extended', 'other'].map((type) => [type, count(type)]),
      [
        ['users', 2],
        ['special', 4],
        ['files', 8],
        ['extended', 172],
        ['other', 2],
      ],
    )
    const nameOf = (id: string) => list.find((category) => category.id === id)?.name
    assert.equal(nameOf('special.id.4'), 'Direct access by IP address')
    assert.equal(nameOf('extended.id.1'), 'Abortion')
    assert.equal(nameOf('extended.id.141'), 'Humour')
    assert.equal(nameOf('extended.id.142'), 'Cars/Transport')
    assert.equal(nameOf('extended.id.172'), 'AI chat bots')
  })

  it('of administrators begin with the allowed and the forbidden sites', async () => {
    const [allowed, forbidden, ...rest] = await get('/content-filter/users_categories')
    assert.deepEqual([allowed.id, allowed.urls.length], ['users.id.1', 3])
    assert.deepEqual([forbidden.id, forbidden.urls], ['users.id.2', []])
    assert.deepEqual(rest, [])
    assert.equal(allowed.comment, 'Created by default.')
  })

  it('are added, replaced, listed and removed', async () => {
    const urls = [
      '1.1.1.1',
      'example.com',
      '*.example.com',
      'https://www.example.com:8080',
      'sub.example.com/home?a=b#c',
      'пример.рф',
      `"; drop } <b> $(x) '`,
    ]
    const { id } = await done('POST', '/content-filter/users_categories', { name: 'Mine', comment: 'c', urls })
    assert.equal(id, 'users.id.3')
    const [, , mine] = await get('/content-filter/users_categories')
    assert.deepEqual(mine, { id, name: 'Mine', comment: 'c', urls })
    assert.deepEqual((await get('/content-filter/categories'))[2], { id, type: 'users', name: 'Mine', comment: 'c' })

    const replaced = await done('PUT', `/content-filter/users_categories/${id}`, { name: 'New', urls: ['a.example'] })
    assert.deepEqual(replaced, { id, name: 'New', comment: '', urls: ['a.example'] })
    const described = await done('PUT', `/content-filter/users_categories/${id}`, {
      name: 'New',
      description: 'why',
      urls: [],
    })
    assert.deepEqual(described, { id, name: 'New', comment: 'why', urls: [] })
    assert.deepEqual((await get('/content-filter/users_categories'))[2], described)

    assert.equal(await done('DELETE', `/content-filter/users_categories/${id}`), '')
    assert.equal((await get('/content-filter/users_categories')).length, 2)
    const next = await done('POST', '/content-filter/users_categories', { name: 'Next', urls: [] })
    assert.equal(next.id, 'users.id.4')
  })

  it('are all listed when one is asked for', async () => {
    const all = await get('/content-filter/users_categories')
    assert.deepEqual(await get('/content-filter/users_categories/users.id.1'), all)
    assert.deepEqual(await get('/content-filter/users_categories/nothing'), all)
  })

  it('are refused with every fault named', async () => {
    const url = '/content-filter/users_categories'
    assertRefused(await admin('POST', url, { name: '', urls: [''] }), 'name', 'urls[0]')
    assertRefused(await admin('POST', url, { name: 'x', urls: ['a', 'b\nc', 'x'.repeat(2049)] }), 'urls[1]', 'urls[2]')
    assertRefused(await admin('POST', url, { name: 'x', urls: [], comment: 'x'.repeat(256) }), 'comment')
    assertRefused(await admin('POST', url, { name: 'x', urls: [], description: 'x' }), 'description')
    const both = { name: 'x', urls: [], comment: 'a', description: 'b' }
    assertRefused(await admin('PUT', `${url}/users.id.2`, both), 'description')
    assertRefused(await admin('PUT', `${url}/users.id.2`, { name: 'x' }), 'urls')
    for (const id of ['users.id.3', 'extended.id.1', 'x', '__proto__']) {
      assert.equal((await admin('PUT', `${url}/${id}`, { name: 'x', urls: [] })).status, 404, id)
      assert.equal((await admin('DELETE', `${url}/${id}`)).status, 404, id)
    }
  })

  it('that rules use are not removed, and the rules are named', async () => {
    const answer = await admin('DELETE', '/content-filter/users_categories/users.id.2')
    assert.equal(answer.status, 409)
    assert.deepEqual(answer.body.problems, [
      { field: 'content_filter.rules[2].categories', message: 'Content filter rule "Deny the forbidden sites"' },
    ])
  })

  it('hold 20,000 URLs, and not more than 500,000 over all', async () => {
    const urls = Array.from({ length: 20_000 }, (_, index) => `https://host-${index}.example.com/page/${index}`)
    const { id } = await done('POST', '/content-filter/users_categories', { name: 'Long', urls })
    const found = (await get('/content-filter/users_categories')).find((category: { id: string }) => category.id === id)
    assert.deepEqual(found.urls, urls)
    const longest = Array.from({ length: 100_000 }, (_, index) => `${index}.example`)
    assertRefused(
      await admin('POST', '/content-filter/users_categories', { name: 'Long', urls: [...longest, 'x'] }),
      'urls',
    )
    const made: string[] = [id]
    for (const name of ['1', '2', '3', '4'])
      made.push((await done('POST', '/content-filter/users_categories', { name, urls: longest })).id)
    assertRefused(await admin('POST', '/content-filter/users_categories', { name: '5', urls: longest }), 'urls')
    assertRefused(await admin('PUT', `/content-filter/users_categories/${id}`, { name: '5', urls: longest }), 'urls')
    for (const one of made) await done('DELETE', `/content-filter/users_categories/${one}`)
  })
})

describe('rules of the content filter', () => {
  const url = '/content-filter/rules'
  const rule = { name: 'r', aliases: ['any'], categories: ['special.id.1'], access: 'deny' }
  const ids = async (): Promise<number[]> => (await get(url)).map(({ id }: { id: number }) => id)

  it('begin with one for each category of the start', async () => {
    const [allow, deny] = await get(url)
    assert.deepEqual([allow.id, allow.access, allow.categories, allow.aliases], [1, 'allow', ['users.id.1'], ['any']])
    assert.deepEqual([deny.id, deny.access, deny.categories, deny.enabled], [2, 'deny', ['users.id.2'], true])
  })

  it('are added with every field and read back', async () => {
    const address = await done('POST', '/aliases/ip_addresses', { title: 'a', comment: '', value: '10.0.0.5' })
    const schedule = { title: 't', comment: '', weekdays: [1], start: '08:00', end: '09:00' }
    const time = await done('POST', '/aliases/time_ranges', schedule)
    const whole = {
      parent_id: root,
      name: 'Whole "rule"; } #',
      comment: '',
      aliases: [address.id],
      categories: ['users.id.2', 'extended.id.172', 'files.id.8', 'special.id.4', 'other.id.2'],
      http_methods: ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT'],
      content_types: ['video/*', 'application/vnd.ms-excel', 'image/svg+xml'],
      access: 'redirect',
      redirect_url: 'https://example.com/why?x=1',
      enabled: false,
      timetable: [time.id],
    }
    const { id } = await done('POST', url, whole)
    assert.equal(id, 3)
    assert.deepEqual((await get(url))[2], { id, ...whole })
    const refused = await admin('DELETE', `/aliases/ip_addresses/${address.id}`)
    assert.equal(refused.status, 409)
    assert.deepEqual(fieldsOf(refused), ['content_filter.rules[3].aliases'])
    assert.equal((await admin('DELETE', `/aliases/time_ranges/${time.id}`)).status, 409)
    await done('DELETE', `${url}/${id}`)
    await done('DELETE', `/aliases/ip_addresses/${address.id}`)
    await done('DELETE', `/aliases/time_ranges/${time.id}`)
  })

  it('get defaults for what is left out', async () => {
    const { id } = await done('POST', url, rule)
    assert.deepEqual((await get(url)).at(-1), {
      id,
      parent_id: root,
      comment: '',
      http_methods: [],
      content_types: [],
      redirect_url: null,
      enabled: true,
      timetable: ['any'],
      ...rule,
    })
    await done('DELETE', `${url}/${id}`)
  })

  it('keep the place they were given, and move', async () => {
    const first = (await done('POST', `${url}?anchor_item_id=1&insert_after=false`, rule)).id
    const second = (await done('POST', `${url}?anchor_item_id=1`, rule)).id
    assert.deepEqual(await ids(), [first, 1, second, 2])
    await done('PATCH', `${url}/move`, { params: { id: first, anchor_item_id: 2, insert_after: true } })
    assert.deepEqual(await ids(), [1, second, 2, first])
    await done('PATCH', `${url}/move`, { params: { id: 2, anchor_item_id: 1, insert_after: false } })
    assert.deepEqual(await ids(), [2, 1, second, first])
    assertRefused(await admin('POST', `${url}?anchor_item_id=999`, rule), 'anchor_item_id')
    const gone = await admin('PATCH', `${url}/move`, { params: { id: 999, anchor_item_id: 1, insert_after: true } })
    assert.equal(gone.status, 404)
    const nowhere = await admin('PATCH', `${url}/move`, { params: { id: 1, anchor_item_id: 999, insert_after: true } })
    assertRefused(nowhere, 'params.anchor_item_id')
  })

  it('change in part, with redirect_url judged against the access that results', async () => {
    const { id } = await done('POST', url, rule)
    await done('PATCH', `${url}/${id}`, { name: 'other', enabled: false })
    assert.deepEqual((({ name, enabled, access }) => ({ name, enabled, access }))((await get(url)).at(-1)), {
      name: 'other',
      enabled: false,
      access: 'deny',
    })
    assertRefused(await admin('PATCH', `${url}/${id}`, { access: 'redirect' }), 'redirect_url')
    assertRefused(await admin('PATCH', `${url}/${id}`, { redirect_url: 'https://example.com' }), 'redirect_url')
    await done('PATCH', `${url}/${id}`, { access: 'redirect', redirect_url: 'https://example.com' })
    assertRefused(await admin('PATCH', `${url}/${id}`, { access: 'bump' }), 'redirect_url')
    await done('PATCH', `${url}/${id}`, { access: 'bump', redirect_url: null })
    assert.equal((await get(url)).at(-1).redirect_url, null)
    await done('DELETE', `${url}/${id}`)
    for (const method of ['PATCH', 'DELETE'] as const)
      assert.equal((await admin(method, `${url}/${id}`, method === 'PATCH' ? { name: 'x' } : undefined)).status, 404)
  })

  const faults: readonly (readonly [title: string, change: object, ...fields: string[]])[] = [
    ['no name', { name: '' }, 'name'],
    ['no client', { aliases: [] }, 'aliases'],
    ['any with others', { aliases: ['any', 'ip.id.1'] }, 'aliases'],
    ['an address that is not there', { aliases: ['ip.id.999'] }, 'aliases[0]'],
    ['a port as a client', { aliases: ['port.id.1'] }, 'aliases[0]'],
    ['no category', { categories: [] }, 'categories'],
    [
      'categories that are not there',
      { categories: ['special.id.5', 'users.id.99'] },
      'categories[0]',
      'categories[1]',
    ],
    ['a category twice', { categories: ['special.id.1', 'special.id.1'] }, 'categories'],
    ['a category of no kind', { categories: ['user.id.1'] }, 'categories[0]'],
    ['an unknown method', { http_methods: ['GET', 'get'] }, 'http_methods[1]'],
    ['no MIME type', { content_types: ['video', 'a/b c'] }, 'content_types[0]', 'content_types[1]'],
    ['a time that is not there', { timetable: ['time_range.id.99'] }, 'timetable[0]'],
    ['a zone as a time', { timetable: ['zone.id.1'] }, 'timetable[0]'],
    ['an unknown access', { access: 'drop' }, 'access'],
    ['a redirection to nowhere', { access: 'redirect' }, 'redirect_url'],
    ['a redirection to a script', { access: 'redirect', redirect_url: 'javascript:alert(1)' }, 'redirect_url'],
    ['a redirection to no host', { access: 'redirect', redirect_url: 'https://:80' }, 'redirect_url'],
    ['a redirection with a line end', { access: 'redirect', redirect_url: 'https://a/\r\nX: y' }, 'redirect_url'],
    ['an address without redirection', { redirect_url: 'https://example.com' }, 'redirect_url'],
    ['an id', { id: 7 }, 'id'],
    ['several', { aliases: ['ip.id.999'], categories: ['users.id.99'] }, 'aliases[0]', 'categories[0]'],
  ]
  for (const [title, change, ...fields] of faults) {
    it(`with ${title} are refused`, async () => {
      const { revision } = gateway.engine
      assertRefused(await admin('POST', url, { ...rule, ...change }), ...fields)
      assert.equal(gateway.engine.revision, revision)
    })
  }

  it('of the start can all be removed, and stay away', async () => {
    for (const id of await ids()) await done('DELETE', `${url}/${id}`)
    assert.deepEqual(await ids(), [])
    await done('DELETE', '/content-filter/users_categories/users.id.2')
    await restart()
    assert.deepEqual(await ids(), [])
    const categories: { id: string }[] = await get('/content-filter/users_categories')
    assert.ok(!categories.some(({ id }) => id === 'users.id.2'))
  })

  it('of the start exist again after a revert to before the first change', async () => {
    const other = await createTestGateway()
    const client = await other.client('predefined_admin_write')
    const before = (await client('GET', url)).body
    const { revision } = other.services.engine
    await client('DELETE', `${url}/1`)
    assert.deepEqual((await client('GET', url)).body, before.slice(1))
    assert.equal((await client('POST', `/config/revisions/${revision}/revert`)).status, 200)
    assert.deepEqual((await client('GET', url)).body, before)
    assert.equal((await client('POST', url, rule)).body.id, 3)
    await other.close()
  })

  it('moved to where they are make no revision', async () => {
    const other = await createTestGateway()
    const client = await other.client('predefined_admin_write')
    const { revision } = other.services.engine
    const move = { params: { id: 1, anchor_item_id: 1, insert_after: true } }
    assert.equal((await client('PATCH', `${url}/move`, move)).status, 200)
    assert.equal(other.services.engine.revision, revision)
    await other.close()
  })
})

describe('dictionaries of the morphological analysis', () => {
  const url = '/content-filter/morph_analysis_dicts'
  const words = [
    { value: 'word', weight: 20 },
    { value: 'two words; "quoted"', weight: 0 },
  ]
  const fields = { title: 'Mine', comment: 'why', enabled: false, threshold: 100, words }

  it('begin with four predefined ones, disabled', async () => {
    const list = await get(url)
    assert.deepEqual(
      list.map(({ title }: { title: string }) => title),
      ['Narcotics', 'Pornography', 'Obscene language', 'Terrorism'],
    )
    for (const dictionary of list) {
      assert.deepEqual(
        [dictionary.enabled, dictionary.read_only, dictionary.from_central_console],
        [false, true, false],
      )
      assert.ok(dictionary.words.length > 0)
    }
  })

  it('are added, changed, downloaded and removed', async () => {
    const { id } = await done('POST', url, { ...fields, read_only: false })
    const shown = { id, ...fields, read_only: false, from_central_console: false }
    assert.deepEqual((await get(url)).at(-1), shown)
    const file = await admin('GET', `${url}/download/${id}`)
    assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8')
    assert.equal(file.headers['content-disposition'], `attachment; filename="dictionary-${id}.csv"`)
    assert.equal(file.text, '100;Mine;why\r\nword;20\r\n"two words; ""quoted""";0\r\n')
    await done('PATCH', `${url}/${id}`, { enabled: true, threshold: 0 })
    assert.deepEqual((await get(url)).at(-1), { ...shown, enabled: true, threshold: 0 })
    await done('PATCH', `${url}/${id}`, { title: 'Other', comment: '', words: [] })
    assert.deepEqual((await get(url)).at(-1), {
      ...shown,
      enabled: true,
      threshold: 0,
      title: 'Other',
      comment: '',
      words: [],
    })
    await done('DELETE', `${url}/${id}`)
    assert.equal((await get(url)).length, 4)
    assert.equal((await admin('GET', `${url}/download/${id}`)).status, 404)
    assert.equal((await admin('PATCH', `${url}/${id}`, { enabled: true })).status, 404)
    assert.equal((await admin('DELETE', `${url}/${id}`)).status, 404)
  })

  it('are enabled unless the creation says otherwise', async () => {
    const { id } = await done('POST', url, { title: 'On', threshold: 1, words: [] })
    assert.deepEqual((({ enabled, comment }) => [enabled, comment])((await get(url)).at(-1)), [true, ''])
    await done('DELETE', `${url}/${id}`)
  })

  it('that are predefined can only be enabled and disabled', async () => {
    const id = 'predefined_narcotics'
    const [before] = await get(url)
    const answer = await admin('PATCH', `${url}/${id}`, { enabled: true, title: 'x', words: [] })
    assert.equal(answer.status, 409)
    assert.deepEqual(fieldsOf(answer), ['title', 'words'])
    assert.equal((await admin('DELETE', `${url}/${id}`)).status, 409)
    assert.deepEqual((await get(url))[0], before)
    await done('PATCH', `${url}/${id}`, { enabled: true })
    assert.deepEqual((await get(url))[0], { ...before, enabled: true })
    await restart()
    assert.deepEqual((await get(url))[0], { ...before, enabled: true })
    assert.equal((await get(url)).length, 4)
    const { text } = await admin('GET', `${url}/download/${id}`)
    assert.equal(text.split('\r\n').length, before.words.length + 2)
    const { title, comment, threshold, words } = before
    const turned = words.map(({ value, weight }: { value: string; weight: number }) => ({ weight, value }))
    await done('PATCH', `${url}/${id}`, { title, comment, threshold, words: turned, enabled: false })
    assert.deepEqual((await get(url))[0], before)
  })

  const word = (value: string, weight: unknown = 1) => ({ value, weight })
  const faults: readonly (readonly [title: string, change: object, ...fields: string[]])[] = [
    ['a long title', { title: 'x'.repeat(43) }, 'title'],
    ['no title', { title: '' }, 'title'],
    ['a threshold below 0', { threshold: -1 }, 'threshold'],
    ['a threshold beyond the limit', { threshold: 2_147_483_649 }, 'threshold'],
    ['no threshold', { threshold: undefined }, 'threshold'],
    ['a word of 51 characters', { words: [word('x'.repeat(51))] }, 'words[0].value'],
    ['an empty word', { words: [word('')] }, 'words[0].value'],
    ['a weight below 0', { words: [word('x', -1)] }, 'words[0].weight'],
    ['half a weight', { words: [word('x', 0.5)] }, 'words[0].weight'],
    ['no weight', { words: [{ value: 'x' }] }, 'words[0].weight'],
    ['a word twice', { words: [word('Word'), word('other'), word('word')] }, 'words[2].value'],
    ['1001 words', { words: Array.from({ length: 1_001 }, (_, index) => word(`w${index}`)) }, 'words'],
    ['read_only', { read_only: true }, 'read_only'],
    ['from_central_console', { from_central_console: false }, 'from_central_console'],
  ]
  for (const [title, change, ...named] of faults) {
    it(`with ${title} are refused`, async () => {
      assertRefused(await admin('POST', url, { ...fields, ...change }), ...named)
    })
  }

  it('hold 1000 words of 50 characters', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => word(`${index} ${'ж'.repeat(50)}`.slice(0, 50)))
    const { id } = await done('POST', url, { ...fields, words: many, threshold: 2_147_483_648 })
    assert.deepEqual((await get(url)).at(-1).words, many)
    assertRefused(await admin('PATCH', `${url}/${id}`, { words: [word('a'), word('A')] }), 'words[1].value')
    await done('DELETE', `${url}/${id}`)
  })
})

it('everything of the content filter survives a restart', async () => {
  await done('POST', '/content-filter/users_categories', { name: 'Kept', urls: ['a.example', 'b.example'] })
  await done('POST', '/content-filter/rules', {
    name: 'kept',
    aliases: ['any'],
    categories: ['special.id.2'],
    access: 'allow',
  })
  await done('POST', '/content-filter/morph_analysis_dicts', { title: 'Kept', threshold: 1, words: [] })
  const urls = [
    '/content-filter/state',
    '/content-filter/settings',
    '/proxy_backend/safe_search',
    '/content-filter/morph_analysis/state',
    '/content-filter/categories',
    '/content-filter/users_categories',
    '/content-filter/rules',
    '/content-filter/morph_analysis_dicts',
  ]
  const read = () => Promise.all(urls.map(get))
  const before = await read()
  await restart()
  assert.deepEqual(await read(), before)
})
