// The traffic classifier. It has an account of its own and one right, without which the kernel gives no copies of packets;
// ndpiReader, which reads what anyone on the network can send, is started by it without that right. A plan can only switch it
// on and off: where it writes and which program it starts is said here.

import { join } from 'node:path'
import { ownApp, plainOption } from '../../../shared/files/plain.ts'
import { defineEngine } from '../../kit/privileged.ts'
import { classifierPaths, trafficClassifier } from '../index.ts'

const program = join(import.meta.dirname, '..', '..', '..', 'exporters', 'traffic-classifier.ts')

const runtimeOptions = [
  plainOption(ownApp),
  '--max-semi-space-size=4',
  '--max-old-space-size=192',
  '--v8-pool-size=1',
  '--disable-warning=ExperimentalWarning',
]

export const trafficClassifierEngine = defineEngine(trafficClassifier, ({ stateDir, accountOf }) => ({
  units: {
    'traffic-classifier': {
      program: process.execPath,
      args: [
        ...runtimeOptions,
        program,
        ...[classifierPaths.connections, classifierPaths.report].map((path) => join(stateDir, path)),
      ],
      files: {},
      check: null,
      reload: 'restart',
      probe: { kind: 'alive', forMs: 300 },
      isOptional: true,
      user: accountOf('portcullis-classifier'),
      capabilities: ['net_admin'],
      // Threads of the runtime count as processes, and it reserves half a gigabyte that it never uses.
      limits: { nofile: 64, data: 2048 * 1024 * 1024, nproc: 64 },
    },
  },
  unitTemplates: {},
}))
