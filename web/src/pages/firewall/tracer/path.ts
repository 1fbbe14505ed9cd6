// The answer of the gateway about a packet as a path to draw: the verdict in words, who decided, and a station for each
// stage. Pure.

import type { ReplyOf } from '@gateway/server/contract'
import type { explainPacket } from '@gateway/server/contract/firewall'
import { type NumberOf, renumber, sayNumber, sayRule } from '../../../util/rule-numbers.ts'
import { msg, t } from '../../../words.ts'
import { fieldTitles, type RuleFieldName } from '../rules/tables.ts'

export type Explanation = ReplyOf<typeof explainPacket>
export type Step = Explanation['steps'][number]
export type Outcome = Explanation['outcomes'][number]
export type Passed = Step['passed'][number]
export type Verdict = Explanation['verdict']

/** `off`: the stage has nothing to do, and the packet goes on; `skipped`: the packet does not come so far. */
export type StationState = 'passed' | 'matched' | 'accepted' | 'refused' | 'off' | 'skipped'

export interface Station {
  readonly stage: string
  readonly title: string
  readonly state: StationState
  /** Under the station: a rule number, a device, "none". */
  readonly short: string
  readonly text: string
  readonly rule: Step['rule']
  readonly passed: readonly Passed[]
  readonly passedCount: number
}

export interface TracePath {
  readonly verdict: Explanation['verdict']
  readonly decidedBy: Decider
  readonly stations: readonly Station[]
  readonly outcome: Outcome | null
  /** Rules before the decision that did not match, in the table that decided. */
  readonly earlier: readonly Passed[]
  readonly earlierCount: number
}

export interface Decider {
  readonly words: string
  /** Page that shows it, or null. */
  readonly path: string | null
  readonly rule: { readonly table: string; readonly id: number } | null
}

export const stageTitles: Readonly<Record<string, string>> = {
  hardware_filter: msg('Hardware filter'),
  log_marks: msg('Log marks'),
  dnat: 'DNAT',
  routing: msg('Routing'),
  authorization: msg('Authorization'),
  web_proxy: msg('Web proxy'),
  access_lists: msg('Access lists'),
  forward: 'FORWARD',
  input: 'INPUT',
  output: msg('Own traffic'),
  inspection: msg('Inspection'),
  snat: 'SNAT',
}

export const verdictWords: Readonly<Record<Verdict, string>> = {
  accept: msg('ACCEPT'),
  drop: msg('DROP'),
  reject: msg('REJECT'),
  depends: msg('DEPENDS'),
}

const tableStages = new Set(['forward', 'input', 'output'])

/** Who decided, from the origin of what is in the kernel. */
export function deciderOf(origin: string | null, numberOf: NumberOf): Decider {
  const rule = /^firewall\.(forward|input|dnat|snat|log)\[(\d+)\]/.exec(origin ?? '')
  if (rule) {
    const [, table = '', id = ''] = rule
    return {
      words: sayRule(table, id, numberOf),
      path: `policy/rules/${table}/${id}`,
      rule: { table, id: Number(id) },
    }
  }
  const known = systemDeciders.find(([prefix]) => origin?.startsWith(prefix))
  if (known) return { words: t(known[1]), path: known[2], rule: null }
  return { words: origin === null ? t('the default: no rule matched') : origin, path: null, rule: null }
}

const systemDeciders: readonly (readonly [prefix: string, words: string, path: string | null])[] = [
  ['firewall.acl', msg('the access lists'), 'policy/access-lists'],
  ['firewall.hw', msg('the hardware filter'), 'policy/hardware-filter'],
  ['fwd.sys.blocked', msg('the block of failed rule tests'), 'policy/rule-tests'],
  ['fwd.sys.external', msg('the system: new connections from outside are dropped'), null],
  ['inp.sys.external', msg('the system: new connections from outside are dropped'), null],
  ['fwd.sys.authorization', msg('the authorization of users'), 'people/authorization'],
  ['content_filter.settings.quic', msg('the web filter: QUIC is refused'), 'protection/web-filter/settings'],
  ['fwd.sys.web_ipv6', msg('the web filter: web traffic over IPv6 is refused'), 'protection/web-filter/settings'],
  ['fwd.sys.web_proxy', msg('the web proxy'), 'protection/web-filter/rules'],
  ['inp.sys.web_proxy', msg('the web proxy'), 'protection/web-filter/proxy'],
  ['central_console.', msg('a rule of the central console'), null],
  ['fwd.sys', msg('a system rule'), null],
  ['inp.sys', msg('a system rule'), null],
]

export function readPath(explanation: Explanation, numberOf: NumberOf, outcomeAt = 0): TracePath {
  const outcome = explanation.outcomes[outcomeAt] ?? null
  const steps = [...explanation.steps, ...(outcome?.steps ?? [])]
  const verdict = outcome?.verdict ?? (explanation.verdict === 'depends' ? 'depends' : explanation.verdict)
  const origin = outcome ? outcome.decided_by : hardwareOrigin(explanation)
  const stages = stagesOf(steps, outcome)
  const decidingAt = decidingStage(stages, steps, verdict, outcome)
  const stations = stages.map((stage, at) => stationOf(stage, steps, { at, decidingAt, verdict, outcome, numberOf }))
  const deciding = stations[decidingAt]
  return {
    verdict: explanation.outcomes.length > 1 ? explanation.verdict : verdict,
    decidedBy: deciderOf(origin, numberOf),
    stations,
    outcome,
    earlier: deciding?.passed ?? [],
    earlierCount: deciding?.passedCount ?? 0,
  }
}

const hardwareOrigin = ({ steps, outcomes }: Explanation): string | null =>
  outcomes.length === 0 && steps.length === 1 ? 'firewall.hw' : null

/** Stations only of packets that they concern. */
const stagesOfSome = new Set(['authorization', 'web_proxy', 'inspection'])

/** All stations of the way, also those that the packet does not reach. */
function stagesOf(steps: readonly Step[], outcome: Outcome | null): string[] {
  const table = outcome?.path === 'input' ? 'input' : outcome?.path === 'output' ? 'output' : 'forward'
  const way = [
    'hardware_filter',
    'log_marks',
    'dnat',
    'routing',
    'authorization',
    'web_proxy',
    'access_lists',
    table,
    'inspection',
    'snat',
  ]
  const has = (stage: string): boolean => steps.some((step) => step.stage === stage)
  return way.filter(
    (stage) =>
      has(stage) ||
      (!stagesOfSome.has(stage) && (table === 'forward' || (stage !== 'snat' && stage !== 'access_lists'))),
  )
}

function decidingStage(
  stages: readonly string[],
  steps: readonly Step[],
  verdict: Verdict,
  outcome: Outcome | null,
): number {
  if (outcome === null) return steps.length === 1 ? 0 : -1
  if (outcome.decided_by?.startsWith('firewall.acl')) return stages.indexOf('access_lists')
  if (outcome.path === 'none') return stages.indexOf('routing')
  if (verdict !== 'accept' && outcome.decided_by === 'fwd.sys.authorization' && stages.includes('authorization'))
    return stages.indexOf('authorization')
  return stages.findIndex((stage) => tableStages.has(stage))
}

interface At {
  readonly numberOf: NumberOf
  readonly at: number
  readonly decidingAt: number
  readonly verdict: Verdict
  readonly outcome: Outcome | null
}

function stationOf(stage: string, all: readonly Step[], { at, decidingAt, verdict, outcome, numberOf }: At): Station {
  const steps = all.filter((step) => step.stage === stage)
  const rule = steps.find((step) => step.rule !== null)?.rule ?? null
  const isRefused = verdict === 'drop' || verdict === 'reject'
  const isBeyond = isRefused && decidingAt >= 0 && at > decidingAt
  const state: StationState = isBeyond
    ? 'skipped'
    : at === decidingAt && verdict !== 'depends'
      ? isRefused
        ? 'refused'
        : 'accepted'
      : steps.length === 0
        ? 'off'
        : rule !== null
          ? 'matched'
          : 'passed'
  return {
    stage,
    title: t(stageTitles[stage] ?? stage),
    state,
    short: shortOf(stage, state, rule, outcome, numberOf),
    text: renumber(steps.map(({ text }) => text).join(' '), numberOf),
    rule,
    passed: steps.flatMap(({ passed }) => passed),
    passedCount: steps.reduce((sum, step) => sum + step.passed_count, 0),
  }
}

function shortOf(
  stage: string,
  state: StationState,
  rule: Step['rule'],
  outcome: Outcome | null,
  numberOf: NumberOf,
): string {
  if (rule !== null) return t('rule {id}', { id: sayNumber(numberOf(rule.table, rule.id), rule.id) })
  if (state === 'off') return t('off')
  if (state === 'skipped') return t('not reached')
  if (stage === 'routing') {
    if (outcome?.path === 'input') return t('to the gateway')
    return outcome?.path === 'none' ? t('no route') : (outcome?.outgoing_interface ?? '')
  }
  if (stage === 'snat' && outcome?.new_source)
    return outcome.new_source === 'interface' ? t('automatic') : outcome.new_source
  if (state === 'refused') return t('stops here')
  if (stage === 'web_proxy') return t('filtered')
  if (stage === 'inspection') return outcome?.inspection ? t('inspected') : t('not inspected')
  if (tableStages.has(stage)) return t('default')
  return stage === 'hardware_filter' || stage === 'access_lists' ? t('pass') : t('none')
}

/** Sentences of the gateway name fields and ids as they are on the wire; people know them by their titles. */
export const plainReason = (reason: string): string =>
  reason
    .replace(/\b[a-z_]+\.id\.\d+ "([^"]*)"/g, '“$1”')
    .replace(
      /\b(?:source|destination)_(?:addresses|ports)\b|\b(?:incoming|outgoing)_interface\b|\btimetable\b/g,
      (field) => {
        const title = fieldTitles[field as RuleFieldName]
        return title ?? field
      },
    )

export const isRefused = (verdict: Verdict): boolean => verdict === 'drop' || verdict === 'reject'
