// CPU time of the server per request: the gateway against a bare node:https server that sends the same bytes, and for
// the long list also against one that serialises it each time.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { median, type Row } from './table.ts'
import { exchange, open, requestText } from './wire.ts'

const rounds = 9
const connections = 8
const smallRequests = 4_000
const listRequests = 400

interface Target {
  readonly process: ChildProcess
  readonly port: number
  readonly cookie: string
}

export async function benchRequests(): Promise<Row[]> {
  const gateway = await startServer('gateway-server.ts')
  const bare = await startServer('bare-server.ts')
  try {
    const samples = {
      small: [] as number[],
      bareSmall: [] as number[],
      list: [] as number[],
      bareList: [] as number[],
      serialised: [] as number[],
    }
    for (let round = 0; round < rounds; round++) {
      samples.small.push(await cpuPerRequest(gateway, '/firewall/settings', smallRequests))
      samples.bareSmall.push(await cpuPerRequest(bare, '/small', smallRequests))
      samples.list.push(await cpuPerRequest(gateway, '/web/admins/local', listRequests))
      samples.bareList.push(await cpuPerRequest(bare, '/list', listRequests))
      samples.serialised.push(await cpuPerRequest(bare, '/list-serialised', listRequests))
    }
    return [
      row('CPU of a settings GET', median(samples.small), median(samples.bareSmall), 'at most 1.5 x bare node', 1.5),
      row(
        'CPU of a list of 1,000',
        median(samples.list),
        median(samples.serialised),
        'at most 0.4 x serialising each time',
        0.4,
      ),
      row('CPU of a list of 1,000, same bytes', median(samples.list), median(samples.bareList), 'near bare node', 1.5),
    ]
  } finally {
    gateway.process.kill()
    bare.process.kill()
  }
}

const row = (what: string, ours: number, raw: number, aim: string, limit: number): Row => ({
  what,
  ours: `${ours.toFixed(1)} us`,
  raw: `${raw.toFixed(1)} us`,
  ratio: ours / raw,
  aim,
  isMet: ours / raw <= limit,
})

async function startServer(name: string): Promise<Target> {
  const child = fork(join(import.meta.dirname, name), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [ready] = (await once(child, 'message')) as [{ port: number; cookie: string }]
  return { process: child, ...ready }
}

async function cpuOf(target: Target): Promise<number> {
  target.process.send('cpu')
  const [used] = (await once(target.process, 'message')) as [number]
  return used
}

/** Microseconds of CPU the server used per request, user and system together. */
async function cpuPerRequest(target: Target, path: string, count: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(target.port)))
  const request = requestText('GET', path, target.cookie)
  await Promise.all(sockets.map((socket) => repeat(socket, request, 20)))
  const before = await cpuOf(target)
  await Promise.all(sockets.map((socket) => repeat(socket, request, count / connections)))
  const after = await cpuOf(target)
  for (const socket of sockets) socket.destroy()
  return (after - before) / count
}

async function repeat(socket: TLSSocket, request: string, count: number): Promise<void> {
  for (let left = count; left > 0; left--) await exchange(socket, request)
}
