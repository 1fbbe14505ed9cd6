// Whether machines can be booted here, and if not, why, in words for anyone who reads the list of skipped tests.

import { spawnSync } from 'node:child_process'
import { readAbilities } from '../../src/tools/launcher/planes.ts'
import { lacking } from '../support/requires.ts'
import { reasonWithoutRoot, type Suite } from './roots.ts'

/** Mounts that a machine needs, tried in namespaces that are gone right after. */
const mountTrial = [
  'mount -t tmpfs tmpfs /mnt',
  'mkdir /mnt/a /mnt/b /mnt/c /mnt/d /mnt/group',
  'mount -t overlay overlay -o lowerdir=/mnt/a,upperdir=/mnt/b,workdir=/mnt/c /mnt/d || { echo overlay >&2; exit 1; }',
  'mount -t cgroup2 none /mnt/group || { echo cgroup2 >&2; exit 1; }',
].join('\n')

/** False when a machine of this release can be booted. */
export async function reasonWithoutMachine(suite: Suite): Promise<string | false> {
  if (process.env.PORTCULLIS_SKIP_NETNS === '1') return 'asked to leave out tests with namespaces'
  if (process.getuid?.() !== 0) return 'booting a test machine needs root'
  const { namespaceRefusal } = readAbilities()
  if (namespaceRefusal !== null)
    return `a test machine needs namespaces and the kernel refused them (${namespaceRefusal})`
  const missing = lacking('/usr/bin/mmdebstrap', '/usr/bin/systemd-nspawn')
  if (missing !== false) return missing
  const { stdout: container } = spawnSync('/usr/bin/systemd-detect-virt', ['--container'], { encoding: 'utf8' })
  if (container.trim() === 'systemd-nspawn')
    return 'this machine was booted by systemd-nspawn, which cannot boot another one in it'
  const walls = ['--mount', '--net', '--pid', '--fork', '--mount-proc', '--propagation', 'private']
  const { status, stderr } = spawnSync('/usr/bin/unshare', [...walls, '/bin/sh', '-c', mountTrial], {
    encoding: 'utf8',
  })
  if (status !== 0) return `a test machine needs mounts that were refused here (${stderr.trim().split('\n').at(-1)})`
  return reasonWithoutRoot(suite)
}
