// Stored authorization rules.

import { list } from '../../model/slots.ts'
import { AuthorizationRule } from './contract.ts'

export const authorizationRules = list('authorization.rules', AuthorizationRule)
