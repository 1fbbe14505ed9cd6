// Who is notified, as stored. Passwords, secrets and whole addresses are sealed; null means that none is set.

import type { Static } from 'typebox'
import { nullable, strictObject } from '../../core/contract/fields.ts'
import { hideAddress } from '../../core/model/hidden-addresses.ts'
import { Sealed } from '../../core/model/secret.ts'
import { list } from '../../core/model/slots.ts'
import { MailTarget, Webhook } from './contract-notifications.ts'

const { has_password: _hasPassword, ...mailFields } = MailTarget.properties
const { has_secret: _hasSecret, ...hookFields } = Webhook.properties

const StoredMail = strictObject({ ...mailFields, password: nullable(Sealed) })
export type StoredMail = Static<typeof StoredMail>

const StoredWebhook = strictObject({ ...hookFields, address: Sealed, secret: nullable(Sealed) })
export type StoredWebhook = Static<typeof StoredWebhook>

export const mailTargets = list('health.mail_targets', StoredMail)
export const webhooks = list('health.webhooks', StoredWebhook, { upgrades: [hideAddress] })

/** Where the vault binds the password of a mail server, and the address and the secret of a webhook to. */
export const passwordPlace = (id: string): string => `${mailTargets.key}/${id}/password`
export const addressPlace = (id: string): string => `${webhooks.key}/${id}/address`
export const secretPlace = (id: string): string => `${webhooks.key}/${id}/secret`
