// The thread that reads one long listing, and ends with it.

import { parentPort, workerData } from 'node:worker_threads'
import { parseListing } from '../nft-listing.ts'
import type { ListingText } from './read-listing.ts'

const { text, lively } = workerData as ListingText
parentPort?.postMessage(parseListing(text, lively))
