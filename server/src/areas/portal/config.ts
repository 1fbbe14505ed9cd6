// Stored settings of the portal of users: off, and without a second factor.

import { declareSettings } from '../../model/declarations.ts'
import { single } from '../../model/slots.ts'
import { PortalSettings } from './contract.ts'

export const settings = single('portal.settings', PortalSettings, {
  enabled: false,
  title_en: '',
  title_ru: '',
  text_en: '',
  text_ru: '',
  accent: '#1a6fb0',
  host: '',
  two_factor: 'not_required',
})

export const portalSettings = declareSettings({ slot: settings, noun: 'settings of the portal' })
