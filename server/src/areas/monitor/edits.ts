// What can be done to the monitoring settings when a change is more than the fields that were sent.

import { invalid } from '../../core/contract/error.ts'
import { secretMask } from '../../core/contract/fields.ts'
import { updateSettings } from '../../core/model/lists.ts'
import type { Sealed } from '../../core/model/secret.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { flowSettings, type SnmpSecret } from './config.ts'
import type { FlowSettings, SnmpPatch } from './contract.ts'
import { flowExport, snmp } from './settings.ts'

/** Template fields that are not sent follow the version, so that choosing a version is enough (docs/behaviour/monitor.md 3). */
export function updateFlow(config: Config, patch: Partial<FlowSettings>): Config {
  const current = read(config, flowSettings)
  const version = patch.version ?? current.version
  const { template_tx_counter: counter, template_tx_interval: interval } = current
  const templates =
    version === 5
      ? { template_tx_counter: null, template_tx_interval: null }
      : {
          template_tx_counter: counter ?? flowSettings.initial.template_tx_counter,
          template_tx_interval: interval ?? flowSettings.initial.template_tx_interval,
        }
  return updateSettings(config, flowExport, { ...templates, ...patch })
}

/** What requests can carry. */
const mostCommunityBytes = 255

/** Turns the clear text into what is stored. */
export type SealSecret = (field: SnmpSecret, secret: string) => Sealed

export function updateSnmp(config: Config, patch: SnmpPatch, seal: SealSecret): Config {
  const { version, hosts, community, password, private_key, ...rest } = patch
  if (new TextEncoder().encode(community ?? '').length > mostCommunityBytes)
    throw invalid('community', say`Must have at most ${mostCommunityBytes} bytes.`)
  const secret = (field: SnmpSecret, value: string | null | undefined) => {
    if (value === undefined || value === null || value === secretMask) return {}
    return { [field]: value === '' ? null : seal(field, value) }
  }
  return updateSettings(config, snmp, {
    ...rest,
    ...(version === undefined ? {} : { version: Number(version) === 3 ? 3 : 2 }),
    ...(hosts === undefined ? {} : { hosts: hosts === '' ? [] : hosts }),
    ...secret('community', community),
    ...secret('password', password),
    ...secret('private_key', private_key),
  })
}
