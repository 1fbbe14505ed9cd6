// Where application control rules are stored.

import { list } from '../../core/model/slots.ts'
import { ApplicationRule } from './contract.ts'

export const rules = list('application_control.rules', ApplicationRule)
