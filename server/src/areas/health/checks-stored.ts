// What the gateway keeps, judged: certificates, the configuration and its history, the audit trail, backups. Pure.

import type { Finding, HealthState } from '../../core/contract/health.ts'
import { readCertificates } from '../../shared/net/certificate.ts'
import { type Said, type SaidText, say } from '../../shared/said.ts'

export interface KnownCertificate {
  /** Part of the id of the check, such as `management`. */
  readonly name: string
  readonly title: Said
  readonly pem: string
  readonly advice: Said
}

const day = 86_400_000
/** Days that are left. */
const warningDays = [30, 14] as const
const failedDays = 3
const maxChain = 10

/** The certificate of a chain that expires first. */
export function certificateFinding({ name, title, pem, advice }: KnownCertificate, now: Date): Finding {
  const common = { id: `certificate.${name}`, title }
  const found = readCertificates(pem, maxChain)
  if ('fault' in found) return { ...common, state: 'failed', message: found.fault, advice }
  const ends = Math.min(...found.certificates.map(({ validToDate }) => validToDate.getTime()))
  const left = Math.floor((ends - now.getTime()) / day)
  const date = new Date(ends).toISOString().slice(0, 10)
  if (ends <= now.getTime()) return { ...common, state: 'failed', message: say`It expired on ${date}.`, advice }
  const message = say`It is valid until ${date}, for ${left} more days.`
  const state: HealthState = left < failedDays ? 'failed' : left < warningDays[0] ? 'warning' : 'ok'
  const urgency = left < warningDays[1] ? say`Do this now:` : ''
  return { ...common, state, message, advice: state === 'ok' ? '' : [urgency, advice] }
}

export interface StoreReading {
  readonly damage: readonly SaidText[]
  readonly history: { readonly bytes: number; readonly revisions: number }
  readonly limits: { readonly bytes: number; readonly revisions: number }
  /** Bytes of the databases, by file. */
  readonly files: Readonly<Record<string, number>>
  /** Size of their disk; null when it is not known. */
  readonly diskBytes: number | null
}

const nearLimit = 0.8
/** The databases may use this part of the disk before it is reported. */
const largeShare = 0.5
const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`

export function storeFindings({ damage, history, limits, files, diskBytes }: StoreReading): Finding[] {
  const bytes = Object.values(files).reduce((sum, size) => sum + size, 0)
  const isLarge = diskBytes !== null && bytes > diskBytes * largeShare
  const isNear = history.bytes > limits.bytes * nearLimit || history.revisions > limits.revisions * nearLimit
  return [
    {
      id: 'store',
      title: say`Stored configuration`,
      state: damage.length === 0 ? 'ok' : 'failed',
      message: damage[0] ?? say`The stored configuration is intact.`,
      advice:
        damage.length === 0 ? '' : say`Compare the configuration with the last backup, and restore what is missing.`,
    },
    {
      id: 'databases',
      title: say`Size of the databases`,
      state: isLarge ? 'warning' : 'ok',
      message: say`The databases use ${mebibytes(bytes)}.`,
      advice: isLarge ? say`Lower the limits of logs and history, or use a larger disk.` : '',
    },
    {
      id: 'history',
      title: say`History of the configuration`,
      state: isNear ? 'warning' : 'ok',
      message: say`${history.revisions} revisions use ${mebibytes(history.bytes)} of at most ${mebibytes(limits.bytes)}.`,
      advice: isNear
        ? say`The oldest revisions will be removed. Raise the limit, or make a backup of what must be kept.`
        : '',
    },
  ]
}

export interface AuditReading {
  readonly usage:
    | { readonly bytes: number; readonly limits: { readonly megabytes: number }; readonly fault: SaidText | null }
    | undefined
  /** What the last check of the whole trail found; null when it found nothing, undefined before the first one. */
  readonly damage: SaidText | null | undefined
}

export function auditFinding({ usage, damage }: AuditReading): Finding {
  const [id, title] = ['audit', say`Audit trail`]
  if (damage !== null && damage !== undefined)
    return {
      id,
      title,
      state: 'failed',
      message: [say`The audit trail was altered.`, damage],
      advice: say`Find out who has access to the disk of this machine. Export the trail before anything else is done.`,
    }
  if (usage && usage.fault !== null)
    return { id, title, state: 'failed', message: usage.fault, advice: say`Make room on the disk.` }
  const share = usage ? usage.bytes / (usage.limits.megabytes * 1024 * 1024) : 0
  if (share >= nearLimit)
    return {
      id,
      title,
      state: 'warning',
      message: say`The audit trail uses ${Math.round(share * 100)} % of its limit.`,
      advice: say`Its oldest records will be removed. Export what you need.`,
    }
  return { id, title, state: 'ok', message: say`The audit trail is intact and has room.`, advice: '' }
}

export interface BackupReading {
  /** Why the last automatic backup failed; null when it did not. */
  readonly failure: string | null
  /** Unix seconds; null when there is no backup. */
  readonly newest: number | null
  readonly now: number
  /** Seconds since this gateway was started: a new one has no backup yet. */
  readonly runningSeconds: number
}

/** An automatic backup is made every day. */
const lateSeconds = 2 * 86_400

export function backupFinding({ failure, newest, now, runningSeconds }: BackupReading): Finding {
  const [id, title] = ['backup', say`Backups`]
  const advice = say`Make a backup now, and look at the status of automatic backups.`
  if (failure !== null)
    return { id, title, state: 'failed', message: say`The last automatic backup failed: ${failure}`, advice }
  if (newest === null)
    return runningSeconds > lateSeconds
      ? { id, title, state: 'warning', message: say`There is no backup.`, advice }
      : { id, title, state: 'ok', message: say`There is no backup yet; one is made every day.`, advice: '' }
  const message = say`The newest backup is of ${new Date(newest * 1000).toISOString()}.`
  return now - newest > lateSeconds && runningSeconds > lateSeconds / 2
    ? { id, title, state: 'warning', message, advice }
    : { id, title, state: 'ok', message, advice: '' }
}
