// Whether the firewall logs anything, and plain messages of its log reader. The reader itself belongs to the
// firewall-log area.

import { describeMissing } from '../../core/engine/missing-program.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { firewallLog } from '../../engines/firewall-log/index.ts'
import { type SaidText, say, verbatim } from '../../shared/said.ts'
import { channelSlots, channelsOf } from './channels.ts'
import { accessState, logRules, settings } from './config.ts'

/** Slots that decide whether the reader runs. */
export const deciding = [settings, logRules, accessState, ...channelSlots] as const

/** True when some rule or access list may write a record. Rules with inspection do, so that events can name them. */
export const isLogging = (config: Config): boolean => isLoggingForOthers(config) || channelsOf(config).length > 0

/** True when records are written that the firewall log shows. */
export function isLoggingForOthers(config: Config): boolean {
  const isMarking = read(config, logRules).some(({ enabled, action }) => enabled && action === 'mark_log')
  const access = read(config, accessState)
  return (read(config, settings).log_mode !== 'nothing' && isMarking) || (access.enabled && access.logging_enabled)
}

/** The message of the unit; a missing program or plugin is named with its package. */
export function describeReader(message: string): SaidText {
  const missing = describeMissing(firewallLog, message)
  if (missing !== null) return say`${missing} No records are written.`
  if (/plugin `?JSON/.test(message))
    return say`ulogd cannot write JSON (Debian package ulogd2-json is missing); no records are written.`
  return verbatim(message)
}
