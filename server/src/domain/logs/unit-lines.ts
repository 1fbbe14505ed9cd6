// Lines that gatewayd writes to the log under the name of a unit: sign-ins of users and what the guard against guessing does.

import { maxMessage, type NewRecord } from './record.ts'
import { priorityOf } from './source.ts'
import type { LogStore } from './store.ts'

export interface UnitLine {
  readonly level: 'info' | 'notice' | 'warning'
  /** As in `web-authd`; the name of the product comes before it, unless the unit has a separate name. */
  readonly unit: string
  readonly message: string
  /** Of the user and of the host that it is about, where they are known. */
  readonly login?: string
  readonly ip?: string
}

/** The guard against guessing is known by this name, whatever the product is called. */
const guardUnit = 'fail2ban'

export class UnitLines {
  readonly #logs: Pick<LogStore, 'append'>
  readonly #now: () => Date

  constructor(logs: Pick<LogStore, 'append'>, now: () => Date) {
    this.#logs = logs
    this.#now = now
  }

  write(unit: string, level: UnitLine['level'], message: string): void {
    this.writeAll([{ unit, level, message }])
  }

  writeAll(lines: readonly UnitLine[]): void {
    if (lines.length === 0) return
    const time = this.#now().getTime() * 1000
    this.#logs.append(lines.map((line) => recordOf(line, time)))
  }
}

function recordOf({ level, unit, message, login = '', ip = '' }: UnitLine, time: number): NewRecord {
  const isGuard = unit === guardUnit
  const name = isGuard ? unit : `{brand}-${unit}`
  return {
    kind: isGuard ? 'brief' : 'authentication',
    time,
    priority: priorityOf(level),
    unit: name,
    syslogId: name,
    message: message.slice(0, maxMessage),
    fields: isGuard ? {} : { login, ip },
  }
}
