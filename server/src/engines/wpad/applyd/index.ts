// The server of the proxy file, one for each address of the gateway that announces it: our own program, because the small
// servers of Debian start a process for each connection or have no bound on those that say nothing (decision 38).

import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { ownApp, plainOption } from '../../../shared/files/plain.ts'
import { defineEngine } from '../../kit/privileged.ts'
import { wpad } from '../index.ts'

const port = wpad.ports.web.destinationPort
const server = join(import.meta.dirname, '..', 'serve.ts')

/** It keeps next to nothing, so the runtime need not keep room for more. */
const runtimeOptions = [plainOption(ownApp), '--max-semi-space-size=1', '--max-old-space-size=32', '--v8-pool-size=1']

export const wpadEngine = defineEngine(wpad, ({ accountOf }) => ({
  units: {},
  unitTemplates: {
    /** An instance is named by its address; any other name listens on loopback. */
    wpad: (address) => {
      const host = isIPv4(address) && !address.startsWith('0.') ? address : '127.0.0.1'
      return {
        program: process.execPath,
        args: [...runtimeOptions, server, host, String(port), '{wpad.json}'],
        files: { 'wpad.json': 'own program' },
        check: null,
        // It reads its file again.
        reload: { signal: 'SIGHUP' },
        probe: { kind: 'tcp', host, port, timeoutMs: 10_000 },
        isOptional: true,
        user: accountOf('portcullis-wpad'),
        capabilities: ['net_bind_service'],
        // Threads of the runtime count as processes, and it reserves half a gigabyte that it never uses.
        limits: { nofile: 1024, data: 1024 * 1024 * 1024, nproc: 64 },
      }
    },
  },
}))
