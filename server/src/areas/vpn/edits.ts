// Edits of VPN settings and rules that a declaration alone does not give: a partial change inside sstp, and one place up or
// down.

import type { ListDeclaration } from '../../core/model/declarations.ts'
import { requireIn, updateSettings } from '../../core/model/lists.ts'
import { type Config, type Item, read, write } from '../../core/model/slots.ts'
import { settings } from './config.ts'
import type { VpnSettings } from './contract.ts'
import { vpnSettingsDeclared } from './lists.ts'

type SettingsPatch = Partial<Omit<VpnSettings, 'sstp'>> & { readonly sstp?: Partial<VpnSettings['sstp']> }

export const updateVpnSettings = (config: Config, patch: SettingsPatch): Config =>
  updateSettings(config, vpnSettingsDeclared, { ...patch, sstp: { ...read(config, settings).sstp, ...patch.sstp } })

export function stepRule<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  id: string,
  direction: 'up' | 'down',
): Config {
  const rule = requireIn(config, list, id)
  const rules = read(config, list.slot)
  const from = rules.indexOf(rule)
  const to = direction === 'up' ? from - 1 : from + 1
  const other = rules[to]
  return other === undefined ? config : write(config, list.slot, rules.with(to, rule).with(from, other))
}
