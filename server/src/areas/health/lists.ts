// Those who are notified, each list declared once, and what is stored of a body.

import { invalid, type Problem } from '../../core/contract/error.ts'
import { secretMask } from '../../core/contract/fields.ts'
import { declareList } from '../../core/model/declarations.ts'
import { type AddressTools, addressFields } from '../../core/model/hidden-addresses.ts'
import type { Sealed } from '../../core/model/secret.ts'
import { type Config, type ItemId, read } from '../../core/model/slots.ts'
import { readCertificates } from '../../shared/net/certificate.ts'
import { say } from '../../shared/said.ts'
import { mailTargets, type StoredMail, type StoredWebhook, webhooks } from './config.ts'
import type { MailTarget, NewMailTarget, NewWebhook, Webhook } from './contract-notifications.ts'

const maxTargets = 16
const maxAuthorities = 8

const defaults = { enabled: true, severity: 'failed', ca: '' }

function authorityProblems(ca: string): Problem[] {
  if (ca === '') return []
  const found = readCertificates(ca, maxAuthorities)
  return 'fault' in found ? [{ field: 'ca', message: found.fault }] : []
}

function mailProblems({ login, password, ca }: StoredMail): Problem[] {
  const missing = say`Must not be empty while there is a login.`
  return [
    ...authorityProblems(ca),
    ...(login !== '' && password === null ? [{ field: 'password', message: missing }] : []),
  ]
}

const tooMany = (count: number): Problem[] =>
  count > maxTargets ? [{ field: 'title', message: say`There can be at most ${maxTargets} of them.` }] : []

export const mailTargetList = declareList<StoredMail>({
  slot: mailTargets,
  ids: { kind: 'uuid' },
  noun: 'e-mail notification',
  nameOf: ({ title }) => `e-mail notification "${title}"`,
  defaults: { ...defaults, login: '', password: null },
  secrets: ['password'],
  problemsOf: (config, target) => [...mailProblems(target), ...tooMany(read(config, mailTargets).length)],
})

export const webhookList = declareList<StoredWebhook>({
  slot: webhooks,
  ids: { kind: 'uuid' },
  noun: 'webhook',
  nameOf: ({ title }) => `webhook "${title}"`,
  defaults: { ...defaults, secret: null },
  secrets: ['secret', 'address'],
  problemsOf: (config, { ca }) => [...authorityProblems(ca), ...tooMany(read(config, webhooks).length)],
})

export const lists = [mailTargetList, webhookList]

type Seal = (clear: string) => Sealed

/** The mask keeps what is stored. */
const sealed = (clear: string | undefined, seal: Seal): Sealed | null | undefined =>
  clear === undefined || clear === secretMask ? undefined : clear === '' ? null : seal(clear)

/** Whom the password is sent to. */
const serverFields = ['server', 'port', 'security', 'ca'] as const

/** A stored password is not sent to another server: anyone who may change the settings could read it there. */
export function requireSameServer(config: Config, id: ItemId, body: Partial<NewMailTarget>): void {
  const stored = read(config, mailTargets).find((one) => one.id === id)
  if (!stored?.password || (body.password !== undefined && body.password !== secretMask)) return
  if (serverFields.some((field) => body[field] !== undefined && body[field] !== stored[field]))
    throw invalid('password', say`Must be sent again, because the message goes to another server or in another way.`)
}

export function mailFields({ password, ...fields }: Partial<NewMailTarget>, seal: Seal): object {
  const stored = sealed(password, seal)
  return stored === undefined ? fields : { ...fields, password: stored }
}

export function webhookFields(
  config: Config,
  id: ItemId,
  { secret, url, ...fields }: Partial<NewWebhook>,
  seal: Seal,
  address: AddressTools,
): object {
  const stored = sealed(secret, seal)
  const current = read(config, webhooks).find((one) => one.id === id) ?? null
  return {
    ...fields,
    ...addressFields(url, current, 'url', address),
    ...(stored === undefined ? {} : { secret: stored }),
  }
}

export const shownMail = ({ password, ...target }: StoredMail): MailTarget => ({
  ...target,
  has_password: password !== null,
})

export const shownWebhook = ({ secret, address: _address, ...target }: StoredWebhook): Webhook => ({
  ...target,
  has_secret: secret !== null,
})

export const findTarget = (config: Config, id: string): StoredMail | StoredWebhook | undefined =>
  read(config, mailTargets).find((one) => one.id === id) ?? read(config, webhooks).find((one) => one.id === id)
