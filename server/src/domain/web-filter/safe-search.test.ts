// Safe search: decrypted unless denied, redirected once and never again.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decide } from './decide.ts'
import type { FilterAccess, FilterPolicy, FilterQuestion } from './model.ts'
import { safeLocation } from './safe-search.ts'

const search = (url: string, method = 'GET') => {
  const [, scheme = '', host = '', path = ''] = /^(https?):\/\/([^/]*)(\/.*)$/s.exec(url) ?? []
  return { host, scheme: scheme as 'http' | 'https', port: scheme === 'https' ? 443 : 80, path, method }
}

const cases: Readonly<Record<string, string | null>> = {
  'https://www.google.com/search?q=x': 'https://www.google.com/search?q=x&safe=active',
  'https://www.google.co.uk/search?safe=off&q=x&safe=active': 'https://www.google.co.uk/search?q=x&safe=active',
  'https://google.ru/search?s%61fe=off&q=x': 'https://google.ru/search?q=x&safe=active',
  'https://www.google.com//search?q=x': 'https://www.google.com//search?q=x&safe=active',
  'https://www.google.com/search?q=x&safe=active': null,
  'https://www.google.com/maps?q=x': null,
  'https://www.google.com/': null,
  'https://mail.google.com/search?q=x': null,
  'https://www.google.com.evil.test/search?q=x': null,
  'https://www.bing.com/images/search?q=x': 'https://www.bing.com/images/search?q=x&adlt=strict',
  'https://yandex.ru/search/?text=x': 'https://yandex.ru/search/?text=x&family=yes',
  'https://ya.ru/images/search?text=x': 'https://ya.ru/images/search?text=x&family=yes',
  'https://duckduckgo.com/?q=x': 'https://duckduckgo.com/?q=x&kp=1',
  'https://search.yahoo.com/search?p=x': 'https://search.yahoo.com/search?p=x&vm=r',
  'https://www.youtube.com/results?search_query=x': null,
  'https://www.google.com/search?q=\u00e9\r\nX: y': 'https://www.google.com/search?q=%C3%A9%0D%0AX:%20y&safe=active',
}

describe('a search', () => {
  for (const [url, expected] of Object.entries(cases))
    it(JSON.stringify(url), () => {
      const location = safeLocation(search(url))
      assert.equal(location, expected)
      if (location !== null) assert.equal(safeLocation(search(location)), null)
    })
})

const policyOf = (access: FilterAccess | null): FilterPolicy => ({
  isEnabled: true,
  usesExtended: false,
  safeSearch: true,
  morphology: false,
  onFailure: 'block',
  names: {},
  rules:
    access === null
      ? []
      : [
          {
            id: 1,
            name: 'r',
            access,
            redirectUrl: access === 'redirect' ? 'http://stop.example/' : null,
            times: null,
            sources: { isAny: true, members: [], addresses: [] },
            categories: ['special.id.1'],
            methods: [],
            contentTypes: [],
          },
        ],
})

function outcome(access: FilterAccess | null, stage: FilterQuestion['stage'], host = 'www.google.com'): string {
  const { verdict, reason } = decide(
    { policy: policyOf(access), categories: { find: () => [] } },
    {
      stage,
      host,
      source: '10.0.0.1',
      user: null,
      time: 0,
      destination: null,
      port: 443,
      scheme: 'https',
      ...(stage === 'tls' ? { method: null, path: null } : { method: 'GET', path: '/search?q=x' }),
      requestType: null,
      replyType: null,
    },
  )
  return `${verdict} ${reason}`
}

it('what rules deny or redirect stays so, everything else is made safe', () => {
  assert.equal(outcome(null, 'tls'), 'bump safe-search')
  assert.equal(outcome('allow', 'tls'), 'bump safe-search')
  assert.equal(outcome('bump', 'tls'), 'bump rule')
  assert.equal(outcome('deny', 'tls'), 'deny rule')
  assert.equal(outcome(null, 'tls', 'm.youtube.com'), 'bump safe-search')
  assert.equal(outcome(null, 'tls', 'a.example'), 'splice default')
  assert.equal(outcome(null, 'request'), 'redirect safe-search')
  assert.equal(outcome('allow', 'request'), 'redirect safe-search')
  assert.equal(outcome('deny', 'request'), 'deny rule')
  assert.equal(outcome('redirect', 'request'), 'redirect rule')
  assert.equal(outcome(null, 'reply'), 'allow default')
})
