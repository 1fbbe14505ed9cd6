// The inspection engine as files and a unit. The rules themselves are in a file that gatewayd made; the plan only names it, by
// its hash. Nothing runs while no channel is in use or before the first rules are made. Pure.

import { engineFile, engineUnit } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { inspectionEngine } from '../../engines/inspection/index.ts'
import { suricataSettings } from '../../engines/inspection/suricata-yaml.ts'
import { nets } from '../intrusion-prevention/public.ts'
import { failures } from './config.ts'

/** Slots of other areas that decide what is rendered. */
export const readSlots = [nets]

export function render(config: Config, { inspection }: Facts): Artifact[] {
  const rules = inspection?.rules ?? null
  if (rules === null) return []
  return [
    engineFile(
      inspectionEngine,
      'suricata.yaml',
      suricataSettings({
        homeNetworks: read(config, nets).map(({ address }) => address),
        // The engine has one setting for all channels.
        isBlocking: read(config, failures).some(({ on_failure }) => on_failure === 'block'),
      }),
    ),
    engineFile(inspectionEngine, 'inspection-rules.json', `${JSON.stringify({ rules: rules.sha256 })}\n`),
    engineUnit(inspectionEngine, 'inspection'),
  ]
}
