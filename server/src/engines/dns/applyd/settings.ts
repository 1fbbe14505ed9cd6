// The part of unbound.conf that no plan decides: fixed.unbound.conf, and what differs between machines: account, control socket,
// limits, and the keys of the root.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { DataPlane } from '../../../core/plan/artifacts.ts'
import { readOwned } from '../../../shared/files/guarded.ts'
import { fixedText } from '../../kit/fixed-text.ts'
import type { Place } from '../../kit/privileged.ts'
import { clause, directive, megabytes, number, quoteAbsolutePath, quoteWords, type Unbound, word } from '../unbound.ts'

const [hintsPath, anchorPath] = ['/usr/share/dns/root.hints', '/usr/share/dns/root.key']

export function fixedSettings({ stateDir, plane, service }: Place, folder: string): string {
  const cache = cacheMegabytes(totalmem())
  return [
    '',
    fixedText(join(import.meta.dirname, 'fixed.unbound.conf'), { folder }),
    clause('server', [
      directive('username', quoteWords(service ? 'unbound' : '')),
      directive('num-threads', number(Math.min(4, availableParallelism()))),
      directive('msg-cache-size', megabytes(cache)),
      directive('rrset-cache-size', megabytes(2 * cache)),
      ...waitLimit(),
      ...anchors(stateDir, plane),
      ...(existsSync(hintsPath) ? [directive('root-hints', quoteAbsolutePath(hintsPath))] : []),
    ]),
    controlSettings(folder),
  ].join('\n')
}

/**
 * Questions of one client that wait for other servers or for the check of signatures, which a hostile zone can make costly; further
 * ones are dropped (decision 114). Debian 12 has this option since deb12u3.
 */
const waitLimit = (): Unbound[] => (knowsWaitLimit() ? [directive('wait-limit', number(64))] : [])

const knowsWaitLimit = (): boolean =>
  spawnSync('/usr/sbin/unbound-checkconf', ['-o', 'wait-limit', '/dev/null'], { stdio: 'ignore' }).status === 0

/** The root of the lab is not the real one: signed when its key is in the lab's folder, otherwise not. */
function anchors(stateDir: string, plane: DataPlane): Unbound[] {
  if (plane !== 'lab')
    return existsSync(anchorPath) ? [directive('trust-anchor-file', quoteAbsolutePath(anchorPath))] : []
  // Servers of the lab can write in its folder, so only a key that root put there counts.
  return (readOwned(stateDir, ['lab', 'root.key'], process.geteuid?.() ?? 0)?.toString() ?? '')
    .split('\n')
    .filter((line) => /^[A-Za-z0-9.+/=\t ]+$/.test(line))
    .map((line) => directive('trust-anchor', quoteWords(line)))
}

/** Also used for unbound-control. */
export const controlSettings = (folder: string): Unbound =>
  clause('remote-control', [
    directive('control-enable', word('yes')),
    directive('control-interface', quoteAbsolutePath(join(folder, 'control.sock'))),
    directive('control-use-cert', word('no')),
  ])

/** A sixty-fourth of the memory for messages and twice that for records; it is filled only by queries. */
export const cacheMegabytes = (memory: number): number =>
  Math.round(Math.min(256, Math.max(8, memory / 64 / 1024 / 1024)))
