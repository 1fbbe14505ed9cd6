// Prints the shared object for an architecture. applyd starts it without any right and compares what comes (../short-reads.ts).

import { writeSync } from 'node:fs'
import { shortReads } from './index.ts'

const [architecture = ''] = process.argv.slice(2)
const bytes = shortReads(architecture)
if (bytes === null) throw new Error(`There is none for ${architecture}.`)
for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
