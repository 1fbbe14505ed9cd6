// Keeps dynamic DNS up to date: compares the stored settings with the current external address whenever one of them may
// have changed.

import type { Services } from '../../core/area/handle.ts'
import { read } from '../../core/model/slots.ts'
import { ddns, ddnsState, servicePasswordPlace } from './config.ts'
import { externalAddress, isReachable } from './resolve.ts'
import { ddnsService } from './service.ts'

const lookMilliseconds = 15_000

export function startDdns(services: Services, onFault: (error: unknown) => void): { look(): void; stop(): void } {
  const look = (): void => {
    followAddress(services).catch(onFault)
  }
  const timer = setInterval(look, lookMilliseconds)
  timer.unref()
  return { look, stop: () => clearInterval(timer) }
}

async function followAddress(services: Services): Promise<void> {
  const { engine, facts, vault } = services
  const updater = services.of(ddnsService)
  const { config } = engine
  const { domain, service_login: login, service_password: sealed } = read(config, ddns)
  const address = externalAddress(facts())
  const isWanted = read(config, ddnsState).enabled && domain !== '' && login !== ''
  if (!isWanted || sealed === null || address === null || !isReachable(address)) return updater?.follow(null)
  await updater?.follow({ domain, login, password: vault.reveal(sealed, servicePasswordPlace), address })
}
