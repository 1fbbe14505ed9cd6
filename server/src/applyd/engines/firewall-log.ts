// The reader of the firewall log as an entry of the tables: ulogd takes from the kernel what rules log, and writes it as
// JSON lines to its standard output, which is a file that gatewayd reads.

import { join } from 'node:path'
import type { FileSpec, ServiceAccount, UnitSpec } from '../tables.ts'

export const firewallLogUnitName = 'firewall-log'
export const firewallLogFileName = 'ulogd.conf'

/** Every line the file may hold. A path, a plugin or a stack that is not in here is refused. */
const knownLines: ReadonlySet<string> = new Set([
  '',
  '[global]',
  'logfile="/dev/stderr"',
  'loglevel=7',
  'stack=hits:NFLOG,packet:BASE,names:IFINDEX,text:IP2STR,out:JSON',
  '[hits]',
  'group=5',
  'netlink_qtimeout=10',
  '[out]',
  'file="/dev/stdout"',
  'sync=1',
])

/** Without an account of the service root is the only one there is, as in a user namespace. */
export function firewallLogUnit(
  stateDir: string,
  service: ServiceAccount,
): { readonly file: FileSpec; readonly unit: UnitSpec } {
  return {
    file: { path: join(stateDir, 'applyd', firewallLogFileName), mode: 0o600 },
    unit: {
      program: '/usr/sbin/ulogd',
      // It needs root to reach the kernel, and steps down to the account of its package before it reads a packet.
      args: ['-c', `{${firewallLogFileName}}`, ...(service ? ['-u', 'ulog'] : [])],
      files: [firewallLogFileName],
      check: null,
      reload: 'restart',
      probe: { kind: 'alive', forMs: 300 },
      limits: { nofile: 256, as: 256 * 1024 * 1024 },
      directives: (_, text) =>
        text
          .split('\n')
          .filter((line) => !knownLines.has(line))
          .map((line) => `The line "${line.slice(0, 100)}" may not stand in ${firewallLogFileName}.`),
      isOptional: true,
      output: {
        path: join(stateDir, 'log', 'firewall.json'),
        mode: 0o640,
        ...(service ? { gid: service.gid } : {}),
        maxBytes: 32 * 1024 * 1024,
      },
    },
  }
}
