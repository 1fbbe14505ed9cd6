// The thread in which applyd reads and changes the kernel's table of connections: a dump of it takes long.

import { parentPort, workerData } from 'node:worker_threads'
import type { CutTarget } from '../../core/plan/artifacts.ts'
import { wordsOf } from '../../engines/kit/text.ts'
import { openForeign } from '../kernel/foreign.ts'
import { cutConnections } from '../kernel/tracked.ts'
import type { CutAnswer, CutWorkerData } from './cut.ts'

const { namespace } = workerData as CutWorkerData
const port = parentPort
if (!port) throw new Error('This runs in a worker only.')

const foreign = openForeign(namespace)

/** A socket for each question: what is left in it after a fault is not taken for the answer to the next one. */
function cut(requests: readonly (readonly CutTarget[])[]): CutAnswer {
  const socket = foreign.openSocket()
  try {
    return { counts: cutConnections(socket, requests) }
  } catch (fault) {
    return { fault: wordsOf(fault) }
  } finally {
    socket.close()
  }
}

port.on('message', (requests: readonly (readonly CutTarget[])[]) => port.postMessage(cut(requests)))
