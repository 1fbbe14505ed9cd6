// The decision: against a slow second reading of the same rules, and by hand where the rules are easy to get wrong.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  decideNaively,
  findNaively,
  randomCategories,
  randomPolicy,
  randomQuestion,
  topics,
} from '../../../test/support/naive-filter.ts'
import { makeRandom } from '../../../test/support/random-policy.ts'
import { decide, explainDecision } from './decide.ts'
import { joinLookups, lookUpIn, tableOf } from './entry-table.ts'
import type { FilterPolicy, FilterQuestion, FilterRule } from './model.ts'
import { parsePolicy, printPolicy } from './policy-file.ts'
import { factsOf } from './request-facts.ts'
import { missOf } from './why.ts'

const policies = 5_000
const questionsEach = 4

it('decides like a slow reading of the rules, and explains what it decides', () => {
  const seen = new Map<string, number>()
  for (let seed = 1; seed <= policies; seed++) {
    const random = makeRandom(seed)
    const made = randomPolicy(random, seed % 50 === 0 ? 90 : 9)
    const policy: FilterPolicy | string = parsePolicy(printPolicy(made))
    assert.ok(typeof policy !== 'string', `seed ${seed}: ${policy}`)
    const lists = randomCategories(random)
    const categories = joinLookups(lookUpIn(tableOf(lists, seed)), topics)
    const naive = joinLookups(findNaively(lists), topics)
    for (let at = 0; at < questionsEach; at++) {
      const question = randomQuestion(random)
      const about: string = `seed ${seed}, ${JSON.stringify({ question, lists, rules: policy.rules })}`
      const { verdict, ruleId } = decide({ policy, categories }, question)
      assert.deepEqual({ verdict, ruleId }, decideNaively(policy, naive, question), about)
      const explained = explainDecision({ policy, categories }, question)
      assert.deepEqual([explained.verdict, explained.ruleId], [verdict, ruleId], about)
      const decidedAt = policy.rules.findIndex(({ id }) => id === ruleId)
      if (policy.isEnabled)
        assert.equal(explained.passed.length, decidedAt < 0 ? policy.rules.length : decidedAt, about)
      const decider: FilterRule | undefined = policy.rules[decidedAt]
      if (decider) assert.equal(missOf(decider, factsOf(question, categories, policy.usesExtended)), null, about)
      seen.set(`${question.stage} ${verdict}`, (seen.get(`${question.stage} ${verdict}`) ?? 0) + 1)
    }
  }
  const expected = ['tls splice', 'tls bump', 'tls deny', 'request allow', 'request deny', 'request redirect']
  for (const one of [...expected, 'request wait', 'reply allow', 'reply deny', 'reply redirect'])
    assert.ok((seen.get(one) ?? 0) > 100, `${one}: ${seen.get(one)}`)
})

const base: FilterRule = {
  id: 1,
  name: 'r',
  access: 'deny',
  redirectUrl: null,
  categories: ['special.id.1'],
  methods: [],
  contentTypes: [],
  sources: { isAny: true, members: [], addresses: [] },
  times: null,
}

const policyOf = (rules: readonly Partial<FilterRule>[], more: Partial<FilterPolicy> = {}): FilterPolicy => ({
  isEnabled: true,
  usesExtended: true,
  safeSearch: false,
  morphology: false,
  onFailure: 'block',
  names: {},
  rules: rules.map((rule, at) => ({ ...base, id: at + 1, ...rule })),
  ...more,
})

const request: FilterQuestion = {
  stage: 'request',
  source: '10.0.0.1',
  user: null,
  time: 0,
  destination: null,
  port: 443,
  host: 'a.example',
  scheme: 'https',
  method: 'GET',
  path: '/',
  requestType: null,
  replyType: null,
}

const nothing = { find: () => [] }
const verdictOf = (policy: FilterPolicy, asked: Partial<FilterQuestion>, categories = topics): string => {
  const { verdict, ruleId } = decide({ policy, categories }, { ...request, ...asked })
  return `${verdict} ${ruleId}`
}

describe('content types', () => {
  const policy = policyOf([{ contentTypes: ['video/*'] }, { access: 'allow', contentTypes: ['text/html'] }, {}])
  const cases: Readonly<Record<string, string>> = {
    'video/mp4': 'deny 1',
    'VIDEO/MP4 ; codecs="a,b"': 'deny 1',
    'text/html, video/mp4': 'deny 1',
    'text/html;a=b, Video/x': 'deny 1',
    'text/html; charset=utf-8': 'allow 2',
    'text/html, application/zip': 'deny 3',
    'videos/mp4': 'deny 3',
    '': 'deny 3',
  }
  for (const [replyType, expected] of Object.entries(cases))
    it(`"${replyType}": ${expected}`, () => {
      assert.equal(verdictOf(policy, { stage: 'reply', replyType }), expected)
    })
  it('waits for the reply only when that makes a difference', () => {
    assert.equal(verdictOf(policy, {}), 'wait 1')
    assert.equal(verdictOf(policyOf([{ contentTypes: ['video/*'] }, {}]), {}), 'deny 2')
    assert.equal(verdictOf(policyOf([{ access: 'allow', contentTypes: ['video/*'] }]), {}), 'allow null')
  })
})

describe('what a request does', () => {
  const policy = policyOf([{ categories: ['other.id.1', 'other.id.2'] }], { usesExtended: false })
  const social = { host: 'social.example' }
  const share = { host: 'SHARE.example.', method: 'POST' }
  it('posting is denied and viewing is allowed', () => {
    assert.equal(verdictOf(policy, social), 'allow null')
    assert.equal(verdictOf(policy, { ...social, method: 'POST', path: '/wall' }), 'deny 1')
    assert.equal(verdictOf(policy, { ...social, method: 'POST', path: '/login.php?next=1' }), 'allow null')
    assert.equal(verdictOf(policy, { ...social, method: 'POST', path: '/login/../wall' }), 'deny 1')
    assert.equal(verdictOf(policy, { ...social, stage: 'tls', method: null, path: null }), 'splice null')
  })
  it('files are not uploaded, forms are', () => {
    assert.equal(verdictOf(policy, { ...share, requestType: 'multipart/form-data; boundary=x' }), 'deny 1')
    assert.equal(verdictOf(policy, { ...share, requestType: 'application/json, multipart/form-data' }), 'deny 1')
    assert.equal(verdictOf(policy, { ...share, requestType: 'application/x-www-form-urlencoded' }), 'allow null')
    assert.equal(verdictOf(policy, { ...share, method: 'PUT', requestType: 'application/json' }), 'deny 1')
  })
})

it('addresses count as such in every spelling', () => {
  const policy = policyOf([{ categories: ['special.id.4'] }])
  for (const host of ['10.0.0.1', '0x0a.1', '012.0.0.1', '167772161', '[::1]', '[::ffff:10.0.0.1]', '10.0.0.1.'])
    assert.equal(verdictOf(policy, { host }, nothing), 'deny 1', host)
  for (const host of ['a.example', '10.0.0.1.example', '1.2.3.4.5', ''])
    assert.equal(verdictOf(policy, { host }, nothing), 'allow null', host)
})

it('files are found by the path and by the type of the reply', () => {
  const policy = policyOf([{ categories: ['files.id.1'] }])
  for (const path of ['/a.exe', '/a.EXE', '/a.ex%65?x', '/a.exe;v=1', '/a.exe.', '/d/%61.MSI'])
    assert.equal(verdictOf(policy, { path }), 'deny 1', path)
  for (const path of ['/exe', '/a.exe/', '/a?b.exe', '/.', '/a.', '/%', '/%zz.%'])
    assert.equal(verdictOf(policy, { path }), 'wait 1', path)
  const reply = { stage: 'reply', path: '/get' } as const
  assert.equal(verdictOf(policy, { ...reply, replyType: 'application/x-msdownload' }), 'deny 1')
  assert.equal(verdictOf(policy, { ...reply, replyType: 'text/html' }), 'allow null')
})

it('a redirection does not apply to the page it leads to, nor to TLS', () => {
  const policy = policyOf([{ access: 'redirect', redirectUrl: 'https://a.example/stop?x=1' }])
  assert.equal(verdictOf(policy, {}), 'redirect 1')
  assert.equal(verdictOf(policy, { path: '/stop?x=1' }), 'allow null')
  assert.equal(verdictOf(policy, { stage: 'tls', path: null, method: null }), 'splice null')
})

it('hostile texts are judged too', () => {
  const policy = policyOf([
    { categories: ['users.id.1', 'files.id.2', 'other.id.1'] },
    { categories: ['special.id.3'] },
  ])
  const categories = lookUpIn(
    tableOf([{ id: 'users.id.1', entries: ['a.example', '%', '\ud800', 'http://', '[::', '*.'] }]),
  )
  const texts = [
    '',
    '.',
    '..',
    '%',
    '\ud800',
    '\u0000',
    ' ',
    '[',
    '[::',
    ':',
    '@',
    '/'.repeat(70_000),
    'a.'.repeat(40_000),
  ]
  for (const text of [...texts, '%ff'.repeat(20_000), 'é'.repeat(9_000)])
    for (const stage of ['tls', 'request', 'reply'] as const) {
      const asked = { ...request, stage, host: text, path: text, method: text, requestType: text, replyType: text }
      assert.equal(decide({ policy, categories }, asked).ruleId, 2, `${stage} ${text.slice(0, 20)}`)
    }
})
