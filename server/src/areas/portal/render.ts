// The portal as a file and a unit: texts and addresses. Which socket, ports and folders it gets is applyd's. Pure.

import { engineFile, engineUnit } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { portal } from '../../engines/portal/index.ts'
import { printPortalFile } from '../../engines/portal/settings-file.ts'
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
