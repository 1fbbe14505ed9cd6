// Answers a question of the proxy: what is known of the request, what the rules decide about it, and what the page says. Pure.

import type { Deciding } from '../domain/web-filter/decide.ts'
import type { FilterDecision, FilterQuestion, FilterUser } from '../domain/web-filter/model.ts'
import { russianNames } from '../domain/web-filter/names-ru.ts'
import { type Answer, type AskLine, encodeLocation, maxLocation } from '../engines/web-filter/ask-line.ts'

export interface Judging {
  readonly deciding: Deciding
  readonly decide: (deciding: Deciding, question: FilterQuestion) => FilterDecision
  readonly userAt: (address: string) => FilterUser | null
  /** Unix seconds. */
  readonly now: () => number
  /** Ports of the proxy that intercepted connections come to; every other one is that of the direct proxy. */
  readonly intercepting: ReadonlySet<number>
}

/** More names than a page can show. */
const maxNames = 12

export function judge(line: AskLine, judging: Judging): Answer {
  const { deciding, decide } = judging
  const user = judging.userAt(line.source)
  const question = questionOf(line, user, judging)
  const isConnect = line.stage === 'request' && line.method === 'CONNECT'
  const decision = isConnect
    ? judgeConnect(question, judging)
    : strictest(decide(deciding, question), otherNames(line, question, judging))
  const denied = line.stage === 'request' && line.connection?.verdict === 'deny' ? line.connection : null
  // What was denied at the hello has no server behind it, whatever the rules say by now.
  const final: FilterDecision = denied
    ? { ...decision, verdict: 'deny', ruleId: denied.ruleId, reason: 'rule', location: null }
    : withSentLocation(decision)
  const { verdict, ruleId, reason, location, categories } = final
  const isOpen = verdict === 'wait' || (isConnect && verdict !== 'deny')
  return {
    stage: line.stage,
    verdict,
    user,
    isChunked: line.isChunked,
    decided: isOpen ? null : { ruleId, reason, location, categories: categories.map(({ id }) => id) },
    page: verdict === 'deny' ? pageOf(line, final, user, deciding) : null,
  }
}

function pageOf(
  line: AskLine,
  { ruleId, categories }: FilterDecision,
  user: FilterUser | null,
  { policy }: Deciding,
): Answer['page'] {
  const language = languageOf(line.language)
  return {
    language,
    categories: namesOf(categories, policy.names, language),
    rule: policy.rules.find(({ id }) => id === ruleId)?.name ?? '',
    user: user?.login ?? '',
  }
}

/** An address that no answer can hold is not sent cut: the request is denied. */
const withSentLocation = (decision: FilterDecision): FilterDecision =>
  decision.location !== null && encodeLocation(decision.location).length > maxLocation
    ? { ...decision, verdict: 'deny', location: null }
    : decision

/**
 * The direct proxy is asked for a connection: what the hello would decide is decided now, because the connection may not be
 * TLS. Rules that name the method CONNECT count here and nowhere else.
 */
function judgeConnect(question: FilterQuestion, { deciding, decide }: Judging): FilterDecision {
  const asHello = decide(deciding, { ...question, stage: 'tls', method: null, path: null })
  if (asHello.verdict === 'deny') return asHello
  const asRequest = decide(deciding, { ...question, path: null })
  const rule = deciding.policy.rules.find(({ id }) => id === asRequest.ruleId)
  if (asRequest.verdict === 'deny' && rule?.methods.includes('CONNECT')) return asRequest
  return { ...asHello, verdict: 'allow' }
}

/**
 * A client of the direct proxy names a host to the proxy and may name another one in the hello, and a request that was decrypted
 * may name another one than the hello: both are judged. Of an intercepted connection the proxy names the address that it was
 * sent to, which says nothing.
 */
function otherNames(line: AskLine, question: FilterQuestion, { deciding, decide }: Judging): FilterDecision | null {
  if (line.stage === 'reply' || line.serverName === null) return null
  const host = line.stage === 'tls' ? splitUrl(line.url ?? '').host : line.serverName
  if (host === '' || host === line.destination || host === question.host) return null
  return decide(deciding, { ...question, host })
}

function strictest(decision: FilterDecision, other: FilterDecision | null): FilterDecision {
  if (other === null || decision.verdict === 'deny') return decision
  return other.verdict === 'deny' || (other.verdict === 'bump' && decision.verdict === 'splice') ? other : decision
}

function questionOf(line: AskLine, user: FilterUser | null, { now, intercepting }: Judging): FilterQuestion {
  const isDirect = !intercepting.has(line.listener)
  const target = splitUrl(line.url ?? '')
  const common = {
    stage: line.stage,
    source: line.source,
    user,
    time: now(),
    destination: isDirect ? null : line.destination,
  }
  const isTls = line.stage === 'tls' || line.method === 'CONNECT'
  if (isTls) {
    const place = isDirect || line.destination === null ? target : { host: line.destination, port: line.port }
    return {
      ...common,
      port: place.port ?? 443,
      host: line.stage === 'tls' && line.serverName ? line.serverName : place.host,
      scheme: 'https',
      path: null,
      requestType: null,
      replyType: null,
      method: line.stage === 'tls' ? null : line.method,
    }
  }
  return {
    ...common,
    host: target.host,
    scheme: target.scheme,
    path: target.path,
    method: line.method,
    port: target.port ?? (target.scheme === 'https' ? 443 : 80),
    requestType: line.requestType,
    replyType: line.replyType,
  }
}

interface Target {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number | null
  /** With the query. */
  readonly path: string
}

/** `http://host:80/path?query` or `host:443`, as sent; total, because what is not a URL is judged too. */
export function splitUrl(url: string): Target {
  const [prefix = '', scheme = ''] = /^([a-z][a-z0-9+.-]{0,30}):\/\//i.exec(url) ?? []
  const rest = url.slice(prefix.length)
  const end = rest.search(/[/?#]/)
  const authority = end < 0 ? rest : rest.slice(0, end)
  const place = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/%5b/i, '[')
    .replace(/%5d/i, ']')
  const path = end < 0 ? '/' : rest.slice(end)
  const isBare = !place.startsWith('[') && place.indexOf(':') !== place.lastIndexOf(':')
  const digits = isBare ? undefined : /:([0-9]{1,5})$/.exec(place)?.[1]
  return {
    scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http',
    host: digits === undefined ? place : place.slice(0, -digits.length - 1),
    port: digits === undefined ? null : Number(digits),
    path: path.startsWith('/') ? path : `/${path}`,
  }
}

/** The language that a browser prefers of those the page has. */
export function languageOf(header: string | null): 'en' | 'ru' {
  let best = { language: 'en' as 'en' | 'ru', weight: 0 }
  for (const part of (header ?? '').slice(0, 500).split(',')) {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
    const language = /^(ru|en)(?:-|$)/.exec(tag.trim())?.[1]
    const quality = parameters
      .map((one) => /^\s*q\s*=\s*([0-9.]{1,5})\s*$/.exec(one)?.[1])
      .find((one) => one !== undefined)
    const weight = quality === undefined ? 1 : Number(quality) || 0
    if ((language === 'en' || language === 'ru') && weight > best.weight) best = { language, weight }
  }
  return best.language
}

function namesOf(
  categories: FilterDecision['categories'],
  names: Readonly<Record<string, string>>,
  language: 'en' | 'ru',
): string {
  // Every request is in those of this kind.
  const shown = [...new Set(categories.map(({ id }) => id))].filter((id) => !/^special\.id\.[123]$/.test(id))
  const titles = shown.slice(0, maxNames).map((id) => {
    const name = names[id] ?? id
    return language === 'ru' && !id.startsWith('users.') ? (russianNames[name] ?? name) : name
  })
  return titles.join('; ')
}
