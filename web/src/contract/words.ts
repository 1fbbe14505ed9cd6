// The words of fields and values that pages do not name themselves: made from the names of the wire, looked up in the catalog.

import { hints, labels, valueLabels } from './labels.ts'
import type { Schema } from './schema.ts'

/** Abbreviations that are written in capitals. */
const capitals = new Set(
  (
    'ip mac dns dhcp vpn id url urls mtu nat snat dnat tcp udp icmp http https tls ssl ca smtp imap pop3 sasl dnsbl dkim ' +
    'snmp ftp cifs ldap ad ald radius qos ips acl vlan wins tftp pptp sstp l2tp ikev2 gre ddns utm md5 bcc cpu iso sid guid ' +
    'quic ppp pppoe cidr wpad waf ntp api rx tx lan wan vce'
  ).split(' '),
)

/** Words that are spelled in their own way. */
const spelled: Readonly<Record<string, string>> = {
  netflow: 'NetFlow',
  src: 'source',
  dst: 'destination',
  iface: 'interface',
  msg: 'message',
}

/** `lease_time` becomes "Lease time", `dns_suffix` "DNS suffix". `enabled` at the end is said by the switch itself. */
export function labelOf(name: string): string {
  const known = Object.hasOwn(labels, name) ? labels[name] : undefined
  return known ?? humanise(name)
}

/** A name of the wire as words of a sentence. */
function humanise(name: string): string {
  const parts = name.split(/[_.\s-]+/).filter((part) => part !== '')
  const kept = parts.length > 1 && parts.at(-1) === 'enabled' ? parts.slice(0, -1) : parts
  const words = kept.map((part) => spelled[part] ?? (capitals.has(part) ? part.toUpperCase() : part))
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A fixed word of the wire, such as `mark_log`, for people. Words with capitals of their own stay. */
export function valueWord(value: unknown): string {
  const text = String(value)
  const known = Object.hasOwn(valueLabels, text) ? valueLabels[text] : undefined
  if (known !== undefined) return known
  return /^[a-z][a-z0-9_-]*$/.test(text) ? humanise(text) : text
}

/** What a form says beside a field; empty when there is nothing to add to its label. */
export function hintText({ description = '' }: Schema): string {
  return (Object.hasOwn(hints, description) ? hints[description] : undefined) ?? description
}

/** Their words are names of fields. */
const columnFields: ReadonlySet<string> = new Set(['columns', 'column_name', 'field'])

/**
 * The texts of a schema that a catalog must hold: labels and words of values, and of a form also hints and faults. Used by the
 * extraction script too.
 */
export function textsOf(schema: Schema | null | undefined, { isForm = true } = {}): string[] {
  if (!schema || schema['x-synonym-of'] !== undefined || schema['x-neutral']) return []
  const inside = (inner: Schema | undefined): string[] => textsOf(inner, { isForm })
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([, inner]) => inner['x-synonym-of'] === undefined && !inner['x-neutral'],
  )
  return [
    ...(isForm ? [hintText(schema), schema['x-fault'] ?? ''] : []),
    ...(schema.type === 'string' ? (schema.enum ?? []).map(valueWord) : []),
    ...fields.flatMap(([name, inner]) => [labelOf(name), ...(columnFields.has(name) ? [] : inside(inner))]),
    ...Object.values(schema.patternProperties ?? {}).flatMap(inside),
    ...inside(schema.items),
    ...(schema.anyOf ?? []).flatMap(inside),
  ].filter((text) => text !== '')
}
