// Copies the audit trail into the log, record by record in its order, and keeps the limits of the log as they are set. How
// far it came is stored with the records, so that none is missing or comes twice after a crash or a full disk.

import type { Services } from '../../core/area/handle.ts'
import type { LogStore } from '../../domain/logs/store.ts'
import { fromAudit } from './records.ts'

export interface AuditCopy {
  /** Resolves when all that was written before has been handed to the log. */
  refresh(): Promise<void>
  /** Resolves when nothing is being copied any more. */
  stop(): Promise<void>
}

interface Parts extends Pick<Services, 'audit'> {
  readonly logs: LogStore
  /** Called once for each failure that begins. */
  readonly onFault: (error: unknown) => void
}

const source = 'audit'
const copiedAtOnce = 500
const pollMilliseconds = 500

export function copyAuditTrail({ audit, logs, onFault }: Parts): AuditCopy {
  let timer: NodeJS.Timeout | null = null
  let copying: Promise<void> | null = null
  let isStopped = false
  let isFailing = false
  /** How far the trail was copied, as far as that is known. */
  let copied: number | null = null

  /** How far the log has the trail; another trail may have begun since. */
  const keptUpTo = async (): Promise<number> => {
    const kept = Number((await logs.marks()).get(source) ?? 0)
    return kept > audit.head.sequence ? 0 : kept
  }
  /** True when there is more. */
  const copySome = async (): Promise<boolean> => {
    copied ??= await keptUpTo()
    if (audit.pageAfter(copied, 1).records.length === 0 && copied <= audit.head.sequence) return false
    // While nothing is kept, the trail itself keeps its records.
    if ((await logs.state()).fault !== null) return false
    copied = await keptUpTo()
    const { records, isMore } = audit.pageAfter(copied, copiedAtOnce)
    const last = records.at(-1)?.sequence ?? copied
    if (last > copied) logs.append(records.map(fromAudit), { source, position: String(last) })
    copied = last
    await logs.flush()
    return isMore
  }
  const copyAll = async (): Promise<void> => {
    try {
      while (!isStopped && (await copySome()));
      isFailing = false
    } catch (error) {
      if (!isFailing) onFault(error)
      isFailing = true
    }
  }
  const begin = (): Promise<void> => {
    copying ??= copyAll().finally(() => {
      copying = null
    })
    return copying
  }
  const poll = (): void => {
    timer = setTimeout(() => void begin().finally(() => isStopped || poll()), pollMilliseconds)
    timer.unref()
  }
  poll()
  return {
    // One under way may have passed what was written since.
    refresh: async () => {
      await copying
      await begin()
    },
    stop: async () => {
      isStopped = true
      if (timer) clearTimeout(timer)
      await copying
    },
  }
}
