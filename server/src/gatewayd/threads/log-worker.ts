// The worker thread that reads the log: joins its store with the areas that show it. Wiring only; the thread has its own
// connection, which cannot write.

import { workerData } from 'node:worker_threads'
import { csvRows } from '../../core/area/csv.ts'
import { serveTasks } from '../../core/workers/serve.ts'
import { logViews } from '../logs/log-views.ts'
import { StoreReader } from '../logs/store/reader.ts'
import { type StoreWorkerData, storeTasks } from '../logs/store/reader-tasks.ts'

serveTasks(storeTasks(new StoreReader((workerData as StoreWorkerData).logs, logViews), csvRows))
