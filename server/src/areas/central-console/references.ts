// Every mention of an object in the rules of the console, so that nobody removes what a rule stands on.

import type { Reference } from '../../model/references.ts'
import { type Config, type Item, type ListSlot, read } from '../../model/slots.ts'
import { profileFields } from '../firewall/public.ts'
import { contentSlots, firewallSlots, originOf } from './config.ts'

const contentFields = ['aliases', 'categories', 'timetable'] as const
const firewallFields = [
  'source_addresses',
  'source_ports',
  'destination_addresses',
  'destination_ports',
  'timetable',
  'hip_profiles',
  'incoming_interface',
  'outgoing_interface',
] as const

export const references = (config: Config): Reference[] => [
  ...contentSlots.flatMap((slot) => mentions(config, slot, contentFields, 'Content filter rule')),
  ...firewallSlots.flatMap((slot) => mentions(config, slot, [...firewallFields, ...profileFields], 'Firewall rule')),
]

/** One id or a list of them. */
type Mentioning<F extends string> = Item & Readonly<Record<F, string | readonly string[]>>

function mentions<F extends string>(
  config: Config,
  slot: ListSlot<Mentioning<F>>,
  fields: readonly F[],
  title: string,
): Reference[] {
  return read(config, slot).flatMap((rule) =>
    fields.flatMap((field) =>
      [rule[field]]
        .flat()
        .filter((id) => id !== '' && id !== 'any')
        .map((id) => ({ id, field, object: originOf(slot, rule.id), title: `${title} ${rule.id} of the console` })),
    ),
  )
}
