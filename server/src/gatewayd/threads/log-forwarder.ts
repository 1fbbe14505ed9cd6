// The thread that carries log records to a collector. Wiring only.

import { parentPort, workerData } from 'node:worker_threads'
import { serveForwarding } from '../logs/forwarding/serve.ts'
import type { ForwarderData } from '../logs/forwarding/thread-messages.ts'

if (!parentPort) throw new Error('this file is the entry of a worker thread')
serveForwarding(parentPort, workerData as ForwarderData)
