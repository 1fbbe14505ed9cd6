// The portal as a file and a unit: texts and addresses. Which socket, ports and folders it gets is applyd's. Pure.

import { engineFile, engineUnit } from '../../engines/artifacts.ts'
import { portal } from '../../engines/portal/index.ts'
import { type Config, read } from '../../model/slots.ts'
import type { Artifact } from '../../plan/artifacts.ts'
import type { Facts } from '../../plan/facts.ts'
import { printPortalFile } from '../../render/portal.ts'
import { settings } from './config.ts'
import { isServed, servedAddresses } from './resolve.ts'

export function render(config: Config, facts: Facts): Artifact[] {
  if (!isServed(config)) return []
  const { title_en, title_ru, text_en, text_ru, accent_colour, language, host } = read(config, settings)
  const text = printPortalFile({
    language,
    words: { en: { title: title_en, text: text_en }, ru: { title: title_ru, text: text_ru } },
    accent: accent_colour.toLowerCase(),
    host,
    addresses: servedAddresses(config, facts),
    timeZone: facts.timeZone,
  })
  return [engineFile(portal, 'portal.json', text), engineUnit(portal, 'portal')]
}
