// Where clients find the proxy file (WPAD), and what serves it to them: a unit of applyd for each of the gateway's addresses.

import { templateUnit } from '../../engines/artifacts.ts'
import { wpad } from '../../engines/wpad/index.ts'
import { printAddress } from '../../net/ipv4.ts'
import type { EngineUnit } from '../../plan/artifacts.ts'

export const wpadUrl = (ownAddress: number): string => `http://${printAddress(ownAddress)}/wpad.dat`

export const wpadUnit = (ownAddress: number): EngineUnit => templateUnit(wpad, 'wpad', printAddress(ownAddress))

export const wpadLimit = 'Direct connections to the proxy are not part of this release yet, so the file says DIRECT.'
