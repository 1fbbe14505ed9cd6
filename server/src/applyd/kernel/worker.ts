// The thread in which applyd calls the nft library and asks the kernel. One job at a time; library.ts decides the order.

import { parentPort, workerData } from 'node:worker_threads'
import { Conversation } from './conversation.ts'
import { openForeign } from './foreign.ts'
import type { Answer, Job, WorkerData } from './library.ts'

const { namespace, library: path } = workerData as WorkerData
const port = parentPort
if (!port) throw new Error('This runs in a worker only.')

const idleMs = 100

const foreign = openForeign(namespace)
const kernel = new Conversation(foreign.openSocket())
const library = foreign.openLibrary(path)
type NftContext = ReturnType<typeof library.createContext>
let loader = library.createContext(false)
/** Closing their sockets waits for the kernel, so that is done when there is nothing else to do. */
const spent: NftContext[] = []
const spentAtMost = 4
let clearing: NodeJS.Timeout | undefined
/** Bytes of scripts since the last time that this thread cleared up. */
let ran = 0
const worthCollecting = 256 * 1024

/** A context is not used again after a check: the library keeps what it evaluated and later refuses what is right. */
function check(script: Uint8Array): string | null {
  const context = library.createContext(true)
  const words = foreign.withFile(script, context.run)
  spent.push(context)
  return words
}

/** One context as long as it succeeds; its cache is void after every transaction. After a refusal it is not sound. */
function load(script: Uint8Array): string | null {
  const words = foreign.withFile(script, loader.run)
  if (words === null) return words
  spent.push(loader)
  loader = library.createContext(false)
  return words
}

function clear(): void {
  for (const context of spent.splice(0)) context.free()
  // Scripts of a moment ago are garbage that a thread without work would keep; the option --expose-gc gives the call.
  if (ran > worthCollecting) globalThis.gc?.()
  ran = 0
  // Otherwise the library's part of the memory stays with the process.
  foreign.trimMemory()
}

function run(job: Job): unknown {
  switch (job.verb) {
    case 'check':
      return placed(check(job.script))
    case 'load':
      return placed(load(job.script))
    case 'changeElements':
      return kernel.changeElements(job.changes, job.generation)
    case 'changeLive':
      return kernel.changeLive(job.table, job.changes, job.generation)
    case 'readLive':
      return kernel.readLive(job.table, job.set, job.parts)
    case 'generation':
      return kernel.generation()
    case 'counts':
      return kernel.counts(job.table, job.chains)
    case 'chains':
      return kernel.chains(job.table)
    case 'isPresent':
      return kernel.isPresent(job.table)
  }
}

/** The name of the file differs from call to call. */
const placed = (words: string | null): string | null =>
  words?.replaceAll(/^\/proc\/self\/fd\/\d+:/gm, 'script:') ?? null

function send(answer: Answer): void {
  port?.postMessage(answer)
}

port.on('message', (job: Job) => {
  try {
    send({ value: run(job) })
  } catch (fault) {
    send({ fault: fault instanceof Error ? fault.message : String(fault) })
  }
  if (spent.length > spentAtMost) clear()
  if (!('script' in job)) return
  ran += job.script.length
  clearTimeout(clearing)
  clearing = setTimeout(clear, idleMs)
})
// A library that can be opened may still not work here.
const words = check(Buffer.from('\n'))
if (words !== null) throw new Error(words)
clear()
send({ event: 'ready' })
