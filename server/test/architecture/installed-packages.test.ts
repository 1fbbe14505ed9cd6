// npm leaves out what the Node that it runs on is too old for; the runtime of the project needs it all the same.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { appRoot } from '../../src/tools/launcher/layout.ts'

interface Entry {
  readonly link?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}

it('every package of the lock file that is for this machine is installed', () => {
  const lock = JSON.parse(readFileSync(join(appRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Entry>
  }
  const fits = (list: readonly string[] | undefined, own: string): boolean => list?.includes(own) ?? true
  const missing = Object.entries(lock.packages)
    .filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
    .filter(([, { os, cpu, libc }]) => fits(os, 'linux') && fits(cpu, process.arch) && fits(libc, 'glibc'))
    .map(([path]) => path)
    .filter((path) => !existsSync(join(appRoot, path, 'package.json')))
  assert.deepEqual(missing, [])
})
