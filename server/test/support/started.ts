// What a program of ours that a test starts needs so that it starts as in production, and cheaply: the plain copies of its
// files, and what the tests before it compiled.

import { join } from 'node:path'
import { plainOption } from '../../src/shared/files/plain.ts'
import { appRoot } from '../../src/tools/launcher/layout.ts'

/** Before the path of the program. */
export const ourRuntime: readonly [string, string] = [process.execPath, plainOption(appRoot)]

export const compileCache = {
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(appRoot, '.cache', 'compile'),
} as const
