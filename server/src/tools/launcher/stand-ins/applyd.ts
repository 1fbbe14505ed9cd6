// Stands in for applyd in the launcher's own tests: leaves an engine behind as an orphan, as a crash would,
// forwards in the lab, and ends on SIGINT.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

process.once('SIGINT', () => process.exit(0))
spawn('/usr/bin/setsid', ['--fork', '/usr/bin/sleep', '0.05'], { stdio: 'ignore' })
if (process.env.PORTCULLIS_DATAPLANE === 'lab') writeFileSync('/proc/sys/net/ipv4/ip_forward', '1')
createServer().listen(join(process.env.PORTCULLIS_STATE ?? '', 'run', 'applyd.sock'))
