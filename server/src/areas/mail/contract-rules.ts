// Rules of the mail relay: forwarding, and allowed and denied addresses (docs/behaviour/mail.md 4).

import type { Static } from 'typebox'
import { collectionEndpoints } from '../../core/contract/collections.ts'
import { Comment, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { Mailbox, SourceAddress } from './contract-fields.ts'

const forwardingFields = {
  recipient: Mailbox,
  map: Type.Array(Mailbox, {
    maxItems: 1_000,
    description:
      'Where mail is forwarded to. A copy stays in the mailbox of the recipient only when this list contains it.',
  }),
}

export const ForwardingRule = strictObject({ id: Type.String(), ...forwardingFields })
export type ForwardingRule = Static<typeof ForwardingRule>

export const forwarding = collectionEndpoints({
  path: '/mail/rules/alias',
  title: 'forwarding rules',
  item: 'a forwarding rule',
  idName: 'rule_id',
  change: 'configure',
  fields: strictObject(forwardingFields),
  shown: ForwardingRule,
})

const addressFields = { address: SourceAddress, comment: Comment }

export const AddressRule = strictObject({ id: Type.String(), ...addressFields })
export type AddressRule = Static<typeof AddressRule>

const AddressType = Type.Integer({
  minimum: 1,
  maximum: 3,
  description: '1 domain, 2 IP address, 3 mail address; derived from the address.',
})

export const ShownAddressRule = strictObject({ ...AddressRule.properties, type: AddressType })
export type ShownAddressRule = Static<typeof ShownAddressRule>

/** A type that a client sends back is ignored (docs/behaviour/mail.md 4). */
const NewAddressRule = strictObject({
  ...addressFields,
  type: Type.Optional(Type.Integer({ description: 'Ignored; it is derived from the address.' })),
})
export type NewAddressRule = Static<typeof NewAddressRule>

const addressRules = (path: string, kind: 'allowed' | 'denied') =>
  collectionEndpoints({
    path,
    title: `${kind} addresses`,
    item: kind === 'allowed' ? 'an allowed address' : 'a denied address',
    idName: 'rule_id',
    change: 'configure',
    fields: NewAddressRule,
    shown: ShownAddressRule,
  })

export const allowed = addressRules('/mail/rules/whitelist', 'allowed')
export const denied = addressRules('/mail/rules/blacklist', 'denied')
