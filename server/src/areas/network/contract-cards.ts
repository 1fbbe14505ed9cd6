// The cards of the machine, for who chooses one of them (docs/behaviour/network.md 1).

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const MachineCard = strictObject({
  name: Type.String({ description: 'Of its device.' }),
  mac: Type.String({ description: 'The own one of the card, by which connections name it.' }),
  has_carrier: nullable(
    Type.Boolean({ description: 'Whether a cable leads to a device that is on; null while the card is switched off.' }),
  ),
  bus: nullable(
    Type.String({
      description: 'Where it is plugged in, such as `pci 0000:03:00.0`; null when the kernel does not say.',
    }),
  ),
  connection: nullable(strictObject({ id: Type.Integer(), title: Type.String() })),
})
export type MachineCard = Static<typeof MachineCard>

export const showCards = endpoint({
  method: 'GET',
  path: '/network/cards',
  access: 'view',
  summary: 'Show the network cards of the machine',
  description:
    'Read from the machine at the time of the call, in the order of their names. Bridges, tunnels, VLANs and other devices that are ' +
    'no cards are left out. The connection is the one that uses the card, itself or through an aggregated interface; the one ' +
    'without a VLAN tag where there are several.',
  reply: strictObject({
    cards: Type.Array(MachineCard),
    reason: Type.String({ description: 'Why there are no cards here; empty when the machine was asked.' }),
  }),
})
