// A connection through the gateway that lasts: an upload from the client of the lab to the internet, a little at a time, which
// ends when the test says so and not after a while.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { webAddress } from '../../src/tools/lab/network.ts'
import type { ExecResult } from '../../src/tools/launcher/enter-lab.ts'
import type { LabGateway } from './lab-gateway.ts'

export interface SlowUpload {
  /** Resolves when it is over, however that came. */
  readonly over: Promise<ExecResult>
  /** Resolves with the answer of the server. */
  end(): Promise<ExecResult>
}

const loop = 'stop=$1; shift; while [ ! -e "$stop" ]; do printf %400s; sleep 0.1; done | "$@"'
let count = 0

export function startUpload(gateway: LabGateway, ...options: readonly string[]): SlowUpload {
  const stop = join(gateway.stateDir, `upload-${process.pid}-${count++}`)
  const curl = ['/usr/bin/curl', '-sS', '-m', '600', '-T', '-', ...options, `http://${webAddress}/echo`]
  const running = gateway.exec('client', ['/bin/sh', '-c', loop, 'upload', stop, ...curl], { timeoutMs: 600_000 })
  const end = (): Promise<ExecResult> => {
    writeFileSync(stop, '')
    return running
  }
  return { over: running, end }
}
