// The rules and the tests of the inspection engine, for the gateway that main.ts builds. Wiring only.

import { join } from 'node:path'
import { channelContents } from '../areas/firewall/public.ts'
import { Inspection } from '../areas/inspection/runs/inspection.ts'
import { catalogueOf } from '../areas/intrusion-prevention/public.ts'
import type { SignatureFiles } from '../areas/intrusion-prevention/runs/signature-files.ts'
import type { Log } from '../core/log.ts'
import type { Config } from '../core/model/slots.ts'
import { applications } from '../domain/applications/catalogue.ts'
import { inspectionPaths } from '../engines/inspection/index.ts'
import type { Clock } from '../shared/time/clock.ts'

export interface InspectorParts {
  readonly stateDir: string
  /** Of gatewayd. */
  readonly folder: string
  readonly config: () => Config
  readonly signatures: () => SignatureFiles
  readonly room: () => number
  readonly clock: Clock
  readonly onFacts: () => void
  readonly log: Log
  /** Whether anything is applied here. */
  readonly isApplied: boolean
}

export function createInspector(parts: InspectorParts): Inspection {
  const { stateDir, folder, config, room, clock, onFacts, log, isApplied } = parts
  return new Inspection({
    room,
    clock,
    onFacts,
    folder: join(stateDir, inspectionPaths.compiled),
    keptPath: join(folder, 'inspection.json'),
    commandSocket: join(stateDir, inspectionPaths.commandSocket),
    wanted: (numbers) => channelContents(config(), numbers),
    catalogue: () => {
      const files = parts.signatures()
      return files.state().updatedAt.standard === null ? null : catalogueOf(config(), files.current())
    },
    applications,
    onFault: (error) => log('warning', 'the rules of the inspection engine were not made', { error }),
    isTested: isApplied,
  })
}
