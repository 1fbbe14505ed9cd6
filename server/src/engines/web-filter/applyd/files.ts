// The files of the content filter that a plan writes: which lines of squid.conf are allowed, whether the authority can be used,
// and how Squid checks its file before it is used.

import { join } from 'node:path'
import { readRegular, writeDurable } from '../../../shared/files/durable.ts'
import type { ChangedFiles, Command, Reload } from '../../kit/tables.ts'

const bumping = 'ssl-bump tls-cert=authority\\.pem generate-host-certificates=on dynamic_cert_mem_cache_size=16MB'
const network = '(?:[0-9]{1,3}(?:\\.[0-9]{1,3}){3}|[0-9a-f:]{2,39})(?:/[0-9]{1,3})?'
const name = '\\.(?:[a-z0-9-]{1,63}\\.){1,20}[a-z0-9-]{2,63}'

/** Every form of a line of a plan. No program, path, include, peer, helper or rule of access. */
export const settingsForms: readonly RegExp[] = [
  /^$/,
  ...[
    `^http_port [0-9]{4,5} name=direct ${bumping}$`,
    '^http_port 3129 tproxy name=http$',
    `^https_port 3130 tproxy name=https ${bumping}$`,
    '^acl (?:fails_open|logged) any-of !?all$',
    `^acl (?:own|clients) (?:src|dst)(?: ${network}){1,64}$`,
    '^acl (?:own|clients|strict_video|page_text|scanned) any-of !all$',
    `^acl strict_video dstdomain -n(?: ${name}){1,20}$`,
    '^icap_(?:enable|preview_enable|persistent_connections|send_client_ip) (?:on|off)$',
    '^icap_connect_timeout [0-9]{1,3} seconds$',
    '^acl typed rep_header Content-Type \\.$',
    '^icap_preview_size [0-9]{1,6}$',
    '^icap_service_failure_limit -?[0-9]{1,4}$',
    '^icap_service (?:page_text|antivirus) respmod_precache icap://127\\.0\\.0\\.1:313[23]/[a-z_-]{1,20}(?: bypass=(?:on|off))?(?: on-overload=wait)?$',
    '^acl page_types rep_mime_type -i(?: \\^[a-z]{1,20}/[a-z+.-]{1,40})+$',
    '^adaptation_access (?:page_text|antivirus) allow (?:all|page_types|!typed)$',
  ].map((ownPattern) => new RegExp(ownPattern, 'u')),
]

/**
 * Whether it can be used was checked when it came; a key that could not be revealed must not stop a plan. It holds a key, so a
 * fault repeats nothing of it.
 */
export const authorityForm = {
  whole: /^[A-Za-z0-9+/=\r\n -]{1,60000}$/,
  fault: 'The authority of the web proxy is not in PEM format.',
} as const

/**
 * `squid -k parse` reads the authority too, which may not be there yet and is checked above: without it a port for TLS is
 * one for plain text.
 */
export function checkOf(staged: ReadonlyMap<string, string>, staging: string, settingsPath: string): Command {
  const text = readRegular(staged.get('squid.conf') ?? settingsPath)?.toString() ?? ''
  const path = join(staging, 'check-squid.conf')
  const plain = text
    .replaceAll(/ ssl-bump tls-cert=.*$/gm, '')
    .replaceAll(/^https_port /gm, 'http_port ')
    // Where nothing is applied, its folders do not exist.
    .replaceAll(/^(?:coredump_dir|error_directory|sslcrtd_program|sslcrtd_children|deny_info) .*\n/gm, '')
  writeDurable(path, plain, { mode: 0o600, isForced: false })
  return { program: '/usr/sbin/squid', args: ['-k', 'parse', '-f', path] }
}

/** Running downloads survive a new configuration. With another authority it has to forget certificates, which takes a start. */
export const reloadOf = (changed: ChangedFiles): Reload =>
  changed === null || changed.includes('web-authority.pem') ? 'restart' : { signal: 'SIGHUP' }
