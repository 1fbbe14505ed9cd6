// All statuses at once: what every status endpoint without parameters would answer now, with one look at the machine for all.

import { sentencesIn, verbatim } from '../../shared/said.ts'
import type { Access } from '../contract/access.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { type CodedStatusItem, isStoredOnly, StatusItem } from '../contract/fields.ts'
import type { Context, Route, Services } from './handle.ts'

export interface ReadStatus {
  /** Of the endpoint. */
  readonly path: string
  readonly access: Access
  readonly items: readonly CodedStatusItem[]
}

/** Reads the whole table of connections, so it is read only for who asks for it. */
const expensive: ReadonlySet<string> = new Set(['/reports/traffic/status'])

export const isStatus = ({ method, params, reply, path }: Endpoint): boolean =>
  method === 'GET' &&
  params.length === 0 &&
  reply !== null &&
  (isItem(reply) || isItem((reply as { items?: object }).items ?? {})) &&
  !expensive.has(path)

/** A few endpoints answer one item without a list, and that of VPN has a status of its own words. */
const isItem = (schema: object): boolean =>
  Object.keys((schema as { properties?: object }).properties ?? {}).join() === Object.keys(StatusItem.properties).join()

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

async function itemsOf(handler: Route['handler'], context: Context): Promise<readonly CodedStatusItem[]> {
  try {
    const items = [(await handler(context)) as StatusItem | readonly StatusItem[]].flat() as readonly StatusItem[]
    return items.map((item) => ({
      ...item,
      code: isStoredOnly(item) ? 'stored_only' : null,
      sentences: sentencesIn(item.msg),
    }))
  } catch (error) {
    const message = verbatim((error as Error).message)
    return [{ name: 'status', status: 'failed', msg: [message], code: 'unreadable', sentences: sentencesIn(message) }]
  }
}
