// The side of a worker thread: runs the tasks that pool.ts sends, one after another.

import { parentPort, type Transferable } from 'node:worker_threads'
import { sentencesIn } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import { giveWay } from './give-way.ts'
import { type Answer, type Ask, Handed, type Tasks } from './tasks.ts'

/** The entry file of a worker calls this once. */
export function serveTasks(tasks: Tasks): void {
  const port = parentPort
  if (!port) throw new Error('this file is the entry of a worker thread')
  giveWay()
  port.on('message', (ask: Ask) => {
    void answerOf(tasks, ask).then(([answer, transfer]) => port.postMessage(answer, transfer))
  })
}

async function answerOf(tasks: Tasks, { id, task, input }: Ask): Promise<[Answer, Transferable[]]> {
  try {
    const run = Object.hasOwn(tasks, task) ? (tasks[task] as (input: unknown) => unknown) : undefined
    if (!run) throw new Error(`this worker has no task ${task}`)
    const result = await run(input)
    if (result instanceof Handed) return [{ id, result: result.value }, [...result.transfer]]
    return [{ id, result }, []]
  } catch (error) {
    if (error instanceof GatewayError) {
      const { code, message, problems } = error
      const sentences = sentencesIn([message, ...problems.map((problem) => problem.message)])
      return [{ id, refusal: { code, message, problems, sentences } }, []]
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return [{ id, fault: { message, stack: stack ?? '' } }, []]
  }
}
