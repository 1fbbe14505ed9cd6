// Application control rules, declared.

import { declareList, names } from '../../model/declarations.ts'
import { rootGroup } from '../firewall/contract.ts'
import { isAddressId, isKnownObject, objectSlots } from '../objects/public.ts'
import { groups, users } from '../users/public.ts'
import { rules } from './config.ts'
import type { ApplicationRule } from './contract.ts'

export const ruleList = declareList<ApplicationRule>({
  slot: rules,
  noun: 'application control rule',
  nameOf: ({ name }) => `application control rule "${name}"`,
  ids: { kind: 'number' },
  defaults: { parent_id: rootGroup, comment: '', enabled: true },
  references: [
    names('aliases', {
      allowsAny: true,
      faultOf: (config, id) => {
        if (!isAddressId(id)) return `${id} is not the id of a user, group or address object.`
        return isKnownObject(config, id) ? null : `There is no object with the id ${id}.`
      },
    }),
  ],
  reads: [...objectSlots, users, groups],
})
