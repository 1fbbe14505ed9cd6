// What can be done to the settings of monitoring. Faults carry the names of the fields that were sent.

import { refuse } from '../../contract/error.ts'
import { secretMask } from '../../contract/fields.ts'
import { updateSingle } from '../../model/list-edits.ts'
import type { Sealed } from '../../model/secret.ts'
import { type Config, read } from '../../model/slots.ts'
import { agentSettings, flowSettings, type SnmpSecret, snmpSettings } from './config.ts'
import type { AgentSettings, FlowSettings, SnmpPatch } from './contract.ts'
import { agentProblems, flowProblems } from './verify.ts'

/** Spec gap: templates that are not sent follow the version, so that choosing version 5 alone is enough, and back. */
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
  const next = updateSingle(config, flowSettings, { ...templates, ...patch })
  refuse(flowProblems(next, read(next, flowSettings)))
  return next
}

export function updateAgent(config: Config, patch: Partial<AgentSettings>): Config {
  const next = updateSingle(config, agentSettings, patch)
  refuse(agentProblems(read(next, agentSettings)))
  return next
}

/** Turns the clear text into what is stored. */
export type SealSecret = (field: SnmpSecret, secret: string) => Sealed

export function updateSnmp(config: Config, patch: SnmpPatch, seal: SealSecret): Config {
  const { version, hosts, community, password, private_key, ...rest } = patch
  const secret = (field: SnmpSecret, value: string | null | undefined) => {
    if (value === undefined || value === null || value === secretMask) return {}
    return { [field]: value === '' ? null : seal(field, value) }
  }
  return updateSingle(config, snmpSettings, {
    ...rest,
    ...(version === undefined ? {} : { version: Number(version) as 2 | 3 }),
    ...(hosts === undefined ? {} : { hosts: hosts === '' ? [] : hosts }),
    ...secret('community', community),
    ...secret('password', password),
    ...secret('private_key', private_key),
  })
}
