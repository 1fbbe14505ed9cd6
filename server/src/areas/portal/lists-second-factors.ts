// Authenticator apps of users and the providers that deliver codes, as they are stored. A secret is configuration: a backup
// carries it, and it is removed along with its user.

import type { Static } from 'typebox'
import type { Problem } from '../../core/contract/error.ts'
import { nullable, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { declareList, declareSettings, mustExist, namesOne } from '../../core/model/declarations.ts'
import { addressFields, hideAddress } from '../../core/model/hidden-addresses.ts'
import { Sealed } from '../../core/model/secret.ts'
import { type Config, list, perState, read, single, write } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
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
      messageOf: ({ user_id }) => say`The user ${user_id} has a second factor.`,
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
const secrets = { key: nullable(Sealed), address: nullable(Sealed) }

const StoredProviders = strictObject({
  smssvc: strictObject({ ...smssvc.properties, ...secrets }),
  multifactor: strictObject({ ...multifactor.properties, ...secrets }),
})
export type StoredProviders = Static<typeof StoredProviders>

const off = { enabled: false, url: '', address: null, timeout_seconds: 10, key: null }

export const providers = single(
  'portal.second_factor_providers',
  StoredProviders,
  { smssvc: { ...off, text: `Your code is ${codeMark}. It is valid for 5 minutes.` }, multifactor: off },
  {
    upgrades: [
      (old) => ({
        ...old,
        smssvc: hideAddress(old.smssvc as object),
        multifactor: hideAddress(old.multifactor as object),
      }),
    ],
  },
)

/** Where the vault binds the address and the key of a provider to. */
export const addressPlace = (name: ProviderName): string => `${providers.key}//${name}.address`
export const keyPlace = (name: ProviderName): string => `${providers.key}//${name}.key`

export const providerSettings = declareSettings<StoredProviders>({
  slot: providers,
  noun: 'providers of second factors',
  problemsOf: (_config, stored) => providerNames.flatMap((name) => providerProblems(name, stored[name])),
})

function providerProblems(name: ProviderName, { enabled, url, key: stored }: StoredProviders[ProviderName]): Problem[] {
  const empty = say`Must not be empty while the provider is enabled.`
  return [
    ...(enabled && url === '' ? [{ field: `${name}.url`, message: empty }] : []),
    ...(enabled && stored === null ? [{ field: `${name}.key`, message: empty }] : []),
    ...(url === '' || URL.canParse(url) ? [] : [{ field: `${name}.url`, message: say`Not a valid address.` }]),
  ]
}

export function patchedProviders(
  config: Config,
  patch: ProvidersPatch,
  vault: Pick<AddressVault, 'seal' | 'reveal'>,
): Partial<StoredProviders> {
  const stored = read(config, providers)
  const secretsOf = (name: ProviderName, { key, url }: { readonly key?: string; readonly url?: string }) => ({
    ...(key === undefined ? {} : { key: key === '' ? null : vault.seal(key, keyPlace(name)) }),
    ...addressFields(url, stored[name], `${name}.url`, {
      seal: (clear) => vault.seal(clear, addressPlace(name)),
      reveal: (address) => vault.reveal(address, addressPlace(name)),
    }),
  })
  const { smssvc: sms, multifactor: multi } = patch
  return {
    ...(sms ? { smssvc: { ...stored.smssvc, ...withoutSecrets(sms), ...secretsOf('smssvc', sms) } } : {}),
    ...(multi
      ? { multifactor: { ...stored.multifactor, ...withoutSecrets(multi), ...secretsOf('multifactor', multi) } }
      : {}),
  }
}

interface AddressVault {
  seal(clear: string, place: string): Sealed
  reveal(sealed: Sealed, place: string): string
}

function withoutSecrets<T extends { readonly key?: string; readonly url?: string }>(patch: T): Omit<T, 'key' | 'url'> {
  const { key: _key, url: _url, ...fields } = patch
  return fields
}

export function shownProviders(config: Config): Providers {
  const { smssvc: sms, multifactor: multi } = read(config, providers)
  const { key: smsKey, address: _smsAddress, ...smsShown } = sms
  const { key: multiKey, address: _multiAddress, ...multiShown } = multi
  const keys = { smssvc: smsKey, multifactor: multiKey }
  return { smssvc: smsShown, multifactor: multiShown, keys: providerNames.filter((name) => keys[name] !== null) }
}

/** The secret of a new app; the configuration as it is when the user has one already. */
export function addFactor(config: Config, factor: SecondFactor): Config {
  if (factorOf(config, factor.user_id) || !findUser(config, factor.user_id)) return config
  return write(config, secondFactors, [...read(config, secondFactors), factor])
}
