// Reads rule files again and has what is new among all signatures checked by the inspection engine.

import type { Services } from '../../core/area/handle.ts'
import { read } from '../../core/model/slots.ts'
import { custom } from './config.ts'
import { customRules } from './resolve.ts'
import { signatureIntakeService, signaturesService } from './service.ts'

/** Gives a call that looks once; custom signatures are followed by themselves. */
export function followSignatures(services: Services, onFault: (error: unknown) => void): () => Promise<void> {
  const { engine } = services
  const signatures = services.of(signaturesService)
  const signatureIntake = services.of(signatureIntakeService)
  const look = async (): Promise<void> => {
    try {
      await signatures?.refresh()
      const own = customRules(read(engine.config, custom)).map(({ rule }) => rule)
      await signatureIntake.look([...(signatures?.ownRules() ?? []), ...own])
    } catch (error) {
      onFault(error)
    }
  }
  let last = read(engine.config, custom)
  engine.onChanged(() => {
    const now = read(engine.config, custom)
    if (now !== last) void look()
    last = now
  })
  return look
}
