// The worker thread that reads lists and builds the index of them, away from the event loop of gatewayd.

import { GatewayError } from '../../../core/contract/error.ts'
import { serveTasks } from '../../../core/workers/serve.ts'
import { type BuildInput, buildIndex, checkArchive } from './build.ts'
import type { FolderNames } from './folders.ts'
import { ListsRefused } from './refused.ts'

/** A refusal crosses as the sentence it is. */
async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof ListsRefused ? new GatewayError('invalid', error.message) : error
  }
}

export const buildTasks = {
  check: ({ path, folders }: { readonly path: string; readonly folders: FolderNames }): Promise<number> =>
    refusing(checkArchive(path, folders)),
  build: (input: BuildInput): Promise<void> => refusing(buildIndex(input)),
}

serveTasks(buildTasks)
