// Records of the audit trail as records of the log.

import { maxMessage, type NewRecord } from '../../domain/logs/record.ts'
import { infoPriority, warningPriority } from '../../domain/logs/source.ts'

export interface WrittenRecord {
  readonly sequence: number
  readonly time: string
  readonly event: string
  readonly who: string
  readonly address: string
  readonly what: string
  readonly result: string
  readonly message: string
}

const unit = '{brand}-audit-backend'

export function fromAudit({ time, event, who, address, what, result, message }: WrittenRecord): NewRecord {
  const text = `${event} ${who || '-'} from ${address}: ${what}: ${result}. ${message}`
  return {
    kind: 'administration',
    time: Date.parse(time) * 1000,
    // Earlier versions wrote `done`.
    priority: result === 'ok' || result === 'done' ? infoPriority : warningPriority,
    unit,
    syslogId: unit,
    message: text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').slice(0, maxMessage),
    fields: { event, who, address, what, result },
  }
}
