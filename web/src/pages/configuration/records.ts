// Records of the audit trail: which of them the address asks for, what each changed, and its words.

import type { QueryOf, ReplyOf } from '@gateway/server/contract'
import type { listRecords } from '@gateway/server/contract/audit'
import { labelOf } from '../../contract/words.ts'
import type { NumberOf } from '../../util/rule-numbers.ts'
import { printCsv, saveText } from '../../util/save-file.ts'
import { summarise } from '../../util/stored-objects.ts'
import { msg } from '../../words.ts'
import type { ObjectChange } from './diff-view.tsx'

export type AuditRecord = ReplyOf<typeof listRecords>[number]
type Query = Partial<QueryOf<typeof listRecords>>

export const events: Readonly<Record<AuditRecord['event'], string>> = {
  change: msg('Change'),
  'sign-in': msg('Sign-in'),
  'sign-out': msg('Sign-out'),
  lock: msg('Block'),
  'session-ended': msg('Session ended'),
  refused: msg('Refusal'),
  action: msg('Action'),
  system: msg('System'),
}

/** So many are asked for at once, the newest first. */
export const mostRecords = 2_000
const asked = ['who', 'event', 'result', 'address', 'what', 'object'] as const

/** Conditions of the address that the gateway looks for itself. */
export function queryOf(search: Readonly<Record<string, string>>): Query {
  const given = asked.flatMap((name) => (search[name] ? [[name, search[name]] as const] : []))
  const times = (['from', 'until'] as const).flatMap((name) =>
    search[name] !== undefined && /^\d+$/.test(search[name]) ? [[name, Number(search[name])] as const] : [],
  )
  return { ...Object.fromEntries(given), ...Object.fromEntries(times), limit: mostRecords } as Query
}

export const isObjectChange = (change: unknown): change is ObjectChange =>
  typeof change === 'object' && change !== null && 'object' in change && 'action' in change && 'fields' in change

export const changesOf = ({ changes }: AuditRecord): ObjectChange[] => changes.filter(isObjectChange)

export const wordsOf = (record: AuditRecord, numberOf: NumberOf): string => {
  const words = summarise(changesOf(record), labelOf, numberOf)
  return words === '' ? [record.what, record.message].filter((one) => one !== '').join(': ') : words
}

export const saveRecords = (records: readonly AuditRecord[]): void =>
  saveText(
    'audit-trail.csv',
    printCsv(
      ['sequence', 'time', 'event', 'who', 'address', 'what', 'result', 'message', 'revision', 'request_id', 'changes'],
      records.map((one) => [
        one.sequence,
        one.time,
        one.event,
        one.who,
        one.address,
        one.what,
        one.result,
        one.message,
        one.revision,
        one.request_id,
        JSON.stringify(one.changes),
      ]),
    ),
    'text/csv',
  )
