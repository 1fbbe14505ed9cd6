// Which page an address means, and what of it is the open item.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PageEntry } from '../page.ts'
import { firstBelow, locate } from './locate.ts'

const page = (path: string): PageEntry => ({
  path,
  group: 'policy',
  section: 'Rules',
  title: path,
  access: 'view',
  load: () => Promise.reject(new Error('not in this test')),
})

const pages = ['overview/dashboard', 'policy/rules/forward', 'policy/rules', 'objects'].map(page)

describe('an address of the console', () => {
  it('means the longest page that it begins with', () => {
    const { path, item, search } = locate(pages, '/ui/policy/rules/forward/42', '?tab=history&q=a+b')
    assert.deepEqual(
      { path, item, search },
      { path: 'policy/rules/forward', item: '42', search: { tab: 'history', q: 'a b' } },
    )
    assert.equal(locate(pages, '/ui/policy/rules/forward', '').item, null)
    assert.equal(locate(pages, '/ui/policy/rules/forward/', '').item, null)
    assert.deepEqual(locate(pages, '/ui/policy/rules/forwarding', '').path, 'policy/rules')
  })

  it('keeps slashes and signs of an item, and what cannot be decoded', () => {
    assert.equal(locate(pages, '/ui/objects/a%2Fb%20c', '').item, 'a/b c')
    assert.equal(locate(pages, '/ui/objects/%E0%A4%A', '').item, '%E0%A4%A')
  })

  it('knows no page for what is not one, and the first one below a group', () => {
    assert.equal(locate(pages, '/ui/nowhere/else', '').entry, null)
    assert.equal(firstBelow(pages, '')?.path, 'overview/dashboard')
    assert.equal(firstBelow(pages, 'overview')?.path, 'overview/dashboard')
    assert.equal(firstBelow(pages, 'nowhere'), null)
  })
})
