// The mail relay (docs/behaviour/mail.md): its state, domains, disk, limits and security. Rules are in contract-rules.ts,
// filtering and the queue in contract-filter.ts.

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Enabled, nullable, oneOf, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { DomainName, MailAddress, RelayDomain, RelayHost, TrustedNetwork } from './contract-fields.ts'

export { dkim, filter, filterState, queue } from './contract-filter.ts'
export { allowed, denied, forwarding } from './contract-rules.ts'

export const showStatus = endpoint({
  method: 'GET',
  path: '/mail/settings/general/status',
  access: 'view',
  summary: 'Show the status of the mail services',
  reply: Type.Array(StatusItem),
})

export const mailState = settingsEndpoints({
  path: '/mail/settings/general/state',
  title: 'state of the mail server',
  schema: Enabled,
  change: 'configure',
})

/** Domain and host name are null until they are set, and null clears them (docs/behaviour/mail.md 1). */
export const General = strictObject({
  mail_domain: nullable(DomainName),
  mail_hostname: nullable(DomainName),
  mail_additional_domains: Type.Array(DomainName, { maxItems: 100 }),
  mail_relay_domains: Type.Array(RelayDomain, {
    maxItems: 1_000,
    description: 'Pairs of an outer domain and the server its mail goes to, separated by |.',
  }),
})
export type General = Static<typeof General>

export const general = settingsEndpoints({
  path: '/mail/settings/general',
  title: 'general mail settings',
  schema: General,
  change: 'configure',
})

export const ServerAccess = strictObject({
  imap_enabled: Type.Boolean(),
  pop3_enabled: Type.Boolean(),
  webmail_enabled: Type.Boolean(),
})

export const serverAccess = settingsEndpoints({
  path: '/mail/settings/general/server_access',
  title: 'mailbox access settings',
  schema: ServerAccess,
  change: 'configure',
})

export const DiskState = strictObject({
  disk_id: nullable(Type.String()),
  title: nullable(Type.String()),
  status: oneOf(['connecting', 'connected', 'disconnected', 'error', 'check']),
  fs_uuid: nullable(Type.String()),
  free_size: nullable(Type.Integer({ 'x-unit': 'bytes', description: 'Bytes.' })),
  total_size: nullable(Type.Integer({ 'x-unit': 'bytes', description: 'Bytes.' })),
  error: nullable(Type.String({ description: 'Set only when the status is error.' })),
})
export type DiskState = Static<typeof DiskState>

const diskPath = '/mail/settings/general/ext_hdd'

export const disk = {
  list: endpoint({
    method: 'GET',
    path: `${diskPath}/list`,
    access: 'view',
    summary: 'List the disks that can store mail',
    description: 'Unused disks of this machine without partitions.',
    reply: Type.Array(strictObject({ id: Type.String(), title: Type.String() })),
  }),
  show: endpoint({
    method: 'GET',
    path: diskPath,
    access: 'view',
    summary: 'Show the disk that stores mail',
    reply: DiskState,
  }),
  connect: endpoint({
    method: 'POST',
    path: diskPath,
    access: 'configure',
    summary: 'Connect a disk to store mail',
    description: 'Only while the mail server is enabled.',
    body: strictObject({ id: Type.String({ minLength: 1, maxLength: 255 }) }),
  }),
  disconnect: endpoint({
    method: 'DELETE',
    path: diskPath,
    access: 'configure',
    summary: 'Disconnect the disk that stores mail',
  }),
}

export const Advanced = strictObject({
  mail_relay: nullable(RelayHost),
  sender_bcc: nullable(MailAddress),
  recipient_bcc: nullable(MailAddress),
  max_mailbox_size: Type.Integer({
    minimum: 1_000_000,
    maximum: 100_000_000_000,
    'x-unit': 'bytes',
    description: 'Bytes.',
  }),
  max_message_size: Type.Integer({
    minimum: 1_000_000,
    maximum: 150_000_000,
    'x-unit': 'bytes',
    description: 'Bytes.',
  }),
  autoexpunge_days: Type.Integer({
    minimum: 0,
    maximum: 60,
    'x-unit': 'days',
    description: 'Days after which mail is removed from the trash; 0 means never.',
  }),
})

export const advanced = {
  show: endpoint({
    method: 'GET',
    path: '/mail/settings/advanced/general',
    access: 'view',
    summary: 'Show the advanced mail settings',
    reply: Advanced,
  }),
  replace: endpoint({
    method: 'PUT',
    path: '/mail/settings/advanced/general',
    access: 'configure',
    summary: 'Replace the advanced mail settings',
    body: Advanced,
  }),
}

export const Security = strictObject({
  smtpd_sasl_enabled: Type.Boolean({ description: 'Clients can sign in to send mail.' }),
  smtpd_tls_only_auth: Type.Boolean({ description: 'Accept credentials over TLS only.' }),
  dnsbl_enabled: Type.Boolean({ description: 'Reject senders that are on DNS block lists.' }),
  greylisting_enabled: Type.Boolean({ description: 'Delay the first message of an unknown sender.' }),
  secure_encryption: Type.Boolean({ description: 'TLS 1.2 and higher only.' }),
})

export const security = settingsEndpoints({
  path: '/mail/settings/advanced/security/state',
  title: 'mail security settings',
  schema: Security,
  change: 'configure',
})

export const TrustedNetworks = strictObject({
  postfix_mynetworks: Type.Array(TrustedNetwork, {
    maxItems: 1_000,
    'x-lines': true,
    description: 'Networks that can send without signing in; the prefix must be at least 8.',
  }),
})

export const trustedNetworks = {
  show: endpoint({
    method: 'GET',
    path: '/mail/settings/advanced/security/network',
    access: 'view',
    summary: 'Show the trusted networks of mail',
    reply: TrustedNetworks,
  }),
  replace: endpoint({
    method: 'PUT',
    path: '/mail/settings/advanced/security/network',
    access: 'configure',
    summary: 'Replace the trusted networks of mail',
    body: TrustedNetworks,
  }),
}
