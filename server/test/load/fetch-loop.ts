// Run in the lab's client: fetches from the internet through the gateway again and again, on new connections and on one
// that is kept, until a file appears. Prints what came back and what did not, as JSON.

import { existsSync, writeSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export interface FetchReport {
  readonly answers: number
  readonly lost: readonly string[]
  readonly slowestMs: number
  /** Addresses the server saw. */
  readonly seen: readonly string[]
  /** Source ports of the kept connection: more than one when it broke. */
  readonly keptPorts: readonly number[]
}

const [url = '', stopFile = ''] = process.argv.slice(2)
/** Far above what a busy machine needs: an answer is late or lost, and only the latter is a fault. */
const lostAfterMs = 60_000
const lost: string[] = []
const seen = new Set<string>()
const keptPorts = new Set<number>()
let answers = 0
let slowestMs = 0

const fetchOnce = (agent: Agent): Promise<{ client: string; port: number }> =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent, timeout: lostAfterMs }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('error', reject)
      response.on('end', () => resolve(JSON.parse(text)))
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${lostAfterMs} ms`)))
    request.on('error', reject)
  })

async function fetchUntilStopped(agent: Agent, note: (port: number) => void): Promise<void> {
  while (!existsSync(stopFile)) {
    const begun = performance.now()
    try {
      const { client, port } = await fetchOnce(agent)
      answers++
      seen.add(client)
      note(port)
    } catch (error) {
      lost.push((error as Error).message)
    }
    slowestMs = Math.max(slowestMs, performance.now() - begun)
    await pause(10)
  }
}

await Promise.all([
  fetchUntilStopped(new Agent({ keepAlive: false }), () => {}),
  fetchUntilStopped(new Agent({ keepAlive: true, maxSockets: 1 }), (port) => keptPorts.add(port)),
])
const report: FetchReport = { answers, lost, slowestMs, seen: [...seen], keptPorts: [...keptPorts] }
writeSync(1, JSON.stringify(report))
