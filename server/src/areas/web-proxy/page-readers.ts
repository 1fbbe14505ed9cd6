// The lines of squid.conf that lead replies to the services that read pages: words of a page, and viruses. Pure.

import { type Config, read } from '../../core/model/slots.ts'
import { webPorts } from '../../engines/web-filter/index.ts'
import { directive, type Squid, word, words } from '../../engines/web-filter/squid.ts'
import { state as filterState, morphology } from '../content-filter/public.ts'
import { antivirus, settings } from './config.ts'

const rules = (name: string, ...texts: readonly string[]): Squid[] =>
  texts.map((text) => directive(name, ...words(text)))

/** Pages with words; other types are not led through it. */
const pageTypes = ['^text/html', '^text/plain', '^text/xml', '^application/xhtml', '^application/xml']

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
    ...rules('icap_send_client_ip', 'on'),
    ...rules('icap_connect_timeout', '2 seconds'),
    // The service of the antivirus reads words too. Two in a chain stall Squid at 64 KB (decision 80).
    ...(scans
      ? [
          ...service(config, 'antivirus', webPorts.antivirus, 'antivirus'),
          ...rules('adaptation_access', 'antivirus allow all'),
        ]
      : [
          directive('acl', ...words('page_types rep_mime_type -i'), ...pageTypes.map(mimeType)),
          ...rules('acl', 'typed rep_header Content-Type .'),
          ...service(config, 'page_text', webPorts.pageText, 'words'),
          ...rules('adaptation_access', 'page_text allow page_types', 'page_text allow !typed'),
        ]),
  ]
}

/** What cannot be read, because filterd is away, is refused or passes as configured; where it is only busy, it waits. */
const service = (config: Config, name: string, port: number, path: string): Squid[] => {
  const bypass = read(config, settings).on_failure === 'pass' ? 'on' : 'off'
  return [
    directive(
      'icap_service',
      word(name),
      ...words(`respmod_precache icap://127.0.0.1:${port}/${path} bypass=${bypass} on-overload=wait`),
    ),
  ]
}

const mimeType = (text: string): Squid => word(text)
