// The lines of squid.conf that lead replies to the services that read pages: words of a page, and viruses. Pure.

import { webPorts } from '../../engines/web-filter/index.ts'
import { type Config, read } from '../../model/slots.ts'
import { directive, type Squid, word, words } from '../../render/squid.ts'
import { state as filterState, morphology } from '../content-filter/public.ts'
import { antivirus } from './config.ts'

const rules = (name: string, ...texts: readonly string[]): Squid[] =>
  texts.map((text) => directive(name, ...words(text)))

/** Pages with words; other types are not led through it. */
const pageTypes = ['^text/html', '^text/plain', '^application/xhtml+xml', '^text/xml', '^application/xml']

export function inspectionLines(config: Config): Squid[] {
  const isFiltering = read(config, filterState).enabled
  const readsPages = isFiltering && read(config, morphology).enabled
  const scans = isFiltering && read(config, antivirus).enabled
  if (!readsPages && !scans) return rules('icap_enable', 'off')
  return [
    ...rules('icap_enable', 'on'),
    ...rules('icap_preview_enable', 'on'),
    ...rules('icap_preview_size', '4096'),
    ...rules('icap_persistent_connections', 'on'),
    ...rules('icap_service_failure_limit', '-1'),
    directive('acl', ...words('page_types rep_mime_type -i'), ...pageTypes.map(mimeType)),
    ...(readsPages ? service('page_text', webPorts.pageText, 'words') : []),
    ...(scans ? service('antivirus', webPorts.antivirus, 'scan') : []),
    // A page is read for words first: what is refused need not be scanned.
    ...(readsPages && scans
      ? [
          ...rules('adaptation_service_chain', 'inspection page_text antivirus'),
          ...rules('adaptation_access', 'inspection allow page_types', 'antivirus allow all'),
        ]
      : [
          ...(readsPages ? rules('adaptation_access', 'page_text allow page_types') : []),
          ...(scans ? rules('adaptation_access', 'antivirus allow all') : []),
        ]),
  ]
}

/** `bypass=off`: what cannot be read is not passed. */
const service = (name: string, port: number, path: string): Squid[] => [
  directive('icap_service', word(name), ...words(`respmod_precache icap://127.0.0.1:${port}/${path} bypass=off`)),
]

const mimeType = (text: string): Squid => word(text)
