// The words of fields and values that pages do not name themselves: made from the names of the wire, looked up in the catalog.

import type { Schema } from './schema.ts'

/** Abbreviations that are written in capitals. */
const capitals = new Set(
  (
    'ip mac dns dhcp vpn id url urls mtu nat snat dnat tcp udp icmp http https tls ssl ca smtp imap pop3 sasl dnsbl dkim ' +
    'snmp ftp cifs ldap ad ald radius qos ips acl vlan wins tftp pptp sstp l2tp ikev2 gre ddns utm md5 bcc cpu iso sid guid ' +
    'quic ppp pppoe cidr wpad waf ntp api rx tx lan wan vce'
  )
    .split(' ')
    .map((word) => word),
)

/** Words that are spelled in their own way. */
const spelled: Readonly<Record<string, string>> = {
  netflow: 'NetFlow',
  ips: 'IPs',
  webmail: 'Webmail',
  psw: 'password',
  src: 'source',
  dst: 'destination',
  iface: 'interface',
  hw: 'hardware',
  bps: 'bytes/s',
  pps: 'packets/s',
  aliases: 'objects',
  msg: 'message',
  oauth: 'OAuth',
}

/** `lease_time` becomes "Lease time", `dns_suffix` "DNS suffix". `enabled` at the end is said by the switch itself. */
export function labelOf(name: string): string {
  const parts = name.split(/[_.\s-]+/).filter((part) => part !== '')
  const kept = parts.length > 1 && parts.at(-1) === 'enabled' ? parts.slice(0, -1) : parts
  const words = kept.map((part) => spelled[part] ?? (capitals.has(part) ? part.toUpperCase() : part))
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A fixed word of the wire, such as `mark_log`, for people. Words with capitals of their own stay. */
export function valueWord(value: unknown): string {
  const text = String(value)
  return /^[a-z][a-z0-9_-]*$/.test(text) ? labelOf(text) : text
}

/** The texts of a schema that a catalog must hold: labels, hints, words of values, faults. Used by the extraction script too. */
export function textsOf(schema: Schema | null | undefined): string[] {
  if (!schema) return []
  return [
    ...(schema.description ? [schema.description] : []),
    ...(schema['x-fault'] ? [schema['x-fault']] : []),
    ...(schema.type === 'string' ? (schema.enum ?? []).map(valueWord) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [labelOf(name), ...textsOf(inner)]),
    ...Object.values(schema.patternProperties ?? {}).flatMap(textsOf),
    ...textsOf(schema.items),
    ...(schema.anyOf ?? []).flatMap(textsOf),
  ]
}
