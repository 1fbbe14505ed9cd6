// The log store of the product for a test gateway: its own threads, and the files of the gateway followed by the one that writes.

import { join } from 'node:path'
import { noLogLimits } from '../../src/areas/logs/config.ts'
import { createLocalLogStore, type LocalLogStore } from '../../src/gatewayd/logs/store/local-store.ts'

export const createStoredLogs = (folder: string, timeLimitMs?: number): LocalLogStore =>
  createLocalLogStore({
    path: join(folder, 'logs.db'),
    limits: noLogLimits,
    ...(timeLimitMs === undefined ? {} : { timeLimitMs }),
    writerEntry: new URL('../../src/gatewayd/threads/log-writer.ts', import.meta.url),
    workerEntry: new URL('../../src/gatewayd/threads/log-worker.ts', import.meta.url),
    followers: {
      files: {
        folder: join(folder, 'log'),
        hits: join(folder, 'hits.json'),
        web: join(folder, 'log', 'web-access.log'),
        security: join(folder, 'log', 'inspection.json'),
      },
    },
    onFault: (error) => {
      throw error
    },
  })
