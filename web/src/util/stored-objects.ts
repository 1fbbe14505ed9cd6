// What the history and the review call a stored object: `firewall.forward[42]` is "FORWARD rule 3" when it is the third of its table,
// and stands on a page. Pure.

import { msg, t } from '../words.ts'
import { type NumberOf, sayNumber, tableNamed, unknownNumbers } from './rule-numbers.ts'

interface Kind {
  /** Of settings the whole name, of a list one of its items. */
  readonly title: string
  /** The page; of a list the item follows. */
  readonly path: string
}

const kinds: Readonly<Record<string, Kind>> = {
  'administrators.local': { title: msg('Administrator'), path: 'system/administrators' },
  'application_control.rules': { title: msg('Application rule'), path: 'protection/applications/rules' },
  'application_profiles.profiles': { title: msg('Application profile'), path: 'protection/applications/profiles' },
  'authorization.rules': { title: msg('Authorization rule'), path: 'people/authorization' },
  'authorization.settings': { title: msg('Authorization settings'), path: 'people/authorization/settings' },
  'backup.settings': { title: msg('Backup settings'), path: 'system/backups/schedule' },
  'configuration.history': { title: msg('History limits'), path: 'system/history/limits' },
  'content_filter.dictionaries': { title: msg('Dictionary'), path: 'protection/web-filter/dictionaries' },
  'content_filter.morphology': { title: msg('Analysis of words'), path: 'protection/web-filter/settings' },
  'content_filter.rules': { title: msg('Web filter rule'), path: 'protection/web-filter/rules' },
  'content_filter.settings': { title: msg('Web filter settings'), path: 'protection/web-filter/settings' },
  'content_filter.safe_search': { title: msg('Safe search in the proxy'), path: 'protection/web-filter/settings' },
  'content_filter.state': { title: msg('State of the web filter'), path: 'protection/web-filter/settings' },
  'content_filter.user_categories': { title: msg('Own category'), path: 'protection/web-filter/own-categories' },
  'dhcp.settings': { title: msg('DHCP interface'), path: 'network/dhcp/interfaces' },
  'dhcp.static_leases': { title: msg('Static lease'), path: 'network/dhcp/static' },
  'dns.forward_zones': { title: msg('DNS zone'), path: 'network/dns/zones' },
  'dns.master_zones': { title: msg('Own DNS zone'), path: 'network/dns/own-zones' },
  'dns.root_servers': { title: msg('DNS server'), path: 'network/dns/servers' },
  'dns.settings': { title: msg('DNS settings'), path: 'network/dns/settings' },
  'firewall.acl': { title: msg('Access list'), path: 'policy/access-lists' },
  'firewall.bypass': { title: msg('Exception from inspection'), path: 'protection/intrusion-prevention/exceptions' },
  'firewall.checks': { title: msg('Rule test'), path: 'policy/rule-tests' },
  'firewall.dnat': { title: msg('DNAT rule'), path: 'policy/rules/dnat' },
  'firewall.forward': { title: msg('FORWARD rule'), path: 'policy/rules/forward' },
  'firewall.input': { title: msg('INPUT rule'), path: 'policy/rules/input' },
  'firewall.log': { title: msg('LOG rule'), path: 'policy/rules/log' },
  'firewall.snat': { title: msg('SNAT rule'), path: 'policy/rules/snat' },
  'firewall.settings': { title: msg('Firewall settings'), path: 'policy/settings' },
  'firewall.state': { title: msg('Firewall state'), path: 'policy/settings' },
  'health.mail_targets': { title: msg('E-mail notification'), path: 'overview/notifications' },
  'health.webhooks': { title: msg('Webhook'), path: 'overview/notifications/webhooks' },
  'intrusion_prevention.custom': {
    title: msg('Own signature'),
    path: 'protection/intrusion-prevention/custom',
  },
  'intrusion_prevention.nets': { title: msg('Protected network'), path: 'protection/intrusion-prevention/networks' },
  'intrusion_prevention.profile_rules': {
    title: msg('Rule of an intrusion prevention profile'),
    path: 'protection/intrusion-prevention/profiles',
  },
  'intrusion_prevention.profiles': {
    title: msg('Intrusion prevention profile'),
    path: 'protection/intrusion-prevention/profiles',
  },
  'intrusion_prevention.state': { title: msg('Intrusion prevention'), path: 'protection/intrusion-prevention/bases' },
  'logs.remote_syslog': { title: msg('Log forwarding'), path: 'monitor/forwarding' },
  'logs.remote_syslog_state': { title: msg('State of log forwarding'), path: 'monitor/forwarding' },
  'logs.remote_syslog_tls': { title: msg('TLS of log forwarding'), path: 'monitor/forwarding' },
  'logs.retention': { title: msg('Retention of logs'), path: 'monitor/retention' },
  'monitor.agent': { title: msg('Monitoring agent'), path: 'monitor/agent' },
  'monitor.flow_settings': { title: msg('Flow export'), path: 'monitor/flows' },
  'monitor.flow_state': { title: msg('State of flow export'), path: 'monitor/flows' },
  'monitor.snmp_settings': { title: msg('SNMP'), path: 'monitor/snmp' },
  'monitor.snmp_state': { title: msg('State of SNMP'), path: 'monitor/snmp' },
  'network.aggregated': { title: msg('Aggregated interface'), path: 'network/aggregated' },
  'network.connections': { title: msg('Connection'), path: 'network/connections' },
  'network.span': { title: msg('Mirror interface'), path: 'network/mirrors' },
  'network.tunnels': { title: msg('GRE tunnel'), path: 'network/tunnels' },
  'network.vce_conns': { title: msg('Passed interface'), path: 'network/virtual' },
  'objects.address_lists': { title: msg('Address list'), path: 'objects' },
  'objects.country_lists': { title: msg('Country list'), path: 'objects' },
  'objects.domains': { title: msg('Domain'), path: 'objects' },
  'objects.ip_address_lists': { title: msg('List of addresses'), path: 'objects' },
  'objects.ip_addresses': { title: msg('IP address'), path: 'objects' },
  'objects.ip_ranges': { title: msg('Address range'), path: 'objects' },
  'objects.networks': { title: msg('Subnet'), path: 'objects' },
  'objects.port_lists': { title: msg('Port list'), path: 'objects' },
  'objects.port_ranges': { title: msg('Port range'), path: 'objects' },
  'objects.ports': { title: msg('Port'), path: 'objects' },
  'objects.time_lists': { title: msg('Time list'), path: 'objects' },
  'objects.time_ranges': { title: msg('Time'), path: 'objects' },
  'objects.zones': { title: msg('Zone'), path: 'objects' },
  'users.groups': { title: msg('User group'), path: 'people/users' },
  'users.users': { title: msg('User'), path: 'people/users' },
  'vpn.access_rules': { title: msg('VPN access rule'), path: 'network/vpn/access' },
  'vpn.lease_rules': { title: msg('VPN address rule'), path: 'network/vpn/addresses' },
  'vpn.pushed_routes': { title: msg('VPN routes'), path: 'network/vpn/routes' },
  'vpn.settings': { title: msg('VPN settings'), path: 'network/vpn/settings' },
  'web_proxy.antivirus': { title: msg('Web antivirus'), path: 'protection/web-filter/antivirus' },
  'web_proxy.authority': { title: msg('Certificate authority'), path: 'protection/web-filter/authority' },
  'web_proxy.exclusions': { title: msg('Exclusion of the web proxy'), path: 'protection/web-filter/exclusions' },
  'web_proxy.settings': { title: msg('Proxy settings'), path: 'protection/web-filter/proxy' },
}

/** The table of rules, whose items people call by their number; other ids say nothing to a person. */
const numberedTable = (slot: string) =>
  slot.startsWith('firewall.') ? tableNamed(slot.slice('firewall.'.length)) : null

export const knownPaths = (): string[] => Object.values(kinds).map(({ path }) => path)

export interface StoredObject {
  readonly slot: string
  readonly id: string | null
}

/** `firewall.forward[42]` or `firewall.settings`. */
export function parseObject(object: string): StoredObject {
  const [, slot = object, id = null] = /^([^[\]]+)\[(.*)\]$/.exec(object) ?? []
  return { slot, id }
}

const humanise = (slot: string): string => {
  const words = slot.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

interface Field {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

const nameFields = ['title', 'name', 'login', 'ip_address', 'address', 'server', 'comment']

/** What a person calls the item, where the change shows it. */
export function nameIn(fields: readonly Field[]): string | null {
  for (const name of nameFields) {
    const found = fields.find(({ field }) => field === name)
    for (const value of [found?.after, found?.before])
      if (typeof value === 'string' && value !== '') return value.length > 60 ? `${value.slice(0, 59)}…` : value
  }
  return null
}

/** "FORWARD rule 3", "Static lease 10.0.0.5", "DNS settings". */
export function titleOfObject(
  object: string,
  fields: readonly Field[] = [],
  numberOf: NumberOf = unknownNumbers,
): string {
  const { slot, id } = parseObject(object)
  const kind = kinds[slot]
  const title = kind ? t(kind.title) : humanise(slot)
  if (id === null) return title
  const table = numberedTable(slot)
  const name = table ? sayNumber(numberOf(table, id), id) : (nameIn(fields) ?? (id.length <= 12 ? id : ''))
  return name === '' ? title : `${title} ${name}`
}

/** The page of the object; null when there is none to go to. */
export function pathOfObject(object: string): string | null {
  const { slot, id } = parseObject(object)
  const kind = kinds[slot]
  if (!kind) return null
  return id === null ? kind.path : `${kind.path}/${encodeURIComponent(id)}`
}

/** A value of a field in few words. */
export function wordOfValue(value: unknown, nameOf: (id: string) => string = (id) => id): string {
  if (value === null || value === undefined) return t('none')
  if (value === true) return t('on')
  if (value === false) return t('off')
  if (value === '') return t('empty')
  if (typeof value === 'string') return nameOf(value)
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return t('none')
    const shown = value.slice(0, 6).map((one) => wordOfValue(one, nameOf))
    return value.length > 6 ? `${shown.join(', ')} +${value.length - 6}` : shown.join(', ')
  }
  return JSON.stringify(value)
}

interface Change {
  readonly object: string
  readonly action: string
  readonly fields: readonly Field[]
}

const actionWords: Readonly<Record<string, string>> = {
  added: msg('added'),
  removed: msg('removed'),
  moved: msg('moved'),
}

/** "FORWARD rule 3: Action +1 and 3 more": the first of many changes in one line. */
export function summarise(
  changes: readonly Change[],
  labelOf: (field: string) => string,
  numberOf: NumberOf = unknownNumbers,
): string {
  const [first, ...others] = changes
  if (!first) return ''
  const [field, ...fields] = first.fields
  const word = actionWords[first.action]
  const what = word
    ? t(word)
    : field
      ? `${t(labelOf(field.field))}${fields.length > 0 ? ` +${fields.length}` : ''}`
      : ''
  const text = `${titleOfObject(first.object, first.fields, numberOf)}${what === '' ? '' : `: ${what}`}`
  return others.length > 0 ? t('{first} and {count} more', { first: text, count: others.length }) : text
}
