// Rules as sentences, what they cannot do as they are, and the request of explain in an address.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bodyOfRequest, requestFromSearch, searchOfRequest } from './request.ts'
import { ruleSentence } from './sentence.ts'
import { type Rule, ruleWarnings } from './warnings.ts'

const rule = (fields: Partial<Rule> = {}): Rule => ({
  id: 1,
  parent_id: '',
  name: 'Rule',
  comment: '',
  aliases: ['any'],
  categories: ['users.id.2'],
  http_methods: [],
  content_types: [],
  access: 'deny',
  redirect_url: null,
  enabled: true,
  timetable: ['any'],
  ...fields,
})
const naming = { language: 'en', category: (id: string) => id, object: (id: string) => id }
const hasTopics = true

describe('a content rule', () => {
  it('is told in a sentence', () => {
    assert.equal(ruleSentence(rule(), naming), 'Deny “users.id.2” for everyone.')
    assert.equal(
      ruleSentence(rule({ categories: ['special.id.1'], aliases: ['user.id.1'], http_methods: ['POST'] }), naming),
      'Deny all requests for “user.id.1”, methods POST.',
    )
  })

  it('that redirects needs a decryption rule above for the same', () => {
    const redirect = rule({ access: 'redirect', redirect_url: 'https://example.com/' })
    const [warning] = ruleWarnings(redirect, [], { hasTopics })
    assert.deepEqual(warning, { kind: 'undecrypted', access: 'redirect', categories: ['users.id.2'] })
    assert.deepEqual(ruleWarnings(redirect, [rule({ access: 'bump' })], { hasTopics }), [])
    const others = rule({ access: 'bump', aliases: ['user.id.1'] })
    assert.equal(ruleWarnings(redirect, [others], { hasTopics }).length, 1)
    assert.equal(ruleWarnings(redirect, [rule({ access: 'bump', enabled: false })], { hasTopics }).length, 1)
  })

  it('below one that decides about the same is never reached', () => {
    const above = rule({ access: 'allow', categories: ['special.id.1'] })
    assert.equal(ruleWarnings(rule(), [above], { hasTopics })[0]?.kind, 'shadowed')
    assert.deepEqual(ruleWarnings(rule(), [rule({ access: 'bump' })], { hasTopics }), [])
    assert.deepEqual(ruleWarnings(rule(), [{ ...above, http_methods: ['POST'] }], { hasTopics }), [])
  })

  it('with topics says so when topics are off', () => {
    const topics = rule({ categories: ['extended.id.5'] })
    assert.equal(ruleWarnings(topics, [], { hasTopics: false })[0]?.kind, 'no-topics')
    assert.deepEqual(ruleWarnings(topics, [], { hasTopics: true }), [])
  })
})

describe('the request of explain', () => {
  it('comes from an address and goes into the body without what is not given', () => {
    const search = { url: 'https://example.com/', source: '10.1.2.3', method: 'POST', time: '1763326000', other: 'x' }
    const request = requestFromSearch(search)
    const { other: _, ...known } = search
    assert.deepEqual(searchOfRequest(request), known)
    assert.deepEqual(bodyOfRequest(request), { ...known, time: 1_763_326_000 })
    assert.deepEqual(bodyOfRequest(requestFromSearch({ url: 'a.example', time: 'soon', method: 'get' })), {
      url: 'a.example',
    })
  })
})
