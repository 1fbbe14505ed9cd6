// The status of the audit trail: how much of its limits it uses.

import { counted } from '../../core/contract/counted.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { type SaidText, say } from '../../shared/said.ts'

interface Usage {
  readonly records: number
  readonly bytes: number
  readonly limits: { readonly days: number; readonly megabytes: number }
  readonly fault: SaidText | null
}

const megabyte = 1024 * 1024
/** From here on the administrator should know that records will be removed. */
const nearShare = 0.8

export function auditItems(usage: Usage | undefined): StatusItem[] {
  if (!usage) return [{ name: 'audit-trail', status: 'active', msg: [] }]
  const { records, bytes, limits, fault } = usage
  const used = Math.ceil(bytes / megabyte)
  const isNear = bytes >= nearShare * limits.megabytes * megabyte
  return [
    {
      name: 'audit-trail',
      status: fault === null ? 'active' : 'failed',
      msg: [
        say`${counted(records, 'record uses', 'records use')} ${used} of ${limits.megabytes} MB; they are kept for ${counted(limits.days, 'day')}.`,
        ...(isNear
          ? [say`The audit trail is nearly full: its oldest records will be removed. Export what you need.`]
          : []),
        ...(fault === null ? [] : [fault]),
      ],
    },
  ]
}
