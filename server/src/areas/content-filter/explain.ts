// Explains what the filter does with a web request, stage by stage as the proxy asks: the same decision as that of the
// decision process, with the reasons. Pure.

import { type Deciding, decide, type ExplainedDecision, explainDecision } from '../../domain/web-filter/decide.ts'
import type { FilterDecision, FilterPolicy, FilterQuestion, FilterUser } from '../../domain/web-filter/model.ts'
import { type SaidText, say, sentencesIn } from '../../shared/said.ts'
import type { ExplainedRequest, WebExplanation } from './contract-database.ts'
import type { AskedUrl } from './url.ts'

type Stage = WebExplanation['stages'][number]

export interface ExplainedFrom {
  readonly deciding: Deciding
  readonly asked: ExplainedRequest
  readonly url: AskedUrl
  readonly source: string
  readonly user: FilterUser | null
  readonly now: number
  /** Whether the proxy gets the request at all, and what else is worth knowing. */
  readonly interception: { readonly isTaken: boolean; readonly text: string; readonly notes: readonly string[] }
}

export function explainWeb(from: ExplainedFrom): WebExplanation {
  const { deciding, interception } = from
  const taken = stageOf('interception', interception.isTaken ? 'allow' : 'not_filtered', interception.text)
  if (!interception.isTaken) return answer(from, [taken], 'not_filtered', null, false)
  const ask = (stage: FilterQuestion['stage']): ExplainedDecision => explainDecision(deciding, questionOf(from, stage))
  const stages = [taken]
  const add = (stage: FilterQuestion['stage']): ExplainedDecision => {
    const decision = ask(stage)
    stages.push(describe(deciding.policy, stage, decision))
    return decision
  }
  const isTls = from.url.scheme === 'https'
  if (isTls) {
    const hello = add('tls')
    if (hello.verdict === 'splice') return answer(from, stages, 'allow', hello, false)
    if (hello.verdict === 'deny') return answer(from, stages, 'deny', hello, true)
  }
  const request = add('request')
  const decision = request.verdict === 'wait' && from.asked.content_type !== undefined ? add('reply') : request
  return answer(from, stages, outcomes[decision.verdict] ?? 'allow', decision, isTls)
}

const outcomes: Readonly<Partial<Record<FilterDecision['verdict'], WebExplanation['verdict']>>> = {
  deny: 'deny',
  redirect: 'redirect',
  wait: 'depends',
}

function questionOf({ asked, url, source, user, now }: ExplainedFrom, stage: FilterQuestion['stage']): FilterQuestion {
  const { host, scheme, port } = url
  const isTls = stage === 'tls'
  return {
    stage,
    source,
    user,
    time: asked.time ?? now,
    destination: null,
    host,
    scheme,
    port,
    method: isTls ? null : (asked.method ?? 'GET'),
    path: isTls ? null : url.path,
    requestType: isTls ? null : (asked.request_type ?? null),
    replyType: stage === 'reply' ? (asked.content_type ?? null) : null,
  }
}

const stageOf = (stage: Stage['stage'], verdict: Stage['verdict'], text: string): Stage => ({
  stage,
  verdict,
  rule: null,
  text,
  passed: [],
  passed_count: 0,
})

const ruleOf = ({ rules }: FilterPolicy, id: number | null): Stage['rule'] => {
  const rule = id === null ? undefined : rules.find((one) => one.id === id)
  return rule ? { id: rule.id, name: rule.name } : null
}

function describe(policy: FilterPolicy, stage: FilterQuestion['stage'], decision: ExplainedDecision): Stage {
  const { verdict, ruleId, passed, passedCount } = decision
  const rule = ruleOf(policy, ruleId)
  return { stage, verdict, rule, text: textOf(decision, rule), passed: [...passed], passed_count: passedCount }
}

const effects = {
  splice: say`the connection passes without being decrypted`,
  bump: say`the connection is decrypted, and its requests are judged`,
  allow: say`the request passes`,
  deny: say`it is refused with the block page`,
  redirect: say`the client is sent to another address`,
  wait: say`the type of the reply decides`,
} as const

function textOf({ verdict, reason }: FilterDecision, rule: Stage['rule']): SaidText {
  if (reason === 'disabled') return say`The content filter is disabled: everything passes.`
  if (reason === 'safe-search')
    return verdict === 'bump'
      ? say`Safe search needs the connection decrypted.`
      : say`Safe search sends the client to the same search with the safe mode.`
  if (rule === null) return say`No rule matches: ${effects[verdict]}.`
  if (verdict === 'wait')
    return say`Rule ${rule.id} "${rule.name}" matches if the reply is of its type: ${effects.wait}.`
  return say`Rule ${rule.id} "${rule.name}" matches: ${effects[verdict]}.`
}

function answer(
  from: ExplainedFrom,
  stages: Stage[],
  verdict: WebExplanation['verdict'],
  decision: FilterDecision | null,
  isDecrypted: boolean,
): WebExplanation {
  const { deciding, user, source, interception, url } = from
  const { policy } = deciding
  const { categories } = decision ?? decide(withoutRules(deciding), questionOf(from, 'request'))
  const isRead = verdict !== 'deny' && verdict !== 'not_filtered' && (url.scheme === 'http' || isDecrypted)
  const notes = [
    ...interception.notes,
    ...(source === '' ? [say`It is not known where the user is, so rules for addresses do not match.`] : []),
    ...(isRead && policy.morphology ? [say`The words of the page can still have it blocked.`] : []),
    ...(verdict === 'depends' ? [say`Send content_type to see what a reply of that type gets.`] : []),
  ]
  const reasons = stages.flatMap(({ text, passed }) => [text, ...passed.map(({ reason }) => reason)])
  return {
    verdict,
    decrypted: isDecrypted,
    rule: ruleOf(policy, decision?.ruleId ?? null),
    redirect_url: decision?.location ?? null,
    user: user && { id: user.id, login: user.login, name: user.name },
    categories: categories.map((one) => ({ ...one, name: policy.names[one.id] ?? one.id })),
    stages,
    notes,
    sentences: sentencesIn([...notes, ...reasons]),
  }
}

/** What is not filtered has categories too. */
const withoutRules = (deciding: Deciding): Deciding => ({
  ...deciding,
  policy: { ...deciding.policy, isEnabled: true, safeSearch: false, rules: [] },
})
