// What another call of the interface would make of the configuration, without making it: the same route, access, schema and
// edit as the call itself, on a copy. Used where an answer is asked for "as if", such as which rule would decide.

import type { Change, Context, PreviewCall, Route } from '../../core/area/handle.ts'
import type { EditTools, Preview } from '../../core/config/change.ts'
import type { ConfigEngine } from '../../core/config/engine.ts'
import { GatewayError, invalid } from '../../core/contract/error.ts'
import type { Config } from '../../core/model/slots.ts'
import { checkBody, readQuery } from '../../core/validation/validate.ts'
import { say } from '../../shared/said.ts'
import { findRoute } from './find-route.ts'
import { checkAccess } from './request.ts'

/** The handler ran into change(): what it wanted is known, and nothing after it may happen. */
class Previewed extends Error {
  readonly preview: Preview

  constructor(preview: Preview) {
    super('previewed')
    this.preview = preview
  }
}

export async function preview(
  routes: readonly Route[],
  engine: ConfigEngine,
  asking: Context,
  call: PreviewCall,
): Promise<Preview> {
  const found = findRoute(routes, call.method, call.path)
  if (found?.route.endpoint.effect !== 'configuration')
    throw invalid('change.path', say`No call with this method and path changes the configuration.`)
  const { endpoint, handler } = found.route
  checkAccess(asking.identity, endpoint.access)
  if (endpoint.body) checkBody(endpoint.body, call.body)
  const change = (edit: (config: Config, tools: EditTools) => Config | readonly [Config, unknown]): Promise<never> =>
    Promise.reject(
      new Previewed(
        engine.preview((config, tools) => {
          const edited = edit(config, tools)
          return Array.isArray(edited) ? (edited as readonly [Config, unknown]) : [edited as Config, undefined]
        }),
      ),
    )
  const query = readQuery(endpoint.query, found.query)
  try {
    await handler({
      ...asking,
      params: found.params,
      query,
      body: call.body,
      change: change as Change,
    })
  } catch (outcome) {
    if (outcome instanceof Previewed) return outcome.preview
    throw outcome
  }
  throw new GatewayError('invalid', say`This call does not change the configuration.`)
}
