// The lists of intrusion prevention, declared: profiles with their rules, custom signatures and protected networks. The
// template profile and its rules are built in.

import type { Problem } from '../../core/contract/error.ts'
import { declareList } from '../../core/model/declarations.ts'
import { parseRule } from '../../domain/signatures/rule.ts'
import { parseNetwork, printSpan } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { custom, nets, profileRules, profiles, template, templateRules } from './config.ts'
import type { Net } from './contract.ts'
import type { Profile, StoredRule } from './contract-profiles.ts'
import { maxCustomSid, type StoredCustom } from './contract-signatures.ts'

export const profileList = declareList<Profile>({
  slot: profiles,
  noun: 'intrusion prevention profile',
  nameOf: ({ name }) => `intrusion prevention profile "${name}"`,
  ids: { kind: 'uuid' },
  builtIn: [template],
})

export const ruleList = declareList<StoredRule>({
  slot: profileRules,
  noun: 'rule',
  ids: { kind: 'number' },
  owner: { field: 'profile_id', list: profileList },
  builtIn: templateRules,
  problemsOf: (_config, rule) => filterProblems(rule),
})

/** Sids are numbers, everything else is text. */
const filterProblems = ({ filters }: StoredRule): Problem[] =>
  filters.flatMap(({ key, values }, filter) =>
    values.flatMap((value, index) => {
      const wanted = key === 'sid' ? 'number' : 'string'
      if (typeof value === wanted) return []
      const message = key === 'sid' ? say`Must be a whole number, because the key is sid.` : say`Must be a text.`
      return [{ field: `filters[${filter}].values[${index}]`, message }]
    }),
  )

/** A custom signature is stored as its text, under its sid. */
export const customList = declareList<StoredCustom>({
  slot: custom,
  noun: 'custom signature',
  ids: { kind: 'given' },
  problemsOf: (_config, signature) => signatureProblems(signature),
  unique: [{ field: 'rule', keyOf: ({ id }) => id, messageOf: ({ id }) => sidTaken(Number(id)) }],
})

export const sidTaken = (sid: number): SaidText => say`A signature with the sid ${sid} already exists.`

export const sidFault = (sid: number): SaidText | null =>
  sid > maxCustomSid ? say`The sid of a custom signature must be from 1 to ${maxCustomSid}.` : null

const parsed = new WeakMap<StoredCustom, ReturnType<typeof parseRule>>()

/** The rule as data, or its fault. Stored signatures never change, so each is parsed once. */
export const parseCustom = (signature: StoredCustom) =>
  parsed.getOrInsertComputed(signature, ({ rule }) => parseRule(rule, 'custom'))

export function signatureProblems(signature: StoredCustom): Problem[] {
  const result = parseCustom(signature)
  if ('fault' in result) return [{ field: 'rule', message: result.fault }]
  const { sid } = result.rule.signature
  const moved = say`The sid must stay ${signature.id}. To use another sid, add a new signature.`
  const fault = sidFault(sid) ?? (String(sid) === signature.id ? null : moved)
  return fault === null ? [] : [{ field: 'rule', message: fault }]
}

export const netList = declareList<Net>({
  slot: nets,
  noun: 'protected network',
  nameOf: ({ address }) => `protected network ${address}`,
  ids: { kind: 'uuid' },
  problemsOf: (_config, { address }) => addressProblems(address),
  unique: [
    {
      field: 'address',
      keyOf: ({ address }) => address,
      messageOf: ({ address }) => say`The network ${address} is already protected.`,
    },
  ],
})

function addressProblems(address: string): Problem[] {
  const network = parseNetwork(address)
  if (!network) return [{ field: 'address', message: say`Must be an IPv4 network such as 192.168.0.0/16.` }]
  if (network.address === network.low) return []
  const meant = printSpan(network.low, network.high)
  return [{ field: 'address', message: say`${address} has host bits set. Did you mean ${meant}?` }]
}

export const lists = [profileList, ruleList, customList, netList]
