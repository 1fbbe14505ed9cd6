// Whether the machine forwards, and the settings of its kernel (docs/behaviour/host.md).

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, Spoken, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const KernelSettingState = strictObject({
  name: Type.String({ description: 'As sysctl names it; `*` stands for every device.' }),
  value: nullable(Type.String({ description: 'What the kernel has now; null when it does not have the setting.' })),
  wanted: Type.String(),
  before: nullable(
    Type.String({
      description: 'What it was before the gateway changed it, and what it will be when the gateway leaves.',
    }),
  ),
  state: oneOf(['set', 'missing', 'refused', 'different']),
  message: Type.String({ description: 'Why it is not as wanted, or that another program had changed it.' }),
  sentences: Type.Optional(Spoken),
})
export type KernelSettingState = Static<typeof KernelSettingState>

export const showStatus = endpoint({
  method: 'GET',
  path: '/network/status',
  access: 'view',
  summary: 'Show whether the machine forwards between its networks',
  reply: Type.Array(StatusItem),
})

export const showKernelSettings = endpoint({
  method: 'GET',
  path: '/network/kernel_settings',
  access: 'view',
  summary: 'Show the settings of the kernel',
  description:
    'Read from the kernel at the time of the call; empty while nothing is applied. refused: the kernel does not let the gateway write it.',
  reply: Type.Array(KernelSettingState),
})
