// Authenticator apps of users and the providers that deliver codes, as they are stored. A secret is configuration: a backup
// carries it, and it is removed along with its user.

import type { Static } from 'typebox'
import type { Problem } from '../../contract/error.ts'
import { nullable, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'
import { declareList, declareSettings, mustExist, namesOne } from '../../model/declarations.ts'
import { Sealed } from '../../model/secret.ts'
import { type Config, list, perState, read, single, write } from '../../model/slots.ts'
import { findUser, users } from '../users/public.ts'
import { codeMark, type ProviderName, Providers, type ProvidersPatch, providerNames } from './contract-sign-in.ts'

const SecondFactor = strictObject({
  id: Type.Integer(),
  user_id: Type.String({ description: 'user.id.<n>' }),
  secret: Sealed,
  since: Type.Integer({ description: 'Unix seconds.' }),
})
export type SecondFactor = Static<typeof SecondFactor>

export const secondFactors = list('portal.second_factors', SecondFactor)

/** Where the vault binds the secret of an app to. */
export const factorPlace = (id: number): string => `${secondFactors.key}/${id}/secret`

export const secondFactorList = declareList({
  slot: secondFactors,
  noun: 'second factor',
  ids: { kind: 'number' },
  nameOf: ({ user_id }) => `second factor of ${user_id}`,
  unique: [
    {
      field: 'user_id',
      keyOf: ({ user_id }) => user_id,
      messageOf: ({ user_id }) => `The user ${user_id} has a second factor.`,
    },
  ],
  references: [
    namesOne<SecondFactor>('user_id', {
      prefixes: ['user.'],
      slots: [users],
      faultOf: mustExist('user', (config, id) => findUser(config, id) !== undefined),
      isRemovedAlong: true,
    }),
  ],
  secrets: ['secret'],
  reads: [users],
})

const byUser = perState(
  [secondFactors],
  (config) => new Map(read(config, secondFactors).map((factor) => [factor.user_id, factor])),
)

export const factorOf = (config: Config, userId: string): SecondFactor | undefined => byUser(config).get(userId)

const { smssvc, multifactor } = Providers.properties
const key = nullable(Sealed)

const StoredProviders = strictObject({
  smssvc: strictObject({ ...smssvc.properties, key }),
  multifactor: strictObject({ ...multifactor.properties, key }),
})
export type StoredProviders = Static<typeof StoredProviders>

const off = { enabled: false, url: '', timeout_seconds: 10, key: null }

export const providers = single('portal.second_factor_providers', StoredProviders, {
  smssvc: { ...off, text: `Your code is ${codeMark}. It is valid for 5 minutes.` },
  multifactor: off,
})

/** Where the vault binds the key of a provider to. */
export const keyPlace = (name: ProviderName): string => `${providers.key}//${name}.key`

export const providerSettings = declareSettings<StoredProviders>({
  slot: providers,
  noun: 'providers of second factors',
  problemsOf: (_config, stored) => providerNames.flatMap((name) => providerProblems(name, stored[name])),
})

function providerProblems(name: ProviderName, { enabled, url, key: stored }: StoredProviders[ProviderName]): Problem[] {
  const empty = 'Must not be empty while the provider is enabled.'
  return [
    ...(enabled && url === '' ? [{ field: `${name}.url`, message: empty }] : []),
    ...(enabled && stored === null ? [{ field: `${name}.key`, message: empty }] : []),
    ...(url === '' || URL.canParse(url) ? [] : [{ field: `${name}.url`, message: 'Not a valid address.' }]),
  ]
}

export function patchedProviders(
  config: Config,
  patch: ProvidersPatch,
  seal: (name: ProviderName, key: string) => Sealed,
): Partial<StoredProviders> {
  const stored = read(config, providers)
  const keyOf = (name: ProviderName, given: string | undefined) =>
    given === undefined ? {} : { key: given === '' ? null : seal(name, given) }
  const { smssvc: sms, multifactor: multi } = patch
  return {
    ...(sms ? { smssvc: { ...stored.smssvc, ...withoutKey(sms), ...keyOf('smssvc', sms.key) } } : {}),
    ...(multi
      ? { multifactor: { ...stored.multifactor, ...withoutKey(multi), ...keyOf('multifactor', multi.key) } }
      : {}),
  }
}

function withoutKey<T extends { readonly key?: string }>({ key: _key, ...fields }: T): Omit<T, 'key'> {
  return fields
}

export function shownProviders(config: Config): Providers {
  const { smssvc: sms, multifactor: multi } = read(config, providers)
  const { key: smsKey, ...smsShown } = sms
  const { key: multiKey, ...multiShown } = multi
  const keys = { smssvc: smsKey, multifactor: multiKey }
  return { smssvc: smsShown, multifactor: multiShown, keys: providerNames.filter((name) => keys[name] !== null) }
}

/** The secret of a new app; the configuration as it is when the user has one already. */
export function addFactor(config: Config, factor: SecondFactor): Config {
  if (factorOf(config, factor.user_id) || !findUser(config, factor.user_id)) return config
  return write(config, secondFactors, [...read(config, secondFactors), factor])
}
