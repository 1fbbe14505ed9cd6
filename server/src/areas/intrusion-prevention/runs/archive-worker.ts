// The worker thread that reads archives of rules, away from the event loop of gatewayd.

import { GatewayError } from '../../../core/contract/error.ts'
import { serveTasks } from '../../../core/workers/serve.ts'
import { ListsRefused } from '../../../domain/web-filter/categories/refused.ts'
import type { Fault } from './checker.ts'
import { type ArchiveReport, leaveOut, readRuleArchive } from './read-archive.ts'
import { readRefusals } from './refusals.ts'

/** A refusal crosses as the sentence it is. */
async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof ListsRefused ? new GatewayError('invalid', error.message) : error
  }
}

export const archiveTasks = {
  read: ({ path, folder, name }: { readonly path: string; readonly folder: string; readonly name: string }) =>
    refusing(readRuleArchive(path, folder, name)),
  leaveOut: ({
    folder,
    report,
    faults,
  }: {
    readonly folder: string
    readonly report: ArchiveReport
    readonly faults: readonly Fault[]
  }) => refusing(leaveOut(folder, report, faults)),
  refusals: ({ path, offset, limit }: { readonly path: string; readonly offset: number; readonly limit: number }) =>
    readRefusals(path, offset, limit),
}

serveTasks(archiveTasks)
