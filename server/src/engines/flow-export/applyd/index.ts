// The flow exporter. It has an account of its own and one right, without which the kernel does not show connections; applyd
// says where its report goes, the plan only the collector, numbers and networks.

import { join } from 'node:path'
import { ownApp, plainOption } from '../../../shared/files/plain.ts'
import { defineEngine } from '../../kit/privileged.ts'
import { flowExport, flowReportPath } from '../index.ts'

const program = join(import.meta.dirname, '..', '..', '..', 'exporters', 'flow-exporter.ts')

/** The books of half a million connections that are partly reported. */
const runtimeOptions = [
  plainOption(ownApp),
  '--max-semi-space-size=4',
  '--max-old-space-size=512',
  '--v8-pool-size=1',
  '--disable-warning=ExperimentalWarning',
]

export const flowExportEngine = defineEngine(flowExport, ({ stateDir, accountOf }) => ({
  units: {
    'flow-export': {
      program: process.execPath,
      args: [...runtimeOptions, program, '{flow-export.json}', join(stateDir, flowReportPath)],
      files: { 'flow-export.json': 'own program' },
      check: null,
      // It reports what is open with the earlier settings, and goes on with its books.
      reload: { signal: 'SIGHUP' },
      probe: { kind: 'alive', forMs: 300 },
      isOptional: true,
      user: accountOf('portcullis-flow-export'),
      capabilities: ['net_admin'],
      // Threads of the runtime count as processes, and it reserves half a gigabyte that it never uses.
      limits: { nofile: 64, data: 2048 * 1024 * 1024, nproc: 64 },
    },
  },
  unitTemplates: {},
}))
