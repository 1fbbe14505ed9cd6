// What can be done to the settings and rules of the VPN servers. Fields are judged here in the words of the call that sent
// them; verify.ts judges the whole.

import { type Problem, refuse } from '../../contract/error.ts'
import type { ListDeclaration } from '../../model/declarations.ts'
import { requireItem } from '../../model/list-edits.ts'
import { type Config, type Item, read, write } from '../../model/slots.ts'
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

export const accessList: ListDeclaration<AccessRule> = {
  slot: accessRules,
  noun: 'VPN access rule',
  ids: { kind: 'number' },
  defaults,
  fieldsOf: ({ two_factor, ...rest }: Partial<AccessFields>) => ({
    ...rest,
    ...(two_factor === undefined ? {} : { two_factor: two_factor === 'smsaero' ? 'smssvc' : two_factor }),
  }),
  problemsOf: accessProblems,
}

export const leaseList: ListDeclaration<LeaseRule> = {
  slot: leaseRules,
  noun: 'VPN address rule',
  ids: { kind: 'number' },
  defaults,
  problemsOf: (config, rule, current) => {
    const problems = leaseProblems(config, rule)
    if (problems.length > 0 || rule.address === current?.address) return problems
    // A network changed later may leave rules outside; they can still be renamed or switched off.
    const outside = outsideOf(read(config, settings), rule.address)
    return outside === null ? [] : [{ field: 'address', message: outside }]
  },
  conflictsOf: takenAddresses,
}

export function stepRule<T extends Item>(
  config: Config,
  { slot, noun }: ListDeclaration<T>,
  id: string,
  direction: 'up' | 'down',
): Config {
  const rule = requireItem(config, slot, id, noun)
  const rules = read(config, slot)
  const from = rules.indexOf(rule)
  const to = direction === 'up' ? from - 1 : from + 1
  const other = rules[to]
  return other === undefined ? config : write(config, slot, rules.with(to, rule).with(from, other))
}

/** Two rules cannot name the same addresses, however they are written. */
function takenAddresses(config: Config, rule: LeaseRule): Problem[] {
  const wanted = String(spanOf(rule.address))
  const holder = read(config, leaseRules).find(
    ({ id, address }) => id !== rule.id && String(spanOf(address)) === wanted,
  )
  if (!holder) return []
  return [{ field: 'address', message: `${leaseTitle(holder.id)} already names ${holder.address}.` }]
}
