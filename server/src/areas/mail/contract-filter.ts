// The antispam and antivirus engine, signing with DKIM, and the queue (mail.md 1.2, 1.3, 1.5).

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../contract/collections.ts'
import { endpoint } from '../../contract/endpoint.ts'
import { Enabled, nullable, oneOf, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'

export const DkimState = strictObject({
  opendkim_enabled: Type.Boolean({ description: 'Sign outgoing mail of the own domains.' }),
})

export const DkimKey = strictObject({
  domain: Type.String(),
  selector: Type.String({ description: 'Name of the DNS record.' }),
  public_key: Type.String({ description: 'Value of the TXT record, in quoted parts of at most 255 characters.' }),
  dkim_domain_status: oneOf(
    ['mismatch', 'error', 'missing', 'set'],
    'What DNS shows: another value, nothing because it could not be asked, no record, the right value.',
  ),
})
export type DkimKey = Static<typeof DkimKey>

export const dkim = {
  show: endpoint({
    method: 'GET',
    path: '/mail/settings/advanced/dkim/state',
    access: 'view',
    summary: 'Show the switch of DKIM signing',
    reply: DkimState,
  }),
  replace: endpoint({
    method: 'PUT',
    path: '/mail/settings/advanced/dkim/state',
    access: 'configure',
    summary: 'Change the switch of DKIM signing',
    body: DkimState,
  }),
  keys: endpoint({
    method: 'GET',
    path: '/mail/settings/advanced/dkim',
    access: 'view',
    summary: 'List the DKIM keys',
    description: 'One entry per mail domain, with what belongs into its DNS and what is there.',
    reply: Type.Array(DkimKey),
  }),
}

export const filterState = settingsEndpoints({
  path: '/mail/klms/state',
  title: 'switch of the antispam and antivirus engine',
  schema: Enabled,
  change: 'configure',
})

export const filter = {
  uploadLicence: endpoint({
    method: 'POST',
    path: '/mail/klms/license',
    access: 'configure',
    summary: 'Upload the licence of the antispam and antivirus engine',
    description: 'The bytes of the licence file, at most 32 KiB; only while the engine is switched on.',
    rawBodyType: 'application/octet-stream',
  }),
  licence: endpoint({
    method: 'GET',
    path: '/mail/klms/license',
    access: 'view',
    summary: 'Show the licence of the antispam and antivirus engine',
    reply: strictObject({
      is_active: nullable(Type.Boolean({ description: 'Null when it cannot be determined.' })),
      expiration_date: nullable(
        Type.Number({ description: 'Unix seconds; null when there is none or it is unknown.' }),
      ),
    }),
  }),
  lastUpdate: endpoint({
    method: 'GET',
    path: '/mail/klms/last_update',
    access: 'view',
    summary: 'Show when the antispam and antivirus bases were updated',
    reply: strictObject({
      last_update: nullable(
        Type.Number({ description: 'Unix seconds; null when it is unknown, 0 when no bases are installed.' }),
      ),
    }),
  }),
}

export const QueuedMessage = strictObject({
  id: Type.String(),
  arrival_time: Type.Integer({ description: 'Unix seconds at which it entered the queue.' }),
  sender: Type.String(),
  recipient: Type.String(),
  delay_reason: Type.String({ description: 'May be empty.' }),
})

export const queue = {
  list: endpoint({
    method: 'GET',
    path: '/mail/mail_queue',
    access: 'view',
    summary: 'List the messages that wait to be sent',
    reply: Type.Array(QueuedMessage),
  }),
  retry: endpoint({
    method: 'POST',
    path: '/mail/mail_queue_retry',
    access: 'configure',
    summary: 'Send waiting messages now',
    description: 'Messages that have left meanwhile are passed over.',
    effect: 'action',
    body: strictObject({ ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 10_000 }) }),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/mail/mail_queue/:message_ids',
    access: 'configure',
    summary: 'Remove waiting messages',
    description: 'Ids with commas between them. Messages that have left meanwhile are passed over.',
    effect: 'action',
  }),
}
