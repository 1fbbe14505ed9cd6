// A second, slow reading of the rules of the content filter for property tests: rule by rule and condition by condition, with
// its own code for hosts, pages and types. And random policies and questions about them.

import type {
  CategoryLookup,
  FilterPolicy,
  FilterQuestion,
  FilterRule,
  FilterVerdict,
} from '../../src/domain/web-filter/model.ts'
import type { UserCategoryEntries } from '../../src/domain/web-filter/policy-file.ts'
import { pick, type Random } from './random-policy.ts'

export interface NaiveDecision {
  readonly verdict: FilterVerdict
  readonly ruleId: number | null
}

type Match = 'yes' | 'no' | 'maybe'

/** Without safe search. */
export function decideNaively(policy: FilterPolicy, lookup: CategoryLookup, asked: FilterQuestion): NaiveDecision {
  const pass: FilterVerdict = asked.stage === 'tls' ? 'splice' : 'allow'
  if (!policy.isEnabled) return { verdict: pass, ruleId: null }
  const outcomes: { readonly text: string; readonly rule: FilterRule | null }[] = []
  for (const rule of policy.rules) {
    const match = matchOf(policy, lookup, rule, asked)
    if (match === 'no') continue
    outcomes.push({ text: `${rule.access} ${rule.redirectUrl}`, rule })
    if (match === 'yes') break
    if (rule === policy.rules.at(-1)) outcomes.push({ text: 'allow null', rule: null })
  }
  const isOpen = outcomes.some(({ rule }) => rule && matchOf(policy, lookup, rule, asked) === 'maybe')
  const decidedLast = outcomes.at(-1)
  const isEnded = decidedLast?.rule && matchOf(policy, lookup, decidedLast.rule, asked) === 'yes'
  if (!isEnded && decidedLast?.rule !== null) outcomes.push({ text: 'allow null', rule: null })
  if (isOpen && new Set(outcomes.map(({ text }) => text)).size > 1)
    return { verdict: 'wait', ruleId: outcomes[0]?.rule?.id ?? null }
  const rule = outcomes.at(-1)?.rule ?? null
  return { verdict: rule === null || rule.access === 'allow' ? pass : rule.access, ruleId: rule?.id ?? null }
}

const and = (...matches: readonly Match[]): Match =>
  matches.includes('no') ? 'no' : matches.includes('maybe') ? 'maybe' : 'yes'

const or = (...matches: readonly Match[]): Match =>
  matches.includes('yes') ? 'yes' : matches.includes('maybe') ? 'maybe' : 'no'

const say = (holds: boolean): Match => (holds ? 'yes' : 'no')

function matchOf(policy: FilterPolicy, lookup: CategoryLookup, rule: FilterRule, asked: FilterQuestion): Match {
  const { stage } = asked
  if (stage === 'tls' ? rule.access === 'redirect' || rule.contentTypes.length > 0 : rule.access === 'bump') return 'no'
  return and(
    say(isSource(rule, asked)),
    say(rule.times === null || isWithin(rule.times, asked.time)),
    say(rule.methods.length === 0 || (asked.method !== null && rule.methods.includes(asked.method))),
    rule.contentTypes.length === 0 ? 'yes' : typeMatch(rule, asked),
    or(...rule.categories.map((id) => categoryMatch(policy, lookup, rule, id, asked))),
  )
}

const isWithin = (ranges: readonly number[], value: number): boolean =>
  ranges.some((low, at) => at % 2 === 0 && low <= value && value <= (ranges[at + 1] as number))

function isSource({ sources }: FilterRule, { source, user }: FilterQuestion): boolean {
  const number = source.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  return (
    sources.isAny ||
    isWithin(sources.addresses, number) ||
    sources.members.some((id) => user?.members.includes(id) ?? false)
  )
}

const typesOf = (header: string | null): string[] =>
  (header ?? '')
    .split(',')
    .map((part) => part.replace(/;.*/, '').trim().toLowerCase())
    .filter((part) => part.includes('/'))

function typeMatch({ access, contentTypes }: FilterRule, { stage, requestType, replyType }: FilterQuestion): Match {
  const isNamed = (type: string): boolean =>
    contentTypes.some((one) => one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))))
  const matches = (types: readonly string[]): boolean =>
    types.length > 0 && (access === 'allow' ? types.every(isNamed) : types.some(isNamed))
  if (matches(typesOf(requestType))) return 'yes'
  return stage === 'request' ? 'maybe' : say(matches(typesOf(replyType)))
}

/** A part of the product's table, by hand. */
const groups: Readonly<Record<string, { readonly extension: RegExp; readonly type: RegExp }>> = {
  'files.id.1': { extension: /\.exe$/, type: /^application\/x-msdownload$/ },
  'files.id.2': { extension: /\.zip$/, type: /^application\/zip$/ },
  'files.id.3': { extension: /\.mp4$/, type: /^video\// },
}

function categoryMatch(
  { usesExtended }: FilterPolicy,
  lookup: CategoryLookup,
  rule: FilterRule,
  id: string,
  asked: FilterQuestion,
): Match {
  const { stage, host, path, method, requestType, replyType } = asked
  const found = lookup.find(asked).map((one) => one.id)
  const usable = found.filter((one) => usesExtended || !one.startsWith('extended.'))
  const [kind = '', , number = ''] = id.split('.')
  if (kind === 'users' || kind === 'extended') return say(usable.includes(id))
  if (kind === 'special')
    return say([true, usable.length > 0, usable.length === 0, /^[0-9.]+$/.test(host)][Number(number) - 1] ?? false)
  if (stage === 'tls') return 'no'
  if (kind === 'other') {
    const isWriting = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method ?? '')
    if (number === '1') return say(isWriting && found.includes('extended.id.102'))
    const bodies = typesOf(requestType)
    const isForm = bodies.length > 0 && bodies.every((type) => type === 'application/json')
    const isUpload = method === 'PUT' || !isForm
    return say(isWriting && method !== 'DELETE' && isUpload && found.includes('extended.id.124'))
  }
  const group = groups[id]
  if (group === undefined) throw new Error(`The reference does not know ${id}.`)
  if (group.extension.test((path ?? '').replace(/\?.*/, '').toLowerCase())) return 'yes'
  if (stage === 'request') return 'maybe'
  const types = typesOf(replyType)
  const isOf = (type: string): boolean => group.type.test(type)
  return say(types.length > 0 && (rule.access === 'allow' ? types.every(isOf) : types.some(isOf)))
}

const hosts = [
  'a.example',
  'www.a.example',
  'x.www.a.example',
  'b.example',
  'social.example',
  'share.example',
  '10.1.1.1',
]
const paths = ['/', '/home', '/home/x.exe', '/homes', '/f.ZIP?a=1', '/v.mp4', '/home?x=1&y=2']
const members = ['user.id.1', 'user.id.2', 'group.id.5']
const types = ['text/html', 'video/mp4', 'application/zip', 'application/json', 'video/*']
const methods = ['GET', 'POST', 'PUT', 'DELETE']
const headers = [
  'text/html',
  'Text/HTML; charset=utf-8',
  'video/mp4',
  'VIDEO/WEBM;x="1"',
  'application/zip',
  'text/html, video/mp4',
  'application/zip,application/zip',
  'application/json',
  'nothing',
  '',
]
const categories = [
  'users.id.1',
  'users.id.2',
  'users.id.3',
  'special.id.1',
  'special.id.2',
  'special.id.3',
  'special.id.4',
  'files.id.1',
  'files.id.2',
  'files.id.3',
  'extended.id.102',
  'extended.id.124',
  'other.id.1',
  'other.id.2',
]
const entries = [
  'a.example',
  '*.a.example',
  'www.a.example',
  'WWW.a.example.',
  'http://www.a.example/',
  'https://a.example',
  'https://www.a.example:8443',
  'a.example/home',
  'www.a.example/home',
  '*.a.example/home',
  'a.example/home?x=1',
  '10.1.1.1',
  'b.example:8080',
  'x.www.a.example',
  'example',
  'http://b.example:80/home',
  'not a host',
  '*',
  '',
]

const some = <T>(random: Random, items: readonly T[], most: number): T[] => [
  ...new Set(Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(random, items))),
]

function randomRule(random: Random, id: number): FilterRule {
  const access = pick(random, ['allow', 'deny', 'deny', 'bump', 'redirect'] as const)
  const isAny = random() < 0.5
  const low = 10 * 2 ** 24 + Math.floor(random() * 4)
  return {
    id,
    name: `rule ${id}`,
    access,
    redirectUrl: access === 'redirect' ? pick(random, ['http://r.example/', 'http://s.example/']) : null,
    sources: {
      isAny,
      members: isAny ? [] : some(random, members, 2),
      addresses: isAny || random() < 0.5 ? [] : [low, low + 1],
    },
    categories: [pick(random, categories), ...some(random, categories, 2)],
    methods: random() < 0.7 ? [] : some(random, methods, 3),
    contentTypes: random() < 0.7 ? [] : some(random, types, 2),
    times: random() < 0.8 ? null : pick(random, [[0, 49], [20, 29, 60, 99], []]),
  }
}

export const randomPolicy = (random: Random, mostRules: number): FilterPolicy => ({
  isEnabled: random() < 0.97,
  usesExtended: random() < 0.5,
  safeSearch: false,
  morphology: false,
  onFailure: 'block',
  names: {},
  rules: Array.from({ length: Math.floor(random() * mostRules) }, (_, at) => randomRule(random, at + 1)),
})

export const randomCategories = (random: Random): UserCategoryEntries[] =>
  ['users.id.1', 'users.id.2', 'users.id.3'].map((id) => ({ id, entries: some(random, entries, 5) }))

/** Two hosts of the index. */
export const topics: CategoryLookup = {
  find: ({ host }) =>
    [
      { name: 'social.example', id: 'extended.id.102' },
      { name: 'share.example', id: 'extended.id.124' },
    ]
      .filter(({ name }) => name === host)
      .map(({ name, id }) => ({ id, entry: name, source: 'file' })),
}

export function randomQuestion(random: Random): FilterQuestion {
  const stage = pick(random, ['tls', 'request', 'reply'] as const)
  const isTls = stage === 'tls'
  const scheme = isTls ? 'https' : pick(random, ['http', 'https'] as const)
  const ids = some(random, members, 3)
  return {
    stage,
    source: `10.0.0.${Math.floor(random() * 6)}`,
    user: random() < 0.4 ? null : { id: 'user.id.1', login: 'u', name: 'U', members: ids },
    time: Math.floor(random() * 110),
    destination: null,
    port: pick(random, [80, 443, 8080, 8443]),
    host: pick(random, hosts),
    scheme,
    method: isTls ? null : pick(random, methods),
    path: isTls ? null : pick(random, paths),
    requestType: isTls || random() < 0.6 ? null : pick(random, headers),
    replyType: stage === 'reply' && random() < 0.9 ? pick(random, headers) : null,
  }
}

/** Every entry that covers the request, by hand; of those the ones that no other is more specific than. */
export function findNaively(categoriesOfUsers: readonly UserCategoryEntries[]): CategoryLookup {
  const all = categoriesOfUsers.flatMap(({ id, entries: list }) => list.map((entry) => ({ id, entry })))
  return {
    find: (asked) => {
      const covering = all.flatMap(({ id, entry }) => {
        const rank = rankOf(entry, asked)
        return rank === null ? [] : [{ id, entry, rank }]
      })
      const best = covering
        .map(({ rank }) => rank)
        .sort()
        .at(-1)
      const winners = new Map(covering.filter(({ rank }) => rank === best).map((one) => [one.id, one]))
      return [...winners.values()].map(({ id, entry }) => ({ id, entry, source: id }))
    },
  }
}

const entryForm = /^(?:(https?):\/\/)?(\*\.)?([a-z0-9.-]+?)\.?(?::(\d+))?(\/.*)?$/i

/** A text that sorts as the entry is specific; null when it does not cover the request. */
function rankOf(
  entry: string,
  { host, path, scheme, port }: Pick<FilterQuestion, 'host' | 'path' | 'scheme' | 'port'>,
): string | null {
  const [, ofScheme, wild, written = '', ofPort, page = '/'] = entryForm.exec(entry) ?? []
  const name = written.toLowerCase()
  const isPage = page !== '/'
  const isBelow = host.endsWith(`.${name}`)
  const isOn = wild ? isBelow : isPage ? host === name : host === name || isBelow
  if (!isOn || (ofScheme !== undefined && ofScheme !== scheme) || (ofPort !== undefined && Number(ofPort) !== port))
    return null
  if (
    isPage &&
    !(
      path !== null &&
      [page, `${page}/`, `${page}?`, `${page}&`].some((one) => one === path || (one !== page && path.startsWith(one)))
    )
  )
    return null
  const number = (value: number): string => String(value).padStart(5, '0')
  const flags = [ofPort, ofScheme].map((one) => (one === undefined ? '0' : '1')).join('')
  return `${number(name.length)}${wild ? 1 : 0}${number(isPage ? page.length : 0)}${flags}`
}
