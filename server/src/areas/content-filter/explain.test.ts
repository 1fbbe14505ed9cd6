// The policy of a configuration, and what is explained of it.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Config } from '../../core/model/slots.ts'
import { noFacts } from '../../core/plan/facts.ts'
import { fileSharing, socialNetworks } from '../../domain/web-filter/other-activity.ts'
import { parsePolicy, parseUserCategories } from '../../domain/web-filter/policy-file.ts'
import { fixedCategories } from './catalogue.ts'
import { findClient } from './client.ts'
import { defaultRules, rules, start, state, userCategories } from './config.ts'
import type { ExplainedRequest } from './contract-database.ts'
import type { ContentRule } from './contract-rules.ts'
import { explainWeb } from './explain.ts'
import { policyAt, policyOf } from './policy.ts'
import { renderPolicy } from './render.ts'
import { readUrl } from './url.ts'

const [base] = defaultRules as readonly [ContentRule]
const rule = (id: number, fields: Partial<ContentRule>): ContentRule => ({ ...base, id, name: `r${id}`, ...fields })

const config: Config = {
  [start.key]: { defaults_stored: true },
  [state.key]: { enabled: true },
  [userCategories.key]: [
    { id: 'users.id.1', name: 'News', comment: '', urls: ['news.example', 'bad\nusers.id.2\tx.example'] },
    { id: 'users.id.2', name: 'Pages "x"', comment: '', urls: ['news.example/p'] },
  ],
  [rules.key]: [
    rule(1, { aliases: ['user.id.7'], access: 'deny', categories: ['special.id.1'] }),
    rule(2, { enabled: false, access: 'deny', categories: ['special.id.1'] }),
    rule(3, { access: 'bump', categories: ['users.id.1'] }),
    rule(4, { access: 'deny', categories: ['users.id.2'], http_methods: ['POST'] }),
    rule(5, { access: 'redirect', redirect_url: 'http://stop.example/', categories: ['users.id.2'] }),
    rule(6, { access: 'deny', categories: ['users.id.1'], content_types: ['Video/*'] }),
  ],
}
const policy = policyOf(config, noFacts, 'block')

const categories = {
  find: ({ path }: { readonly path: string | null }) =>
    path === '/p'
      ? [{ id: 'users.id.2', entry: 'news.example/p', source: 'Pages "x"' }]
      : [{ id: 'users.id.1', entry: 'news.example', source: 'News' }],
}

function explain(url: string, more: Partial<ExplainedRequest> = {}, isTaken = true) {
  const read = readUrl(url)
  assert.ok(read)
  return explainWeb({
    deciding: { policy, categories },
    asked: { url, ...more },
    url: read,
    source: '10.0.0.5',
    user: null,
    now: 0,
    interception: { isTaken, text: 'Taken.', notes: [] },
  })
}

it('the files of a configuration are accepted by their parsers, and disabled rules are not in them', () => {
  const texts = new Map(
    renderPolicy(config, noFacts, { onFailure: 'pass' }).flatMap((one) =>
      one.kind === 'file' ? [[one.name, one.text]] : [],
    ),
  )
  const parsed = parsePolicy(texts.get('web-policy.json') ?? '')
  assert.ok(typeof parsed !== 'string', `${parsed}`)
  assert.deepEqual(
    parsed.rules.map(({ id }) => id),
    [1, 3, 4, 5, 6],
  )
  assert.deepEqual([parsed.onFailure, parsed.rules[4]?.contentTypes], ['pass', ['video/*']])
  assert.deepEqual(parseUserCategories(texts.get('web-user-categories.txt') ?? ''), [
    { id: 'users.id.1', entries: ['news.example'] },
    { id: 'users.id.2', entries: ['news.example/p'] },
  ])
})

it('the policy is the same value until something behind it changes', () => {
  assert.equal(policyOf(config, noFacts, 'block'), policyOf({ ...config }, noFacts, 'block'))
  assert.equal(policyAt(config, noFacts, 'block', 5), policyOf(config, noFacts, 'block'))
  assert.notEqual(policyOf({ ...config, [state.key]: { enabled: false } }, noFacts, 'block').isEnabled, true)
})

it('each stage names its rule and why earlier ones did not match', () => {
  const {
    verdict,
    decrypted,
    rule: decider,
    redirect_url,
    stages,
    categories: found,
  } = explain('https://news.example/p')
  assert.deepEqual([verdict, decrypted, decider?.id, redirect_url], ['redirect', true, 5, 'http://stop.example/'])
  assert.deepEqual(
    stages.map(({ stage, verdict: one, rule: by }) => [stage, one, by?.id ?? null]),
    [
      ['interception', 'allow', null],
      ['tls', 'bump', 3],
      ['request', 'redirect', 5],
    ],
  )
  assert.deepEqual(
    stages[2]?.passed.map(({ id, field }) => [id, field]),
    [
      [1, 'aliases'],
      [3, 'access'],
      [4, 'http_methods'],
    ],
  )
  assert.equal(found[0]?.name, 'Pages "x"')
})

it('a reply decides where its type is asked for', () => {
  assert.equal(explain('http://news.example/v').verdict, 'depends')
  assert.equal(explain('http://news.example/v', { content_type: 'video/mp4' }).rule?.id, 6)
  assert.equal(explain('http://news.example/v', { content_type: 'text/html' }).verdict, 'allow')
})

it('what the proxy does not take is not filtered, and has categories', () => {
  const { verdict, stages, categories: found } = explain('https://news.example/', {}, false)
  assert.deepEqual([verdict, stages.length, found[0]?.id], ['not_filtered', 1, 'users.id.1'])
})

it('a client is an address, a user or both', () => {
  const sessions = { ofUser: () => [], at: () => undefined }
  const fields = (asked: Pick<ExplainedRequest, 'source' | 'user'>) =>
    findClient(config, sessions, asked).problems.map(({ field }) => field)
  assert.deepEqual(fields({}), ['source'])
  assert.deepEqual(fields({ source: '1.2.3.400', user: 99 }), ['source', 'user'])
  assert.deepEqual(fields({ source: '10.0.0.5' }), [])
})

it('posting and uploading know their topics by the numbers of the catalogue', () => {
  const named = [...socialNetworks, ...fileSharing].map((id) => fixedCategories.find((one) => one.id === id)?.name)
  assert.deepEqual(named, ['Social networks', 'Social communities', 'File storage', 'File sharing'])
})
