// What runs for monitoring, by name. How it is made is in runs.ts.

import { optionalService } from '../../core/area/service.ts'
import type { ClassifiedConnection, ClassifierReport, FlowReport, TrafficReading } from '../../core/plan/facts.ts'

/** What passes through the gateway now. */
export const trafficService = optionalService<{ read(): Promise<TrafficReading> }>('traffic')
/** What the flow exporter last reported, null when nothing. */
export const flowReportService = optionalService<() => Promise<FlowReport | null>>('flow report')
/** What the traffic classifier found and how it is. */
export const classifiedService = optionalService<{
  connections(): Promise<ReadonlyMap<string, ClassifiedConnection>>
  report(): Promise<ClassifierReport | null>
}>('classified connections')
