// How what mail offers is made.

import { type Run, run } from '../../core/area/run.ts'
import { dnsServers } from '../network/public.ts'
import { lookUpText } from './runs/text-records.ts'
import { textRecordsService } from './service.ts'

export const runs: readonly Run[] = [
  run(textRecordsService, ({ services, engine, settings }) =>
    settings.isOnMachine
      ? { offers: { lookUp: (name) => lookUpText(name, dnsServers(engine.config, services.facts())) } }
      : null,
  ),
]
