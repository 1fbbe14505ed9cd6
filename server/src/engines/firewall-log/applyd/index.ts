// ulogd as the reader of the firewall log. Its standard output is the file that gatewayd reads.

import { defineEngine } from '../../kit/privileged.ts'
import { firewallLog } from '../index.ts'

/** Every line the file may hold. A path, a plugin or a stack that is not in here is refused. */
const knownLines: readonly string[] = [
  '',
  '[global]',
  'logfile="/dev/stderr"',
  'loglevel=7',
  'stack=hits:NFLOG,packet:BASE,names:IFINDEX,text:IP2STR,out:JSON',
  '[hits]',
  'group=5',
  'netlink_qtimeout=10',
  'netlink_socket_buffer_size=8388608',
  'netlink_socket_buffer_maxsize=8388608',
  'seq_local=1',
  '[out]',
  'file="/dev/stdout"',
  'sync=1',
]

export const firewallLogEngine = defineEngine(firewallLog, ({ service }) => ({
  units: {
    'firewall-log': {
      program: '/usr/sbin/ulogd',
      // It needs root to reach the kernel, and switches to the account of its package before it reads a packet.
      args: ['-c', '{ulogd.conf}', ...(service ? ['-u', 'ulog'] : [])],
      files: { 'ulogd.conf': { lines: knownLines } },
      check: null,
      reload: 'restart',
      probe: { kind: 'alive', forMs: 300 },
      capabilities: ['net_admin', 'setgid', 'setuid'],
      limits: { nofile: 256, data: 256 * 1024 * 1024, nproc: 64 },
      isOptional: true,
    },
  },
  unitTemplates: {},
}))
