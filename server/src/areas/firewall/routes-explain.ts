// Endpoints that answer questions about the rules and change nothing.

import { setImmediate as pause } from 'node:timers/promises'
import type { ReplyOf } from '../../contract/endpoint.ts'
import { GatewayError, invalid } from '../../contract/error.ts'
import { type Context, handle, type Route } from '../../http/handle.ts'
import { type Config, read } from '../../model/slots.ts'
import { findHygiene } from '../../policy/hygiene.ts'
import { watch } from './config.ts'
import { explainPacket as explainEndpoint, showHygiene } from './contract-explain.ts'
import { effectOf, explainPacket, isExpired, storedRules } from './explain.ts'
import { localStamp } from './jobs.ts'
import { policyOf } from './resolve.ts'

export const explainRoutes: readonly Route[] = [
  handle(explainEndpoint, async (context) => {
    const { body, services } = context
    const now = Math.floor(services.clock.now().getTime() / 1000)
    return explainPacket(await askedConfig(context), services.facts(), body.packet, now) as ReplyOf<
      typeof explainEndpoint
    >
  }),
  handle(showHygiene, async ({ config, services }) => {
    const facts = services.facts()
    const stored = storedRules(config)
    const stamp = localStamp(services.clock.now(), facts.timeZone)
    const expired = [...stored].filter(([, rule]) => isExpired(config, rule, stamp)).map(([origin]) => origin)
    // Without counting nothing is known about hits.
    const hits = read(config, watch).enabled ? await services.hitCounters.current() : new Map()
    return (await findHygiene({
      rules: policyOf(config, facts).rules,
      hits,
      expired: new Set(expired),
      effectOf: ({ origin }) => effectOf(stored.get(origin)),
      pause: async () => void (await pause()),
    })) as ReplyOf<typeof showHygiene>
  }),
]

/** The running configuration, that of a revision, or the one that a call would produce. */
async function askedConfig({ body, config, services, preview }: Context<typeof explainEndpoint>): Promise<Config> {
  const { revision, change } = body
  if (change !== undefined && revision !== undefined)
    throw invalid('change', 'Send either a revision or a change, not both.')
  if (change !== undefined) return preview(change)
  if (revision === undefined) return config
  const past = services.engine.configAt(revision)
  if (!past) throw new GatewayError('not_found', `There is no revision ${revision}.`)
  return past
}
