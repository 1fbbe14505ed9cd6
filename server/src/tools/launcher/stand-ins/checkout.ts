// A checkout as small as the launcher's own tests need: launcher and lab as they are, the pinned runtime, and
// stand-ins where gatewayd and applyd would be.

import { chmodSync, copyFileSync, cpSync, linkSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { appRoot, runtimePath } from '../layout.ts'

export function makeCheckout(root: string): string {
  for (const name of ['package.json', 'server/package.json']) copy(name, name, root)
  for (const name of [
    'server/plain',
    ...['tools/launcher', 'tools/lab', 'shared', 'engines', 'core/engine'].map((folder) => `server/src/${folder}`),
  ])
    cpSync(join(appRoot, name), join(root, name), { recursive: true })
  copy('server/src/tools/launcher/stand-ins/gatewayd.ts', 'server/src/gatewayd/main.ts', root)
  copy('server/src/tools/launcher/stand-ins/applyd.ts', 'server/src/applyd/main.ts', root)
  placeRuntime(root)
  return root
}

function copy(from: string, to: string, root: string): void {
  const target = join(root, to)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(join(appRoot, from), target)
}

/** The runtime is a hundred megabytes: a second name for the same file where the file system allows it. */
function placeRuntime(root: string): void {
  const target = runtimePath(root)
  mkdirSync(dirname(target), { recursive: true })
  try {
    linkSync(runtimePath(appRoot), target)
  } catch {
    copyFileSync(runtimePath(appRoot), target)
    chmodSync(target, 0o755)
  }
}
