// Where tests keep their files: in memory, where it is large enough. A gateway has each change on the disk before it answers, and a
// browser shares its pictures between processes through files; on a disk that is most of the time of many tests. What tests of full
// disks and of power cuts need they make themselves.

import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const neededBytes = 6 * 2 ** 30

/** A new folder for one run, which removes it. Its name is short: those of sockets have a limit. Services of the tests must pass it. */
export function makeTemporaryFolder() {
  const parent = hasMemory() ? memory : tmpdir()
  removeLeft(parent)
  const folder = mkdtempSync(join(parent, `p${process.pid}-`))
  chmodSync(folder, 0o711)
  return folder
}

/** What runs left that were killed: memory would have it until the machine starts again. */
function removeLeft(parent) {
  for (const name of readdirSync(parent)) {
    const pid = /^p(\d+)-[0-9A-Za-z]{6}$/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

/** Libraries are loaded from there, which not every machine allows. */
function hasMemory() {
  const mount = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, place, kind]) => place === memory && kind === 'tmpfs')
  if (mount === undefined || mount[3].split(',').some((option) => option === 'noexec' || option === 'ro')) return false
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(bavail * bsize, freemem()) >= neededBytes
}
