// Stored authorization rules and settings. A new gateway allows everyone, so that it cuts off no host by surprise.

import { declareSettings } from '../../core/model/declarations.ts'
import { list, single } from '../../core/model/slots.ts'
import { AuthorizationRule, AuthorizationSettings } from './contract.ts'

export const authorizationRules = list('authorization.rules', AuthorizationRule)

export const settings = single('authorization.settings', AuthorizationSettings, {
  allow_internet_to_everyone: true,
  web_authorization: true,
  session_minutes: 15,
})

export const authorizationSettings = declareSettings({ slot: settings, noun: 'settings of authorization' })
