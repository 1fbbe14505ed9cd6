// The reader of the firewall log: the unit of applyd and its configuration file, while anything is logged. The file is
// the same on every gateway; applyd accepts no other line.

import type { Config } from '../../model/slots.ts'
import type { Artifact } from '../../plan/artifacts.ts'
import { isLogging } from '../firewall/public.ts'

/** `netlink_qtimeout`: the kernel hands over after a tenth of a second what it has gathered. */
const readerFile = `[global]
logfile="/dev/stderr"
loglevel=7
stack=hits:NFLOG,packet:BASE,names:IFINDEX,text:IP2STR,out:JSON

[hits]
group=5
netlink_qtimeout=10

[out]
file="/dev/stdout"
sync=1
`

export const render = (config: Config): Artifact[] =>
  isLogging(config)
    ? [
        { kind: 'file', name: 'ulogd.conf', text: readerFile },
        { kind: 'unit', name: 'firewall-log' },
      ]
    : []
