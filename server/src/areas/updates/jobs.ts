// How an upgrade ended goes into the audit trail: the program of the upgrade, which replaces this one, cannot write there.

import type { Services } from '../../core/area/handle.ts'
import { upgradesService } from './service.ts'

const lookMilliseconds = 10_000

/** Looks now and then whether an upgrade has ended. */
export function followUpgrades(
  services: Pick<Services, 'of' | 'audit'>,
  onFault: (error: unknown) => void,
): { stop(): void } {
  const look = (): void => {
    try {
      const ended = services.of(upgradesService)?.takeEnd()
      if (!ended) return
      const who = ended.by === 'root' ? ' It was begun by root with gw upgrade.' : ''
      services.audit.noteOwn('upgrade', ended.state === 'done' ? 'ok' : 'failed', `${ended.message}${who}`)
    } catch (error) {
      onFault(error)
    }
  }
  look()
  const timer = setInterval(look, lookMilliseconds)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
