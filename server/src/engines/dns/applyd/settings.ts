// The part of unbound.conf that no plan decides: account, folders, control socket, limits of the machine and defaults. It
// comes after the lines of the plan and so overrides them.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { DataPlane } from '../../../core/plan/artifacts.ts'
import { readOwned } from '../../../shared/files/guarded.ts'
import type { Place } from '../../kit/privileged.ts'
import {
  address,
  clause,
  directive,
  megabytes,
  number,
  quoteAbsolutePath,
  quoteWords,
  type Unbound,
  word,
} from '../unbound.ts'

const [hintsPath, anchorPath] = ['/usr/share/dns/root.hints', '/usr/share/dns/root.key']

const [yes, no] = [word('yes'), word('no')]
const nothing = quoteWords('')

export function fixedSettings({ stateDir, plane, service }: Place, folder: string): string {
  const cache = cacheMegabytes(totalmem())
  return [
    '',
    clause('server', [
      directive('username', service ? quoteWords('unbound') : nothing),
      directive('chroot', nothing),
      directive('directory', quoteAbsolutePath(folder)),
      directive('pidfile', nothing),
      directive('use-syslog', no),
      directive('do-daemonize', no),
      directive('interface', address('0.0.0.0')),
      directive('interface-automatic', yes),
      directive('do-ip6', no),
      directive('num-threads', number(Math.min(4, availableParallelism()))),
      directive('msg-cache-size', megabytes(cache)),
      directive('rrset-cache-size', megabytes(2 * cache)),
      directive('outgoing-range', number(2048)),
      directive('num-queries-per-thread', number(1024)),
      // One for each query that can wait: slow servers must not keep others waiting, which then count as dead (decision 114).
      directive('outgoing-num-tcp', number(1024)),
      ...waitLimit(),
      // The kernel lets one host have 32 of them.
      directive('incoming-num-tcp', number(100)),
      directive('tcp-idle-timeout', number(10_000)),
      directive('module-config', quoteWords('respip validator iterator')),
      directive('hide-identity', yes),
      directive('hide-version', yes),
      directive('hide-trustanchor', yes),
      directive('minimal-responses', yes),
      directive('qname-minimisation', yes),
      directive('harden-glue', yes),
      directive('harden-dnssec-stripped', yes),
      directive('harden-below-nxdomain', yes),
      directive('harden-referral-path', no),
      directive('use-caps-for-id', no),
      directive('aggressive-nsec', yes),
      directive('prefetch', yes),
      directive('prefetch-key', yes),
      directive('serve-expired', yes),
      directive('serve-expired-ttl', number(86_400)),
      directive('serve-expired-client-timeout', number(1_800)),
      directive('val-log-level', number(1)),
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
    directive('control-enable', yes),
    directive('control-interface', quoteAbsolutePath(join(folder, 'control.sock'))),
    directive('control-use-cert', no),
  ])

/** A sixty-fourth of the memory for messages and twice that for records; it is filled only by queries. */
export const cacheMegabytes = (memory: number): number =>
  Math.round(Math.min(256, Math.max(8, memory / 64 / 1024 / 1024)))
