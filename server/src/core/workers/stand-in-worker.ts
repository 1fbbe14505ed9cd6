// The worker of pool.test.ts: tasks that answer, refuse, fail, hang and fill the memory.

import { getPriority } from 'node:os'
import { threadId } from 'node:worker_threads'
import { verbatim } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import { serveTasks } from './serve.ts'
import { Handed } from './tasks.ts'

export const standInTasks = {
  double: (n: number) => n * 2,
  priority: () => getPriority(0),
  thread: () => threadId,
  environment: () => Object.keys(process.env).filter((name) => name !== 'NODE_COMPILE_CACHE').length,
  bytes: (size: number) => {
    const bytes = new Uint8Array(size)
    return new Handed(bytes, [bytes.buffer])
  },
  refuse: () => {
    throw new GatewayError('invalid', verbatim('No.'), { problems: [{ field: 'a', message: verbatim('No.') }] })
  },
  fail: () => {
    throw new Error('a fault')
  },
  hang: () => {
    for (;;);
  },
  fill: () => {
    const all: unknown[] = []
    for (;;) all.push(new Array(1000).fill({}).map(() => ({ a: all.length })))
  },
}

serveTasks(standInTasks)
