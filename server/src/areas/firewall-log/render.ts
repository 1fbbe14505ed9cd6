// The reader of the firewall log: the unit of applyd and its configuration file, while anything is logged. The file is
// the same on every gateway; applyd accepts no other line.

import { engineFile, engineUnit } from '../../core/engine/artifacts.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import { firewallLog } from '../../engines/firewall-log/index.ts'
import { section, setting, stack, streamSetting } from '../../engines/firewall-log/ulogd.ts'
import { isLogging } from '../firewall/public.ts'

const plugins = [
  ['hits', 'NFLOG'],
  ['packet', 'BASE'],
  ['names', 'IFINDEX'],
  ['text', 'IP2STR'],
  ['out', 'JSON'],
] as const

const bufferBytes = 8 * 1024 * 1024

const readerFile = [
  section('global', [streamSetting('logfile', 'stderr'), setting('loglevel', 7), stack(plugins)]),
  section('hits', [
    setting('group', 5),
    // The kernel hands over what it has gathered after a tenth of a second.
    setting('netlink_qtimeout', 10),
    // More than a hundred thousand hits can wait for the reader: a scan of ports comes in bursts.
    setting('netlink_socket_buffer_size', bufferBytes),
    setting('netlink_socket_buffer_maxsize', bufferBytes),
    // The kernel numbers its hits, so that none is lost without being counted.
    setting('seq_local', 1),
  ]),
  section('out', [streamSetting('file', 'stdout'), setting('sync', 1)]),
].join('\n')

export const render = (config: Config): Artifact[] =>
  isLogging(config) ? [engineFile(firewallLog, 'ulogd.conf', readerFile), engineUnit(firewallLog, 'firewall-log')] : []
