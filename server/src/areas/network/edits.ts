// What is stored of a body where that takes more than the body: defaults by type, sealed passwords and names of devices.

import { invalid } from '../../core/contract/error.ts'
import { secretMask } from '../../core/contract/fields.ts'
import { findItem } from '../../core/model/list-edits.ts'
import type { Sealed } from '../../core/model/secret.ts'
import type { Config, ItemId } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { connections, spans, tunnels } from './config.ts'
import { type ConnectionPatch, fieldsOf, type NewConnection, type NewSpan, type NewTunnel } from './contract.ts'

/** Turns the clear text into what is stored; the vault binds it to the connection. */
export type SealPassword = (password: string, connectionId: number) => Sealed

/** The fields that a creation or a change of this connection stores. */
export function connectionFields(
  config: Config,
  id: number,
  body: NewConnection | ConnectionPatch,
  seal: SealPassword,
): object {
  const current = findItem(config, connections, id)
  const type = current?.type ?? body.type ?? 'lan'
  const { defaults, required } = fieldsOf[type]
  const generated = type === 'loopback' ? { osdevname: `Oloopback${id}` } : {}
  return {
    ...(current ? {} : { ...defaults, ...generated }),
    ...(required.includes('password') ? withSealed(body, id, current !== undefined, seal) : body),
  }
}

/** The mask and null keep the stored password. */
function withSealed(
  { password, ...rest }: NewConnection | ConnectionPatch,
  id: number,
  hasStored: boolean,
  seal: SealPassword,
): object {
  const isKept = password === undefined || password === null || password === secretMask
  if (!isKept) return { ...rest, password: seal(password, id) }
  if (password !== undefined && !hasStored) throw invalid('password', say`Must be the password itself.`)
  return rest
}

/** The name of the device is generated and never changes; a number is never used twice, so neither is a name. */
export const tunnelFields = (config: Config, id: ItemId, body: NewTunnel, nextNumber: () => number): object => ({
  ...body,
  osdevname: findItem(config, tunnels, id)?.osdevname ?? `Gre${String(nextNumber()).padStart(8, '0')}`,
})

export const spanFields = (config: Config, id: ItemId, body: Partial<NewSpan>, nextNumber: () => number): object => ({
  ...body,
  osdevindex: findItem(config, spans, id)?.osdevindex ?? nextNumber(),
})
