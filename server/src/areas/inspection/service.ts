// What runs for inspection, by name. How it is made is in runs.ts.

import { optionalService, service } from '../../core/area/service.ts'
import type { InspectionState } from '../../core/contract/inspection-state.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Observation } from '../../core/plan/artifacts.ts'
import type { InspectionFacts } from '../../core/plan/facts.ts'
import type { CaptureRing } from './runs/captures.ts'

/** What the inspection engine does now. */
export const inspectionService = service<{
  /** By its tests and by what was observed, which is null when the machine could not be asked. The only way to its state. */
  state(observation: Observation | null): InspectionState
  facts(): InspectionFacts | null
  /** The signatures are other ones. */
  follow(): void
  /** Number of enabled firewall rules by the id of the profile that they inspect with. */
  rulesByProfile(config: Config): ReadonlyMap<string, number>
}>('inspection')
/** Packets that the inspection engine kept. */
export const capturesService = optionalService<CaptureRing>('captures')
