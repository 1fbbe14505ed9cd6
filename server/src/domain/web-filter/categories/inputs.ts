// Which lists an index is made of. gatewayd asks at every start, so it costs a look at each file and no thread.

import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { type FolderNames, findLists } from './folders.ts'

export interface StarterList {
  readonly file: string
  readonly category: string
  readonly entries: readonly string[]
}

export interface ListPlaces {
  /** The folder of the operator. */
  readonly lists: string
  /** The uploaded archive; null without one. */
  readonly archive: string | null
  readonly starter: readonly StarterList[]
  readonly folders: FolderNames
}

/** Says which lists there are, so that the same ones are not built twice. */
export async function describeInputs({ lists, archive, starter, folders }: ListPlaces): Promise<string> {
  const archived = archive === null ? null : await stat(archive).then(({ size, mtimeMs }) => [size, mtimeMs])
  const all = [await findLists(lists), archived, starter, folders]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex')
}
