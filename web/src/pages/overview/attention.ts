// What needs the administrator: failed checks and engines first, then warnings, and apart from them what is stored but not applied. Pure.

import type { ReplyOf } from '@gateway/server/contract'
import type { showHealth } from '@gateway/server/contract/health'
import { isStoredOnly, type StatusItem, storedOnly } from '@gateway/server/core/fields'
import { msg } from '../../words.ts'

type WholeCheck = ReplyOf<typeof showHealth>['checks'][number]
export type HealthCheck = Omit<WholeCheck, 'says'> & Partial<Pick<WholeCheck, 'says'>>
export type StatusList = readonly { readonly path: string; readonly items: readonly StatusItem[] }[]

interface Subject {
  readonly title: string
  /** The page that mends it. */
  readonly path: string
}

/** Which page belongs to which status. */
const subjects: Readonly<Record<string, Subject>> = {
  '/ad_backend/status': { title: msg('Directories'), path: 'people/directories' },
  '/api/netflow-export/status': { title: msg('Flow export'), path: 'monitor/flows' },
  '/application_control_backend/status': { title: msg('Application control'), path: 'protection/applications/rules' },
  '/auth/status': { title: msg('Authorization of users'), path: 'people/authorization' },
  '/av_backend/status': { title: msg('Web antivirus'), path: 'protection/web-filter/antivirus' },
  '/backup/status': { title: msg('Backups'), path: 'system/backups' },
  '/config/status': { title: msg('Configuration'), path: 'system/history' },
  '/content-filter/status': { title: msg('Web filter'), path: 'protection/web-filter/rules' },
  '/dhcp_server/status': { title: msg('DHCP'), path: 'network/dhcp/leases' },
  '/dns/status': { title: msg('DNS'), path: 'network/dns/servers' },
  '/firewall/status': { title: msg('Firewall'), path: 'policy/rules/forward' },
  '/health/status': { title: msg('Health and notifications'), path: 'overview/health' },
  '/ips/status': { title: msg('Intrusion prevention'), path: 'protection/intrusion-prevention/bases' },
  '/journal/status': { title: msg('Audit trail'), path: 'system/audit-trail' },
  '/logs_backend/remote_syslog/status': { title: msg('Log forwarding'), path: 'monitor/forwarding' },
  '/logs_backend/status': { title: msg('Log store'), path: 'monitor/logs/system' },
  '/mail/settings/general/status': { title: msg('Mail'), path: 'mail/relay' },
  '/monitor_backend/snmp/status': { title: msg('SNMP'), path: 'monitor/snmp' },
  '/monitor_backend/zabbix_agent/status': { title: msg('Monitoring agent'), path: 'monitor/agent' },
  '/network/status': { title: msg('Network'), path: 'network/kernel' },
  '/netscan_backend/status': { title: msg('Device discovery'), path: 'people/device-discovery' },
  '/proxy_backend/status': { title: msg('Web proxy'), path: 'protection/web-filter/proxy' },
  '/servers/status': { title: msg('Central console'), path: 'system/central-console' },
  '/user_cabinet_backend/status': { title: msg('Portal of users'), path: 'people/portal' },
  '/vpn_servers/status': { title: msg('VPN'), path: 'network/vpn/settings' },
  '/web/auth/status': { title: msg('Sign-in'), path: 'system/administrators' },
}

export const subjectOf = (statusPath: string): Subject =>
  subjects[statusPath] ?? { title: statusPath, path: 'overview/health' }

/** Items that are named by a code of the gateway; others are called as on the machine. */
const itemTitles: Readonly<Record<string, string>> = {
  forwarding: msg('Forwarding'),
  'rules-of-others': msg('Rules of other programs'),
}

export const titleOfItem = (name: string): string =>
  (Object.hasOwn(itemTitles, name) ? itemTitles[name] : undefined) ?? name

/** Where a health check is mended and where it is written about. */
export function pathOfCheck(id: string): string {
  const [kind = '', name = ''] = id.split('.', 2)
  if (kind === 'unit') return unitPaths[name] ?? 'overview/health'
  return checkPaths[kind] ?? 'overview/health'
}

const unitPaths: Readonly<Record<string, string>> = {
  dns: 'network/dns/servers',
  dhcp: 'network/dhcp/leases',
  snmp: 'monitor/snmp',
  agent: 'monitor/agent',
  antivirus: 'protection/web-filter/antivirus',
  'antivirus-icap': 'protection/web-filter/antivirus',
  'web-filter': 'protection/web-filter/status',
  'web-filter-proxy': 'protection/web-filter/status',
}

const checkPaths: Readonly<Record<string, string>> = {
  apply: 'system/history',
  audit: 'system/audit-trail',
  backup: 'system/backups',
  certificate: 'overview/health',
  databases: 'system/history/limits',
  disk: 'monitor/retention',
  history: 'system/history/limits',
  links: 'network/connections',
  tables: 'policy/rules/forward',
  conflict: 'overview/conflicts',
  connections: 'monitor/traffic',
  queue: 'monitor/forwarding',
}

export interface Need {
  readonly key: string
  readonly title: string
  readonly state: 'failed' | 'warning'
  readonly message: string
  readonly advice: string
  /** Unix seconds; null where it is not known. */
  readonly since: number | null
  readonly path: string
  /** The same sentence by sentence, where the gateway says it so. */
  readonly says?: WholeCheck['says']
}

export interface StoredPart {
  readonly key: string
  readonly title: string
  readonly message: string
  readonly path: string
}

export interface Attention {
  readonly needs: readonly Need[]
  readonly stored: readonly StoredPart[]
}

const storedPrefix = storedOnly('')

export { isStoredOnly }

/** "unbound: address in use", without the prefix that the mark beside it says already. */
export const reasonOf = (
  { msg: messages }: Pick<StatusItem, 'msg'>,
  translate: (text: string) => string = (text) => text,
): string =>
  messages
    .map((message) => (message.startsWith(storedPrefix) ? message.slice(storedPrefix.length) : message))
    .map(translate)
    .join(' ')

const rank = { failed: 0, warning: 1 } as const

export function findAttention(
  checks: readonly HealthCheck[],
  statuses: StatusList,
  translate: (text: string) => string = (text) => text,
): Attention {
  const fromChecks = checks.flatMap((check): Need[] =>
    check.state === 'failed' || check.state === 'warning'
      ? [{ ...check, key: check.id, state: check.state, path: pathOfCheck(check.id) }]
      : [],
  )
  // An engine that failed is among the checks already, with the time since when.
  const told = new Set(fromChecks.map(({ message }) => message))
  const units = new Set(fromChecks.map(({ key }) => key))
  const failed = statuses
    .filter(({ path }) => path !== '/health/status')
    .flatMap(({ path, items }) =>
      items
        .filter((item) => item.status === 'failed' && !units.has(`unit.${item.name}`) && !told.has(item.msg.join(' ')))
        .map((item): Need => {
          const subject = subjectOf(path)
          return {
            key: `${path} ${item.name}`,
            title: `${translate(subject.title)}: ${Object.hasOwn(itemTitles, item.name) ? translate(titleOfItem(item.name)) : item.name}`,
            state: 'failed',
            message: reasonOf(item, translate),
            advice: '',
            since: null,
            path: subject.path,
          }
        }),
    )
  const stored = statuses.flatMap(({ path, items }) => {
    const item = items.find(isStoredOnly)
    const subject = subjectOf(path)
    return item
      ? [{ key: path, title: translate(subject.title), message: reasonOf(item, translate), path: subject.path }]
      : []
  })
  const needs = [...fromChecks, ...failed].sort(
    (a, b) => rank[a.state] - rank[b.state] || (b.since ?? 0) - (a.since ?? 0),
  )
  return { needs, stored }
}
