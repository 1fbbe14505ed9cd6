// Where clients find the proxy file (WPAD), and what serves it to them: a unit of applyd for each of the gateway's addresses,
// which the area web-proxy renders.

import { templateUnit } from '../../core/engine/artifacts.ts'
import type { EngineUnit } from '../../core/plan/artifacts.ts'
import { wpad } from '../../engines/wpad/index.ts'
import { printAddress } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'

export const wpadUrl = (ownAddress: number): string => `http://${printAddress(ownAddress)}/wpad.dat`

export const wpadUnit = (ownAddress: number): EngineUnit => templateUnit(wpad, 'wpad', printAddress(ownAddress))

export const wpadNote = say`The file says PROXY while the direct web proxy is on, and DIRECT otherwise.`
