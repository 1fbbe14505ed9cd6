// How what the web proxy offers is made.

import { join } from 'node:path'
import { type Run, run } from '../../core/area/run.ts'
import { proxyFiles, webFilter, webPorts } from '../../engines/web-filter/index.ts'
import { keepAuthority } from './jobs.ts'
import { isRun } from './public.ts'
import { followProcessorTime } from './runs/processor-time.ts'
import { type ProxyWatch, proxyFaults, watchProxy } from './runs/proxy-watch.ts'
import { readBeside } from './runs/tcp-connections.ts'
import { webAuthorityService, webProxyService } from './service.ts'

export const runs: readonly Run[] = [
  run(webAuthorityService, ({ services, settings, log }) => {
    const { clock } = services
    const keeper = settings.isOnMachine
      ? keepAuthority(services, (error) =>
          log('warning', 'no certificate authority was made for the web proxy', { error }),
        )
      : null
    const look = (): void => keeper?.look()
    return {
      offers: async () =>
        (await import('../../shared/certificates/certificate-maker.ts')).makeWebAuthority(clock.now()),
      start: look,
      follow: look,
    }
  }),
  run(webProxyService, ({ engine, settings, log, factsChanged }) => {
    if (!settings.isOnMachine) return null
    let watch: ProxyWatch | null = null
    return {
      offers: { state: () => watch?.state() ?? null },
      start: () => {
        if (!settings.isApplied) return
        watch = watchProxy({
          port: webPorts.health,
          isWanted: () => isRun(engine.config),
          isFull: () => readBeside(webPorts.health) > (proxyFiles * 3) / 4,
          processorMs: followProcessorTime(join(settings.stateDir, webFilter.files['squid.conf'].path)),
          onChange: (state, before) => {
            // From its start on it is down until it answers.
            if (state === 'up') log('info', 'the web proxy answers')
            else if (state !== null && before !== null) log('warning', proxyFaults[state])
            factsChanged()
          },
        })
      },
      stop: () => watch?.close(),
    }
  }),
]
