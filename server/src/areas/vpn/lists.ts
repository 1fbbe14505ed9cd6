// The settings and lists of the VPN servers, each declared once.

import { declareList, declareSettings, mustExist, names, namesOne } from '../../core/model/declarations.ts'
import type { Config } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { connections, faultOfZone, tunnels, zones } from '../network/public.ts'
import { isKnownObject, objectSlots } from '../objects/public.ts'
import { groups, users } from '../users/public.ts'
import { accessRules, leaseRules, pushedRoutes, settings } from './config.ts'
import type { AccessFields, AccessRule, LeaseRule, PushedRoutes, VpnSettings } from './contract.ts'
import { accessProblems, isKnownSubject, leaseProblems, settingsProblems, spanOf } from './rules.ts'

export const vpnSettingsDeclared = declareSettings<VpnSettings>({
  slot: settings,
  noun: 'VPN settings',
  references: [
    namesOne('zone', {
      prefixes: ['zone.'],
      // The interface of the VPN clients is one more member of the zone.
      faultOf: (config: Config, id) => faultOfZone(config, id, 1),
    }),
  ],
  problemsOf: settingsProblems,
  reads: [zones, connections, tunnels],
})

const objectFault = mustExist('object', isKnownObject)
const routeOptions = { prefixes: ['ip.', 'subnet.', 'domain.'], faultOf: objectFault }

export const routesDeclared = declareSettings<PushedRoutes>({
  slot: pushedRoutes,
  noun: 'routes for VPN clients',
  references: [names('networks', routeOptions), names('excluded_networks', routeOptions)],
  reads: objectSlots,
})

/** What a creation may leave out. */
const defaults = { enabled: true, title: '', comment: '' }

const subjectOptions = {
  allowsAny: true,
  prefixes: ['user.', 'group.', 'security_group.'],
  faultOf: mustExist('object', isKnownSubject),
}

export const accessList = declareList<AccessRule>({
  slot: accessRules,
  ids: { kind: 'number' },
  noun: 'VPN access rule',
  defaults,
  fieldsOf: ({ two_factor, ...rest }: Partial<AccessFields>) => ({
    ...rest,
    ...(two_factor === undefined ? {} : { two_factor: two_factor === 'smsaero' ? 'smssvc' : two_factor }),
  }),
  references: [
    names('sources', {
      allowsAny: true,
      prefixes: ['ip.', 'ip_range.', 'subnet.', 'ip_address_list.', 'list_of_iplists.', 'domain.'],
      faultOf: objectFault,
    }),
    names('objects', subjectOptions),
  ],
  problemsOf: accessProblems,
  reads: [...objectSlots, users, groups],
})

export const leaseList = declareList<LeaseRule>({
  slot: leaseRules,
  ids: { kind: 'number' },
  noun: 'VPN address rule',
  defaults,
  references: [names('objects', subjectOptions)],
  problemsOf: leaseProblems,
  unique: [
    {
      field: 'address',
      // Two rules cannot name the same addresses, however they are written.
      keyOf: ({ address }) => spanOf(address)?.join('-') ?? null,
      messageOf: ({ address }) => say`Another VPN address rule already names ${address}.`,
    },
  ],
  reads: [settings, users, groups],
})

export const lists = [accessList, leaseList]
export const declaredSettings = [vpnSettingsDeclared, routesDeclared]
