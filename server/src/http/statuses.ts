// All statuses at once: what every status endpoint without parameters would answer now, with one look at the machine for all.

import type { Access } from '../contract/access.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { StatusItem } from '../contract/fields.ts'
import type { Context, Route, Services } from './handle.ts'

export interface ReadStatus {
  /** Of the endpoint. */
  readonly path: string
  readonly access: Access
  readonly items: readonly StatusItem[]
}

/** Reads the whole table of connections, so it is read only for who asks for it. */
const expensive: ReadonlySet<string> = new Set(['/reports/traffic/status'])

export const isStatus = ({ method, params, reply, path }: Endpoint): boolean =>
  method === 'GET' &&
  params.length === 0 &&
  (reply as { items?: unknown } | null)?.items === StatusItem &&
  !expensive.has(path)

/** A status that cannot be read is `failed`, with the reason: the others are shown all the same. */
export async function readStatuses(routes: readonly Route[], services: Services): Promise<readonly ReadStatus[]> {
  let observed: ReturnType<Services['observe']> | undefined
  const observe: Services['observe'] = () => (observed ??= services.observe())
  const context = {
    config: services.engine.config,
    services: { ...services, observe },
    params: {},
    query: {},
  } as Partial<Context> as Context
  return Promise.all(
    routes
      .filter(({ endpoint }) => isStatus(endpoint))
      .map(async ({ endpoint: { path, access }, handler }) => ({
        path,
        access,
        items: await itemsOf(handler, context),
      })),
  )
}

async function itemsOf(handler: Route['handler'], context: Context): Promise<readonly StatusItem[]> {
  try {
    return (await handler(context)) as readonly StatusItem[]
  } catch (error) {
    return [{ name: 'status', status: 'failed', msg: [(error as Error).message] }]
  }
}
