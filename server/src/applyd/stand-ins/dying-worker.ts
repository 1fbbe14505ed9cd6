// A stand-in for the thread of the nft library that ends as soon as it has to load something.

import { parentPort } from 'node:worker_threads'
import type { Job } from '../kernel/library.ts'

parentPort?.on('message', ({ verb }: Job) => {
  if (verb === 'load') process.exit(3)
  parentPort?.postMessage({ value: null })
})
parentPort?.postMessage({ event: 'ready' })
