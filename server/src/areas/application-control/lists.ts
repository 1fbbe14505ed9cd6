// Application control rules, declared.

import { rootGroup } from '../../core/contract/fields.ts'
import { declareList, mustBeOfKind, names } from '../../core/model/declarations.ts'
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
      faultOf: mustBeOfKind('a user, group or address object', isAddressId, isKnownObject),
      slots: [...objectSlots, users, groups],
    }),
  ],
})
