// A log in memory that follows the files of a test gateway, as the thread of the log does in the product.

import { join } from 'node:path'
import type { LogStore } from '../../src/domain/logs/store.ts'
import { followLogFiles } from '../../src/gatewayd/logs/log-sources.ts'
import { logViews } from '../../src/gatewayd/logs/log-views.ts'
import { HitKnowledge } from '../../src/gatewayd/logs/sources/hit-knowledge.ts'
import { NaiveLogStore } from './naive-log-store.ts'

/** `flush` also reads what was written to the files before. */
export function createFollowedLogs(folder: string): LogStore {
  const store = new NaiveLogStore(logViews)
  const files = {
    folder: join(folder, 'log'),
    hits: join(folder, 'hits.json'),
    web: join(folder, 'log', 'web-access.log'),
    security: join(folder, 'log', 'inspection.json'),
  }
  const sink = { append: store.append.bind(store), marks: () => new Map<string, string>() }
  const following = followLogFiles(files, new HitKnowledge(), sink, (error) => {
    throw error
  })
  return Object.assign(store, { flush: () => following.refresh(), close: () => following.stop() })
}
