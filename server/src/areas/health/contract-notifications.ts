// Who is notified when something fails and when it recovers, by e-mail or by a webhook (docs/behaviour/health.md 4).

import type { Static } from 'typebox'
import { collectionEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { oneOf, patchOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const host = '(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}))*'

/** A narrow grammar: no quotes, no brackets, no lists, nothing that a header or the SMTP dialogue could read otherwise. */
const mailbox = "[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?"

const Mailbox = Type.String({
  maxLength: 254,
  pattern: `^${mailbox}$`,
  'x-fault': 'Must be an e-mail address such as admin@example.com.',
  examples: ['admin@example.com'],
})

const common = {
  enabled: Type.Boolean(),
  title: text({ minLength: 1, maxLength: 100 }),
  severity: oneOf(['warning', 'failed'], 'From which state of a check on it is notified.'),
}

const Authority = Type.String({
  maxLength: 16_384,
  'x-lines': true,
  pattern: '^(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/= \\t\\r\\n-]*)?$',
  'x-fault': 'Must be certificates in PEM format, or empty.',
  examples: [''],
  description: 'Certificates to trust instead of the usual ones, PEM; empty: the usual ones.',
})

const Password = text({
  'x-secret': true,
  maxLength: 255,
  description: 'Never returned; empty removes it. Must be sent again when server, port, security or ca change.',
})

const mailFields = {
  ...common,
  server: Type.String({
    maxLength: 253,
    pattern: `^${host}$`,
    'x-fault': 'Must be a host name or an IPv4 address.',
    examples: ['mail.example.com'],
  }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, examples: [587] }),
  security: oneOf(['starttls', 'tls', 'none'], 'With starttls and tls a message is never sent unencrypted.'),
  ca: Authority,
  login: text({ maxLength: 255, description: 'Empty: the server is used without signing in.' }),
  from: Mailbox,
  to: Type.Array(Mailbox, { minItems: 1, maxItems: 20, uniqueItems: true }),
}

const mailDefaults = {
  enabled: Type.Optional(common.enabled),
  severity: Type.Optional(common.severity),
  ca: Type.Optional(mailFields.ca),
  login: Type.Optional(mailFields.login),
  password: Type.Optional(Password),
}

export const NewMailTarget = strictObject({ ...mailFields, ...mailDefaults })
export type NewMailTarget = Static<typeof NewMailTarget>

export const MailTarget = strictObject({
  id: Type.String(),
  ...mailFields,
  has_password: Type.Boolean({ description: 'Whether a password is stored.' }),
})
export type MailTarget = Static<typeof MailTarget>

const url =
  'https://[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[1-9][0-9]{0,4})?(?:/(?:[A-Za-z0-9._~/?=&%:@+-]*|\\*{3}))?'

const hookFields = {
  ...common,
  url: Type.String({
    maxLength: 400,
    pattern: `^${url}$`,
    'x-fault': 'Must be an address such as https://hooks.example.com/gateway.',
    'x-hidden-path': true,
    examples: ['https://hooks.example.com/gateway'],
  }),
  ca: Authority,
}

const hookDefaults = {
  enabled: Type.Optional(common.enabled),
  severity: Type.Optional(common.severity),
  ca: Type.Optional(hookFields.ca),
  secret: Type.Optional(
    text({
      'x-secret': true,
      maxLength: 255,
      description:
        'Signs every call: the header Portcullis-Signature is `t=<time>,v1=<HMAC-SHA256 of "<time>.<body>" in hex>`. Never ' +
        'returned; empty removes it.',
    }),
  ),
}

export const NewWebhook = strictObject({ ...hookFields, ...hookDefaults })
export type NewWebhook = Static<typeof NewWebhook>

export const Webhook = strictObject({
  id: Type.String(),
  ...hookFields,
  has_secret: Type.Boolean({ description: 'Whether a secret is stored.' }),
})
export type Webhook = Static<typeof Webhook>

export const mailTargets = collectionEndpoints({
  path: '/health/notifications/mail',
  title: 'e-mail notifications',
  item: 'an e-mail notification',
  idName: 'target_id',
  change: 'configure',
  fields: NewMailTarget,
  patch: patchOf(NewMailTarget),
  shown: MailTarget,
})

export const webhooks = collectionEndpoints({
  path: '/health/notifications/webhooks',
  title: 'webhooks',
  item: 'a webhook',
  idName: 'target_id',
  change: 'configure',
  fields: NewWebhook,
  patch: patchOf(NewWebhook),
  shown: Webhook,
})

const Delivery = strictObject({
  is_delivered: Type.Boolean(),
  message: Type.String({ description: 'Why it was not delivered; empty when it was.' }),
})

export const testMail = endpoint({
  method: 'POST',
  path: '/health/notifications/mail/:target_id/test',
  access: 'configure',
  effect: 'action',
  errors: ['too_many_requests'],
  summary: 'Send a test message by e-mail',
  description: 'Also works while the notification is disabled.',
  reply: Delivery,
})

export const testWebhook = endpoint({
  method: 'POST',
  path: '/health/notifications/webhooks/:target_id/test',
  access: 'configure',
  effect: 'action',
  errors: ['too_many_requests'],
  summary: 'Send a test message to a webhook',
  description: 'Also works while the webhook is disabled.',
  reply: Delivery,
})
