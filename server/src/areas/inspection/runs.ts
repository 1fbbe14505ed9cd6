// How what inspection offers is made: the rules and the tests of the engine.

import { join } from 'node:path'
import { type Run, roomForLists, run } from '../../core/area/run.ts'
import type { Offered } from '../../core/area/service.ts'
import { inspectionOff } from '../../core/contract/inspection-state.ts'
import { applications } from '../../domain/applications/catalogue.ts'
import { inspectionPaths } from '../../engines/inspection/index.ts'
import { engineSeen } from '../../engines/inspection/status.ts'
import { channelsService } from '../firewall/service.ts'
import { catalogueOf } from '../intrusion-prevention/public.ts'
import { signaturesService } from '../intrusion-prevention/service.ts'
import { createCaptureRing } from './runs/captures.ts'
import { Inspection } from './runs/rule-supply.ts'
import { capturesService, inspectionService } from './service.ts'

const nothingInspected: Offered<typeof inspectionService> = {
  state: () => inspectionOff,
  facts: () => null,
  follow: () => {},
  rulesByProfile: () => new Map(),
}

export const runs: readonly Run[] = [
  run(inspectionService, (host) => {
    const { services, engine, settings, log } = host
    const channels = services.of(channelsService)
    if (!settings.isOnMachine) return { offers: nothingInspected }
    const inspection = new Inspection({
      room: () => roomForLists(host),
      clock: services.clock,
      onFacts: host.factsChanged,
      folder: join(settings.stateDir, inspectionPaths.compiled),
      keptPath: join(settings.folder, 'inspection.json'),
      commandSocket: join(settings.stateDir, inspectionPaths.commandSocket),
      wanted: (numbers) => channels.contents(engine.config, numbers),
      catalogue: () => {
        const files = services.of(signaturesService)
        return !files || files.state().updatedAt.standard === null ? null : catalogueOf(engine.config, files.current())
      },
      applications,
      onFault: (error) => log('warning', 'the rules of the inspection engine were not made', { error }),
      isTested: settings.isApplied,
    })
    return {
      offers: {
        state: (observation) => {
          const isChanging = engine.backgroundState('inspection').state === 'reloading'
          return inspection.state(engineSeen(observation, isChanging))
        },
        facts: () => inspection.facts(),
        follow: () => inspection.follow(),
        rulesByProfile: channels.rulesByProfile,
      },
      start: () => inspection.follow(),
      follow: () => inspection.follow(),
      stop: () => inspection.close(),
    }
  }),
  run(capturesService, ({ settings }) =>
    settings.isOnMachine ? { offers: createCaptureRing(join(settings.stateDir, inspectionPaths.captures)) } : null,
  ),
]
