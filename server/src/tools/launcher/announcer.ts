// Reports the state of the gateway: launcher.json for programs, the banner and an occasional
// sentence for the person at the terminal, launcher.log for later analysis.

import { writeSync } from 'node:fs'
import { tryStoring } from '../../shared/files/reserve.ts'
import { showBanner } from './banner.ts'
import { codeOf } from './failure.ts'
import type { GatewayEvents, Processes } from './gateway.ts'
import type { ReadyMessage } from './processes.ts'
import { type LauncherRecord, writeRecord } from './record.ts'

export interface Subject {
  /** All of launcher.json that is known before anything runs. */
  readonly facts: Omit<LauncherRecord, 'address' | 'processes'>
  /** Where launcher.json is written, and what the state folder is called outside. */
  readonly recordIn: string
  readonly stateDir: string
  readonly log: number
  /** The operator chose the password: it need not be shown, but must be passed to gatewayd. */
  readonly adminPassword: string | null
  /** The banner would be kept in a journal: it must not show a password. */
  readonly isJournal: boolean
}

/** gatewayd must serve. Another process that does not start must not keep the administrator waiting. */
export function isUp(processes: Processes): boolean {
  return Object.entries(processes).every(([name, { ready, starts }]) => ready || (name !== 'gatewayd' && starts > 1))
}

/** How soon a record is tried again that a full disk did not take. */
const retryMilliseconds = 2_000

export class Announcer implements GatewayEvents {
  readonly #subject: Subject
  readonly #complained = new Set<string>()
  #greeting: ReadyMessage | null = null
  #isAnnounced = false
  #retry: NodeJS.Timeout | undefined

  constructor(subject: Subject) {
    this.#subject = subject
  }

  /** The password to pass to gatewayd at its next start: null once it has served, because then it is stored. */
  firstPassword(): string | null {
    return this.#greeting === null ? this.#subject.adminPassword : null
  }

  onReady(name: string, message: ReadyMessage): void {
    if (name === 'gatewayd') this.#greeting ??= message
  }

  onChange(processes: Processes): void {
    if (this.#greeting === null || !(this.#isAnnounced || isUp(processes))) return
    const { facts, recordIn } = this.#subject
    clearTimeout(this.#retry)
    if (!writeRecord(recordIn, { ...facts, address: this.#greeting.address ?? '', processes }))
      this.#retry = setTimeout(() => this.onChange(processes), retryMilliseconds).unref()
    if (!this.#isAnnounced) this.#announce(this.#greeting)
  }

  onEnd(name: string, how: string, wasReady: boolean): void {
    const line = `${new Date().toISOString()} ${name} ended (${how}) and is restarted\n`
    tryStoring(() => writeSync(this.#subject.log, line))
    if (wasReady || this.#complained.has(name)) return
    this.#complained.add(name)
    say(2, `${name} ended before it was ready (${how}) and is tried again; see ${this.#subject.stateDir}/log.\n`)
  }

  #announce({ address = '', firstLogin = 'admin', firstPassword = '', authorization }: ReadyMessage): void {
    this.#isAnnounced = true
    const { facts, stateDir, isJournal } = this.#subject
    const choice = { plane: facts.dataplane, limitation: facts.limitation }
    const account = { firstLogin, firstPassword: firstPassword === '' ? null : firstPassword }
    say(
      1,
      showBanner({
        address,
        choice,
        stateDir,
        ...account,
        allowsEveryone: authorization === 'not enforced',
        isJournal,
      }),
    )
  }
}

/** The terminal may be gone; that must not take the gateway with it. */
function say(fd: number, text: string): void {
  try {
    writeSync(fd, text)
  } catch (error) {
    if (codeOf(error) === '') throw error
  }
}
