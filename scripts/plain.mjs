// node scripts/plain.mjs: makes the plain copies of the program now instead of at the next start, for an installation whose
// processes must not or cannot write to it.

import { ensurePlain } from './lib/plain.mjs'

ensurePlain()
