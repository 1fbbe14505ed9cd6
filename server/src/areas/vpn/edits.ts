// What can be done to the settings and rules of the VPN servers. Fields are judged here in the words of the call that sent
// them; verify.ts judges the whole.

import { GatewayError, refuse } from '../../contract/error.ts'
import { addItem, type Placement, requireItem, updateItem } from '../../contract/list-edits.ts'
import { type Config, type Item, type ListSlot, read, write } from '../../contract/slots.ts'
import { accessRules, leaseRules, leaseTitle, pushedRoutes, settings } from './config.ts'
import type { AccessFields, AccessRule, LeaseRule, PushedRoutes, VpnSettings } from './contract.ts'
import { accessProblems, leaseProblems, outsideOf, routeProblems, settingsProblems, spanOf } from './verify.ts'

type SettingsPatch = Partial<Omit<VpnSettings, 'sstp'>> & { readonly sstp?: Partial<VpnSettings['sstp']> }

export function updateSettings(config: Config, patch: SettingsPatch): Config {
  const current = read(config, settings)
  const next = { ...current, ...patch, sstp: { ...current.sstp, ...patch.sstp } }
  const changed = write(config, settings, next)
  refuse(settingsProblems(changed, next))
  return changed
}

export function replaceRoutes(config: Config, routes: PushedRoutes): Config {
  refuse(routeProblems(config, routes))
  return write(config, pushedRoutes, routes)
}

/** What a creation may leave out. */
const defaults = { enabled: true, title: '', comment: '' }

/** A list of rules: how bodies become rules, and what must hold of a new or changed one. */
export interface RuleList<T extends Item, F extends object> {
  readonly slot: ListSlot<T>
  /** One item in words, for messages. */
  readonly item: string
  readonly fieldsOf: (body: F) => Partial<T>
  readonly check: (config: Config, rule: T, current: T | null) => void
}

export const accessList: RuleList<AccessRule, Partial<AccessFields>> = {
  slot: accessRules,
  item: 'VPN access rule',
  fieldsOf: ({ two_factor, ...rest }) => ({
    ...rest,
    ...(two_factor === undefined ? {} : { two_factor: two_factor === 'smsaero' ? 'smssvc' : two_factor }),
  }),
  check: (config, rule) => refuse(accessProblems(config, rule)),
}

export const leaseList: RuleList<LeaseRule, Partial<LeaseRule>> = {
  slot: leaseRules,
  item: 'VPN address rule',
  fieldsOf: (body) => body,
  check: (config, rule, current) => {
    refuse(leaseProblems(config, rule))
    // A network changed later may leave rules outside; they can still be renamed or switched off.
    const outside = rule.address === current?.address ? null : outsideOf(read(config, settings), rule.address)
    if (outside !== null) refuse([{ field: 'address', message: outside }])
    refuseTaken(config, rule)
  },
}

export function addRule<T extends Item, F extends object>(
  config: Config,
  rules: RuleList<T, F>,
  id: number,
  body: F,
  placement: Placement,
): Config {
  const rule = { ...defaults, ...rules.fieldsOf(body), id } as unknown as T
  rules.check(config, rule, null)
  return addItem(config, rules.slot, rule, placement)
}

export function updateRule<T extends Item, F extends object>(
  config: Config,
  rules: RuleList<T, F>,
  id: string,
  body: F,
): Config {
  const current = requireItem(config, rules.slot, id, rules.item)
  const rule = { ...current, ...rules.fieldsOf(body) }
  rules.check(config, rule, current)
  return updateItem(config, rules.slot, rule)
}

export function stepRule<T extends Item>(
  config: Config,
  { slot, item }: Pick<RuleList<T, object>, 'slot' | 'item'>,
  id: string,
  direction: 'up' | 'down',
): Config {
  const rule = requireItem(config, slot, id, item)
  const rules = read(config, slot)
  const from = rules.indexOf(rule)
  const to = direction === 'up' ? from - 1 : from + 1
  const other = rules[to]
  return other === undefined ? config : write(config, slot, rules.with(to, rule).with(from, other))
}

/** Two rules cannot name the same addresses, however they are written. */
function refuseTaken(config: Config, rule: LeaseRule): void {
  const wanted = String(spanOf(rule.address))
  const holder = read(config, leaseRules).find(
    ({ id, address }) => id !== rule.id && String(spanOf(address)) === wanted,
  )
  if (!holder) return
  const message = `${leaseTitle(holder.id)} already names ${holder.address}.`
  throw new GatewayError('conflict', message, { problems: [{ field: 'address', message }] })
}
