// A checkout below a closed folder, such as /root, cannot be entered by the accounts under which tests start programs of ours.
// The tests then see it at another place, in mounts of their own; for everyone else it stays where and as it is.

import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { root } from './paths.mjs'
import { runCommand } from './run.mjs'

/** There on every Debian, open to all, and of no use to a test. */
const place = '/srv'

const walls = ['--mount', '--propagation', 'private']
const steps = 'mount --bind "$1" "$2"; cd "$2"; shift 2; exec "$@"'

/** Whether others cannot enter the checkout, and we may make another way to it. */
export function needsView() {
  if (process.getuid() !== 0 || !isOpen(root) || isOpenFrom(dirname(root))) return false
  return spawnSync('/usr/bin/unshare', [...walls, '/bin/true']).status === 0
}

/** Runs a script of the checkout in the view; resolves with its exit code. */
export function runInView(script, args) {
  const view = ['/usr/bin/unshare', ...walls, '/bin/sh', '-ec', steps, 'sh', root, place]
  return runCommand([...view, process.execPath, script, ...args])
}

const isOpen = (folder) => (statSync(folder).mode & 0o001) !== 0

function isOpenFrom(folder) {
  return isOpen(folder) && (folder === dirname(folder) || isOpenFrom(dirname(folder)))
}
