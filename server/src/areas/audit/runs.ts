// How what the audit trail offers is made: its limits, and the signatures of applyd.

import { type Run, run } from '../../core/area/run.ts'
import { AuditRetention } from '../../core/audit/audit-retention.ts'
import { Checkpointer } from '../../core/audit/checkpointer.ts'
import { auditUsageService } from './service.ts'

export const runs: readonly Run[] = [
  run(auditUsageService, ({ services: { audit }, database, applier, settings, aging, log }) => {
    if (!settings.isOnMachine) return null
    const checkpointer = new Checkpointer({
      audit,
      keep: (sequence, hash, isFirst) => applier.checkpoint(sequence, hash, isFirst),
      onMismatch: (reason) => {
        log('error', 'the audit trail is not the one that was signed', { reason })
        audit.noteOwn('audit trail', 'failed', `The audit trail is not the one that was signed. ${reason}`)
      },
      onFault: (error) => log('warning', 'no checkpoint was kept', { error }),
    })
    const retention = new AuditRetention({
      database,
      audit,
      limits: settings.auditLimits,
      checkpoints: () => applier.checkpoints(),
      sign: () => checkpointer.now(),
      now: () => new Date(aging()),
    })
    return {
      offers: () => retention.usage,
      start: () => retention.start(),
      stop: async () => {
        await retention.stop()
        audit.flush()
        await checkpointer.now()
      },
    }
  }),
]
