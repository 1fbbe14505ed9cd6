// The thread that compiles a long list of user categories, so that questions are answered in the meantime.

import { parentPort, workerData } from 'node:worker_threads'
import { transferablesOf } from '../domain/web-filter/entry-table.ts'
import { compileText } from './policy-files.ts'

const table = compileText(workerData as string)
parentPort?.postMessage(table, transferablesOf(table))
