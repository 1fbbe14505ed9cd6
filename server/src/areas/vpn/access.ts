// What the access table says as a whole: which kinds of VPN and which second factors it uses, and what it says of a user.

import { findIn } from '../../core/model/item-index.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { groupPath, userId, users } from '../users/public.ts'
import { accessRules } from './config.ts'
import { type AccessRule, secondFactors, vpnTypes } from './contract.ts'

const flagsOf = <const T extends readonly string[]>(names: T, isUsed: (name: string) => boolean) =>
  Object.fromEntries(names.map((name) => [name, isUsed(name)])) as Record<T[number], boolean>

/** Disabled rules count too: the hint is wanted before they are enabled. */
export function vpnsInUse(config: Config) {
  const used = new Set<string>(read(config, accessRules).flatMap(({ vpns }) => vpns))
  return flagsOf(vpnTypes, (name) => used.has(name) || used.has('any'))
}

export function factorsInUse(config: Config) {
  const used = new Set<string>(read(config, accessRules).map(({ two_factor }) => two_factor))
  const flags = flagsOf(secondFactors, (name) => used.has(name))
  return { ...flags, smsaero: flags.smssvc }
}

/** Origins whose users are only in groups of the gateway. */
const isFullyKnown = new Set<string>(['local', 'radius', 'device'])

/**
 * Rules that name the user, a group above it or any user, in their order. Nothing for users of a directory: their security
 * groups cannot be read yet, and half an answer would show access that an earlier rule denies.
 */
export function accessRulesOf(config: Config, id: string): AccessRule[] {
  const user = findIn(config, users, /^\d+$/.test(id) ? userId(id) : id)
  if (!user || !isFullyKnown.has(user.domain_type)) return []
  const names = new Set(['any', user.id, ...groupPath(config, user.parent_id)])
  return read(config, accessRules).filter(({ objects }) => objects.some((object) => names.has(object)))
}
