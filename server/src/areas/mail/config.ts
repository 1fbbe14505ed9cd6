// What is stored of the mail relay. At first everything is disabled, no network is trusted and nothing is deleted. The
// private key of DKIM and the licence file of the engine are sealed.

import type { Static } from 'typebox'
import { Enabled, nullable, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { Sealed } from '../../core/model/secret.ts'
import { list, single } from '../../core/model/slots.ts'
import { Advanced, General, Security, ServerAccess, TrustedNetworks } from './contract.ts'
import { DkimState } from './contract-filter.ts'
import { AddressRule, ForwardingRule } from './contract-rules.ts'

export const state = single('mail.state', Enabled, { enabled: false })

export const general = single('mail.general', General, {
  mail_domain: null,
  mail_hostname: null,
  mail_additional_domains: [],
  mail_relay_domains: [],
})

export const serverAccess = single('mail.server_access', ServerAccess, {
  imap_enabled: false,
  pop3_enabled: false,
  webmail_enabled: false,
})

const ChosenDisk = strictObject({ disk: nullable(strictObject({ id: Type.String(), title: Type.String() })) })

export const chosenDisk = single('mail.disk', ChosenDisk, { disk: null })

export const advanced = single('mail.advanced', Advanced, {
  mail_relay: null,
  sender_bcc: null,
  recipient_bcc: null,
  max_mailbox_size: 1_000_000_000,
  max_message_size: 20_000_000,
  autoexpunge_days: 0,
})

export const security = single('mail.security', Security, {
  smtpd_sasl_enabled: false,
  smtpd_tls_only_auth: true,
  dnsbl_enabled: false,
  greylisting_enabled: false,
  secure_encryption: true,
})

export const trustedNetworks = single('mail.trusted_networks', TrustedNetworks, { postfix_mynetworks: [] })

export const dkimState = single('mail.dkim', DkimState, { opendkim_enabled: false })

const SigningKey = strictObject({
  /** SubjectPublicKeyInfo in base64, as the DNS record has it. */
  public_key: Type.String(),
  /** PKCS #8 in PEM. */
  private_key: Sealed,
})
export type SigningKey = Static<typeof SigningKey>

/** One key signs for all domains; it is made with the first domain and kept. */
export const signingKey = single('mail.dkim_key', strictObject({ key: nullable(SigningKey) }), { key: null })

/** Where the vault binds the private key to. */
export const signingKeyPlace = `${signingKey.key}//key.private_key`

export const filterState = single('mail.filter', Enabled, { enabled: false })

/** The licence file as uploaded, in base64. */
export const filterLicence = single('mail.filter_licence', strictObject({ file: nullable(Sealed) }), { file: null })

export const filterLicencePlace = `${filterLicence.key}//file`

export const forwardingRules = list('mail.forwarding', ForwardingRule)
export const allowedRules = list('mail.allowed', AddressRule)
export const deniedRules = list('mail.denied', AddressRule)

export const slots = [
  state,
  general,
  serverAccess,
  chosenDisk,
  advanced,
  security,
  trustedNetworks,
  dkimState,
  signingKey,
  filterState,
  filterLicence,
  forwardingRules,
  allowedRules,
  deniedRules,
]
