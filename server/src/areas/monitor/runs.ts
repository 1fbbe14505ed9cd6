// How what monitoring offers is made.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Run, run } from '../../core/area/run.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { flowReportPath } from '../../engines/flow-export/index.ts'
import { classifierPaths } from '../../engines/traffic-classifier/index.ts'
import { createClassifiedReader } from './runs/classified.ts'
import { createTrafficReader } from './runs/conntrack.ts'
import { readFlowReport } from './runs/flow-report.ts'
import { classifiedService, flowReportService, trafficService } from './service.ts'

export const runs: readonly Run[] = [
  run(trafficService, ({ services: { clock }, applier, settings }) =>
    settings.isOnMachine
      ? {
          offers: createTrafficReader({
            elapsed: clock.elapsed,
            now: clock.now,
            random: () => randomBytes(10),
            read: (reading) => applier.sessionPart(reading),
            slices: createSlices,
          }),
        }
      : null,
  ),
  run(flowReportService, ({ settings }) =>
    settings.isOnMachine ? { offers: () => readFlowReport(join(settings.stateDir, flowReportPath)) } : null,
  ),
  run(classifiedService, ({ settings }) => {
    if (!settings.isOnMachine) return null
    const { connections, report } = classifierPaths
    const files = { connections: join(settings.stateDir, connections), report: join(settings.stateDir, report) }
    return { offers: createClassifiedReader(files, createSlices) }
  }),
]
