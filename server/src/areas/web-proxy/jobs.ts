// Keeps an authority for a proxy that is on: a restored backup or an earlier revision can switch it on without one.

import type { Services } from '../../core/area/handle.ts'
import { read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { setAuthority } from './authority.ts'
import { authority, keyPlace } from './config.ts'
import { isWanted } from './resolve.ts'
import { webAuthorityService } from './service.ts'

/** Looks at once and after each change; ends with the gateway. */
export function keepAuthority(services: Services, onFault: (error: unknown) => void): { look(): void } {
  const isMissing = (): boolean => {
    const { config } = services.engine
    return isWanted(config) && read(config, authority).authority === null
  }
  let isMaking = false
  const make = async (): Promise<void> => {
    const { certificate, key } = await services.of(webAuthorityService)()
    const sealed = services.vault.seal(key, keyPlace)
    await services.changeAsGateway(
      (config) =>
        isWanted(config) && read(config, authority).authority === null
          ? setAuthority(config, 'made', certificate, sealed)
          : config,
      { reason: say`A certificate authority for the web proxy.`, isDeferred: true },
    )
  }
  return {
    look: () => {
      if (isMaking || !isMissing()) return
      isMaking = true
      make()
        .catch(onFault)
        .finally(() => {
          isMaking = false
        })
    },
  }
}
