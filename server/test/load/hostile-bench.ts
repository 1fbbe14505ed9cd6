// Starts the watched gateway and attacks it: clients that send bytes as they like, a probe that asks all the time, and the
// longest turn of the gateway's event loop in the meantime.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { Durations } from './lab.ts'

export interface Reply {
  readonly status: number
  readonly bytes: number
  readonly text: string
}

export interface Ask {
  readonly method?: string
  readonly path: string
  readonly body?: string | Buffer
  /** Null is a client without a session. */
  readonly cookie?: string | null
  /** The source address, of 127.0.0.0/8. */
  readonly from?: string
}

export interface Watched {
  readonly longestMs: number
  readonly probe: Durations
}

export interface HostileBench extends AsyncDisposable {
  readonly port: number
  readonly cookie: string
  /** Processor time of a fixed piece of work in that process. */
  readonly referenceMs: number
  ask(ask: Ask): Promise<Reply>
  open(from?: string): Promise<TLSSocket>
  /** Runs a load with the probe beside it. */
  watch(load: () => Promise<unknown>): Promise<Watched>
}

/** Longest text of a reply that is looked into. */
const keptText = 1024 * 1024

export async function startHostileBench(ruleCount: number, lineCount: number): Promise<HostileBench> {
  const child = fork(join(import.meta.dirname, 'watched-gateway.ts'), [String(ruleCount), String(lineCount)])
  const exited = once(child, 'exit')
  const started = await Promise.race([once(child, 'message'), exited])
  const { port, cookie, probeCookie, referenceMs } = started[0] as {
    readonly port: number
    readonly cookie: string
    readonly probeCookie: string
    readonly referenceMs: number
  }
  if (port === undefined) throw new Error('the watched gateway did not start')
  const agents = new Map<string, Agent>()
  const agentOf = (from: string): Agent => {
    const known = agents.get(from)
    if (known) return known
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, localAddress: from })
    agents.set(from, agent)
    return agent
  }

  const ask = ({ method = 'GET', path, body, cookie: own = cookie, from = '127.0.0.1' }: Ask): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...(own === null ? {} : { cookie: own }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      }
      const outgoing = request({ host: '127.0.0.1', port, method, path, agent: agentOf(from), headers }, (answer) => {
        let text = ''
        let bytes = 0
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes <= keptText) text += chunk.toString('latin1')
        })
        answer.on('error', reject)
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes, text }))
      })
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') {
          resolve(ask({ method, path, cookie: own, from, ...(body === undefined ? {} : { body }) }))
        } else reject(error)
      })
      outgoing.end(body)
    })

  const open = (from = '127.0.0.1'): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const socket = connect(
        { host: '127.0.0.1', port, localAddress: from, rejectUnauthorized: false } as object,
        () => {
          socket.off('error', reject)
          socket.on('error', () => {})
          resolve(socket)
        },
      )
      socket.on('error', reject)
    })

  async function take(): Promise<number> {
    child.send('take')
    const [answer] = (await Promise.race([once(child, 'message'), exited])) as [{ longestMs: number } | number | null]
    // Otherwise a gateway that has ended would be waited for until the limit of the whole test.
    if (typeof answer !== 'object' || answer === null) throw new Error('the watched gateway has ended')
    return answer.longestMs
  }

  async function watch(load: () => Promise<unknown>): Promise<Watched> {
    await take()
    const probe = new Durations()
    let isOver = false
    const running = load().finally(() => {
      isOver = true
    })
    // At least once beside it, and once after it.
    do {
      await probe.measure(() => ask({ path: '/web/whoami', from: '127.0.9.9', cookie: probeCookie }))
    } while (!isOver)
    await running
    return { longestMs: await take(), probe }
  }

  return {
    port,
    cookie,
    referenceMs,
    ask,
    open,
    watch,
    [Symbol.asyncDispose]: async () => {
      for (const agent of agents.values()) agent.destroy()
      child.send('close')
      await exited
    },
  }
}
