// The number of an inspection channel in the connection mark, as nftables. Pure.

import { channelMark, inspection } from '../../core/plan/inspection-marks.ts'
import { hexNumber, type Nft, words } from './nft.ts'

const otherBits = hexNumber(0xffff_ffff - inspection.channelMask)
const channelBits = words(`ct mark & ${hexNumber(inspection.channelMask)}`)

/** The other bits stay as they are. */
export const clearChannel: Nft = words(`ct mark set ct mark & ${otherBits}`)
export const setChannel = (number: number): Nft => words(`${clearChannel} | ${hexNumber(channelMark(number))}`)

export const isInChannel = (number: number): Nft => words(`${channelBits} == ${hexNumber(channelMark(number))}`)
export const isNotInChannel = (number: number): Nft => words(`${channelBits} != ${hexNumber(channelMark(number))}`)
