// The portal of users. It has an account of its own and no rights; applyd says which socket, folder and ports it gets, the
// plan only texts and addresses.

import { join } from 'node:path'
import { ownApp, plainOption } from '../../../shared/files/plain.ts'
import { defineEngine } from '../../kit/privileged.ts'
import { portal } from '../index.ts'

const program = join(import.meta.dirname, '..', '..', '..', 'portald', 'main.ts')

/** Most of what a connection takes is outside of the heap of the runtime. */
const runtimeOptions = [
  plainOption(ownApp),
  '--max-semi-space-size=2',
  '--max-old-space-size=128',
  '--v8-pool-size=1',
  '--expose-gc',
  '--disable-warning=ExperimentalWarning',
]

export const portalEngine = defineEngine(portal, ({ stateDir, accountOf }) => ({
  units: {
    portal: {
      program: process.execPath,
      args: [
        ...runtimeOptions,
        program,
        '{portal.json}',
        join(stateDir, 'portal', 'tls'),
        join(stateDir, 'run', 'portal', 'gateway.sock'),
        ...[portal.ports.http, portal.ports.https].map(({ destinationPort }) => String(destinationPort)),
      ],
      files: { 'portal.json': 'own program' },
      check: null,
      // It reads its file again and keeps every connection.
      reload: { signal: 'SIGHUP' },
      probe: { kind: 'tcp', host: '127.0.0.1', port: portal.ports.https.destinationPort, timeoutMs: 20_000 },
      // Hosts that are authorized already do not need it.
      isOptional: true,
      user: accountOf('portcullis-portal'),
      capabilities: [],
      // Threads of the runtime count as processes, and it reserves half a gigabyte that it never uses.
      limits: { nofile: 8192, data: 1536 * 1024 * 1024, nproc: 64 },
    },
  },
  unitTemplates: {},
}))
