// What the portal stores.

import { declareSettings } from '../../core/model/declarations.ts'
import { single } from '../../core/model/slots.ts'
import { PortalSettings } from './contract.ts'

export const settings = single('portal.settings', PortalSettings, {
  enabled: false,
  title_en: '',
  title_ru: '',
  text_en: '',
  text_ru: '',
  accent_colour: '#1f6feb',
  language: 'en',
  host: '',
  two_factor: 'not_required',
})

export const portalSettings = declareSettings({ slot: settings, noun: 'settings of the portal of users' })
