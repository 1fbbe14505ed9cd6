// Exclusions of the web proxy and its settings, declared.

import { declareList, declareSettings, mustBeOfKind, names } from '../../core/model/declarations.ts'
import { isAddressId, isKnownObject, objectSlots } from '../objects/public.ts'
import { groups, users } from '../users/public.ts'
import { antivirus, authority, exclusions, settings } from './config.ts'
import type { Exclusion, ProxySettings } from './contract.ts'
import { portProblems } from './ports.ts'

const naming = (field: 'sources' | 'destinations') =>
  names<Exclusion>(field, {
    allowsAny: true,
    faultOf: mustBeOfKind('a user, group or address object', isAddressId, isKnownObject),
    slots: [...objectSlots, users, groups],
  })

export const exclusionList = declareList<Exclusion>({
  slot: exclusions,
  noun: 'exclusion of the web proxy',
  nameOf: ({ id, comment }) => `exclusion of the web proxy "${comment === '' ? id : comment}"`,
  ids: { kind: 'prefixed', prefix: 'proxy_exclusion' },
  defaults: { comment: '', enabled: true },
  references: [naming('sources'), naming('destinations')],
})

export const proxySettings = declareSettings<ProxySettings>({
  slot: settings,
  noun: 'settings of the web proxy',
  problemsOf: (_config, { direct_port }) => portProblems(direct_port),
})

export const antivirusSettings = declareSettings({ slot: antivirus, noun: 'web antivirus' })

export const authoritySettings = declareSettings({
  slot: authority,
  noun: 'certificate authority of the web proxy',
  secrets: ['authority'],
})
