// Where things lie in the checkout or in the package, for the scripts that run before anything is installed.
// Everything in scripts/ is plain JavaScript for Node 18 and without dependencies.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The Debian package has the runtime alone, without the package it came in. */
const packaged = join(root, 'bin', 'node')

/** The Node of the lock file; every process of ours runs on it, whatever Node started this script. */
export const runtime = existsSync(packaged)
  ? packaged
  : join(root, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')

/** Compiled code is kept here between runs, which saves each process time and about 18 MB. */
export const compileCache = join(root, '.cache', 'compile')

/** Has the runtime run the plain copies of our TypeScript, in what it starts and its workers too. */
export const plainOption = `--import=${pathToFileURL(join(root, 'server', 'plain', 'hook.mjs')).href}`
