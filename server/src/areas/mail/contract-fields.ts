// Grammars of names and addresses in mail. They are narrower than mail standards allow, because the rest has another meaning
// to mail servers: a pipe, a file, a route through other hosts (docs/behaviour/security.md 30).

import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** The last label begins with a letter, so that other notations of an address are not valid names. */
const domainPattern = `(?:${label}\\.)*[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
const mailboxPattern = "[A-Za-z0-9_](?:\\.?[A-Za-z0-9_+=~&'-]){0,63}"
const localhost = '[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]'
/** 1 to 65535 */
const portPattern = '(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'
const otherAddress = `(?!0\\.|127\\.|169\\.254\\.|22[4-9]\\.|2[345]\\d\\.)${addressPattern}`
/** Another machine: not this one, not link-local, not multicast. */
const peerPattern = `(?:(?!${localhost}(?:[.:]|$))${domainPattern}|${otherAddress})`

export const DomainName = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: `^${domainPattern}$`,
  'x-fault': 'Must be a domain name of Latin letters, digits and hyphens, such as example.com.',
})

export const RelayDomain = Type.String({
  minLength: 1,
  maxLength: 507,
  pattern: `^${domainPattern}\\|${peerPattern}$`,
  'x-fault':
    'Must be an outer domain and an inner domain or IPv4 address, such as example.com|mail.office.example or ' +
    'example.com|192.168.0.25.',
})

export const RelayHost = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: `^${peerPattern}(?::${portPattern})?$`,
  'x-fault':
    'Must be a domain name or an IPv4 address of another machine, alone or with a port, such as smtp.example.com:587.',
})

export const MailAddress = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: `^${mailboxPattern}@${domainPattern}$`,
  'x-fault': 'Must be a mail address such as anna@example.com.',
})

export const Mailbox = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: `^${mailboxPattern}(?:@${domainPattern})?$`,
  'x-fault': 'Must be a mail address such as anna@example.com, or anna alone for a mailbox of the gateway.',
})

export const SourceAddress = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: `^(?:${domainPattern}|${addressPattern}|${mailboxPattern}@${domainPattern})$`,
  'x-fault': 'Must be a domain, an IPv4 address or a mail address: example.com, 192.0.2.7 or anna@example.com.',
})

export const TrustedNetwork = Type.String({
  minLength: 1,
  maxLength: 31,
  pattern: `^${addressPattern}/(?:[0-9]|[12][0-9]|3[0-2]|${addressPattern})$`,
  'x-fault': 'Must be an IPv4 network such as 192.168.0.0/16 or 10.0.0.5/255.255.255.255.',
})
