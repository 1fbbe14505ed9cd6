// Reads listings of the kernel. A list of 100,000 networks takes a third of a second to read, sort and hash. A thread does that
// while applyd answers others, and the memory goes with it.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { preloads } from '../kernel/library.ts'
import { type Listing, parseListing } from '../nft-listing.ts'

/** A listing of this length takes long to make and to read. */
export const largeListing = 500_000

/** As `parseListing` takes it. */
export interface ListingText {
  readonly text: string
  readonly lively: ReadonlySet<string>
}

const entry = new URL('./listing-thread.ts', import.meta.url)

/** Rejects when it is not a listing. */
export async function readListing(listing: ListingText): Promise<Listing> {
  if (listing.text.length <= largeListing) return parseListing(listing.text, listing.lively)
  const worker = new Worker(entry, { workerData: listing, execArgv: preloads() })
  // A thread that fails rejects this.
  const [read] = (await once(worker, 'message')) as [Listing]
  return read
}
