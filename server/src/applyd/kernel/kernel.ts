// How applyd talks to nftables. There are two ways with the same meaning: the nft library in a thread of applyd, and the
// nft program, a process for each question. The ruleset decides what is asked; this folder knows how.

import type { NftSpec } from '../../engines/kit/tables.ts'
import { type Log, wordsOf } from '../../engines/kit/text.ts'
import { createLibraryKernel } from './library.ts'
import type { NftKernel } from './nft-kernel.ts'
import { createProgramKernel } from './program.ts'

/** The library where it can be used, else the program. */
export async function createKernel(spec: NftSpec, log: Log): Promise<NftKernel> {
  if (spec.way === 'program') return createProgramKernel(spec)
  try {
    const kernel = await createLibraryKernel(spec, log)
    log('info', 'Rules are loaded by the nft library')
    return kernel
  } catch (fault) {
    if (spec.way === 'library') throw fault
    log('info', 'Rules are loaded by the nft program, because the nft library cannot be used', { why: wordsOf(fault) })
    return createProgramKernel(spec)
  }
}
