// The reader of the firewall log: the unit of applyd and its configuration file, while anything is logged. The file is
// the same on every gateway; applyd accepts no other line.

import { engineFile, engineUnit } from '../../engines/artifacts.ts'
import { firewallLog } from '../../engines/firewall-log/index.ts'
import type { Config } from '../../model/slots.ts'
import type { Artifact } from '../../plan/artifacts.ts'
import { section, setting, stack, streamSetting } from '../../render/ulogd.ts'
import { isLogging } from '../firewall/public.ts'

const plugins = [
  ['hits', 'NFLOG'],
  ['packet', 'BASE'],
  ['names', 'IFINDEX'],
  ['text', 'IP2STR'],
  ['out', 'JSON'],
] as const

const readerFile = [
  section('global', [streamSetting('logfile', 'stderr'), setting('loglevel', 7), stack(plugins)]),
  // The kernel hands over what it has gathered after a tenth of a second.
  section('hits', [setting('group', 5), setting('netlink_qtimeout', 10)]),
  section('out', [streamSetting('file', 'stdout'), setting('sync', 1)]),
].join('\n')

export const render = (config: Config): Artifact[] =>
  isLogging(config) ? [engineFile(firewallLog, 'ulogd.conf', readerFile), engineUnit(firewallLog, 'firewall-log')] : []
