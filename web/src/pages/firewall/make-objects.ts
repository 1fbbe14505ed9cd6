// Makes the objects that a draft or a file asks for, as one change, before the rules that name them are reviewed.

import {
  ipAddressEndpoints,
  ipRangeEndpoints,
  listAll,
  networkEndpoints,
  portEndpoints,
  portRangeEndpoints,
} from '@gateway/server/contract/objects'
import { applyOnTop } from '../../api/apply.ts'
import { Failure } from '../../api/failure.ts'
import { toast } from '../../ui/toast.tsx'
import { heard, t } from '../../words.ts'
import { bodyOfMissing, type MissingObject } from './rules/exchange.ts'

const endpoints = {
  ip: ipAddressEndpoints,
  ip_range: ipRangeEndpoints,
  subnet: networkEndpoints,
  port: portEndpoints,
  port_range: portRangeEndpoints,
} as const

/** Ids by what was written; null when the gateway refused. */
export async function makeObjects(missing: readonly MissingObject[]): Promise<ReadonlyMap<string, string> | null> {
  if (missing.length === 0) return new Map()
  const plan = {
    title: t('{count, plural, one {Add # object} other {Add # objects}}', { count: missing.length }),
    calls: missing.map((one) => ({ endpoint: endpoints[one.kind].create, body: bodyOfMissing(one) })),
    reads: [listAll, ...new Set(missing.map(({ kind }) => endpoints[kind].list))],
  }
  let applied: Awaited<ReturnType<typeof applyOnTop>>
  try {
    // Without a word: the review that follows says what the objects are for.
    applied = await applyOnTop(plan, {})
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    toast(heard(error.message), { tone: 'bad' })
    return null
  }
  if (applied === null) return null
  const { replies } = applied
  return new Map(
    missing.map(({ text }, at) => [text, (replies[at] as { readonly id: string } | undefined)?.id ?? text]),
  )
}
