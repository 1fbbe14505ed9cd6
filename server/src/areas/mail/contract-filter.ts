// The antispam and antivirus engine, signing with DKIM, and the queue (docs/behaviour/mail.md 5 to 7).

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Enabled, nullable, oneOf, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const DkimState = strictObject({
  opendkim_enabled: Type.Boolean({ description: 'Sign outgoing mail of the mail domains.' }),
})

export const DkimKey = strictObject({
  domain: Type.String(),
  selector: Type.String({ description: 'Name of the DNS record.' }),
  public_key: Type.String({ description: 'Value of the TXT record, in quoted parts of at most 255 characters.' }),
  dkim_domain_status: oneOf(
    ['mismatch', 'error', 'missing', 'set'],
    'What DNS shows: mismatch, another value; error, the lookup failed; missing, no record; set, the right value.',
  ),
})
export type DkimKey = Static<typeof DkimKey>

export const dkim = {
  show: endpoint({
    method: 'GET',
    path: '/mail/settings/advanced/dkim/state',
    access: 'view',
    summary: 'Show whether DKIM signing is enabled',
    reply: DkimState,
  }),
  replace: endpoint({
    method: 'PUT',
    path: '/mail/settings/advanced/dkim/state',
    access: 'configure',
    summary: 'Enable or disable DKIM signing',
    body: DkimState,
  }),
  keys: endpoint({
    method: 'GET',
    path: '/mail/settings/advanced/dkim',
    access: 'view',
    summary: 'List the DKIM keys',
    description: 'One entry per mail domain: the DNS record it needs and what DNS shows now.',
    reply: Type.Array(DkimKey),
  }),
}

export const filterState = settingsEndpoints({
  path: '/mail/klms/state',
  title: 'state of the antispam and antivirus engine',
  schema: Enabled,
  change: 'configure',
})

export const filter = {
  uploadLicence: endpoint({
    method: 'POST',
    path: '/mail/klms/license',
    access: 'configure',
    summary: 'Upload the licence of the antispam and antivirus engine',
    description: 'The bytes of the licence file, at most 32 KiB; only while the engine is enabled.',
    rawBodyType: 'application/octet-stream',
  }),
  licence: endpoint({
    method: 'GET',
    path: '/mail/klms/license',
    access: 'view',
    summary: 'Show the licence of the antispam and antivirus engine',
    reply: strictObject({
      is_active: nullable(Type.Boolean({ description: 'Null when it is unknown.' })),
      expiration_date: nullable(
        Type.Number({ 'x-time': 'unix', description: 'Unix seconds; null when there is none or it is unknown.' }),
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
        Type.Number({
          'x-time': 'unix',
          description: 'Unix seconds; null when it is unknown, 0 when no bases are installed.',
        }),
      ),
    }),
  }),
}

export const QueuedMessage = strictObject({
  id: Type.String(),
  arrival_time: Type.Integer({ 'x-time': 'unix', description: 'Unix seconds at which it entered the queue.' }),
  sender: Type.String(),
  recipient: Type.String(),
  delay_reason: Type.String({ description: 'May be empty.' }),
})

export const queue = {
  list: endpoint({
    method: 'GET',
    path: '/mail/mail_queue',
    access: 'view',
    summary: 'List the queued messages',
    reply: Type.Array(QueuedMessage),
  }),
  retry: endpoint({
    method: 'POST',
    path: '/mail/mail_queue_retry',
    access: 'configure',
    summary: 'Retry sending queued messages now',
    description: 'Messages that are no longer queued are skipped.',
    effect: 'action',
    body: strictObject({ ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 10_000 }) }),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/mail/mail_queue/:message_ids',
    access: 'configure',
    summary: 'Remove queued messages',
    description: 'Ids separated by commas. Messages that are no longer queued are skipped.',
    effect: 'action',
  }),
}
