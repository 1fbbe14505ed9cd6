// Hands on what gatewayd asks of engines beside plans. An engine declares what it can be asked, and reads the arguments.

import type { EngineQuestion } from '../core/plan/artifacts.ts'
import type { EngineRequest } from '../engines/kit/requests.ts'
import type { Tables } from '../engines/kit/tables.ts'
import { parseKeys, Refusal } from '../engines/kit/values.ts'

export function createQuestions({ requests }: Pick<Tables, 'requests'>) {
  const engines = new Map([...requests].map(([service, make]) => [service, make()]))

  function find(service: unknown, request: unknown): EngineRequest {
    const own = typeof service === 'string' ? engines.get(service)?.requests : undefined
    const found = own && typeof request === 'string' && Object.hasOwn(own, request) ? own[request] : undefined
    if (!found) throw new Refusal('No engine has such a request.')
    return found
  }

  function parse(value: unknown): EngineQuestion {
    const { service, request, args } = parseKeys(value, ['service', 'request', 'args'])
    const read = find(service, request).parse(args)
    return { service: String(service), request: String(request), args: read as object }
  }

  return {
    parse,
    ask: ({ service, request, args }: EngineQuestion, connection: object | null = null): Promise<unknown> =>
      find(service, request).perform(args, connection),
    disconnected: (connection: object): void => {
      for (const engine of engines.values()) engine.disconnected?.(connection)
    },
    close: (): void => {
      for (const engine of engines.values()) engine.close?.()
    },
  }
}
