// A list of 10,000 rules read by a client that accepts compressed replies and by one that does not, and the first read
// after a change beside the later ones.

import { Agent, request } from 'node:https'
import type { BenchOptions } from '../options.ts'
import { against, grouped, median, milliseconds, plain, type Row, within } from '../table.ts'
import { type BenchGateway, rulesPath, startWith } from './gateway.ts'

const rules = 10_000
const mostTimesLater = 1.5
const laterReads = 3

interface Read {
  readonly time: number
  /** On the wire, without the headers. */
  readonly bytes: number
  readonly encoding: string
}

export async function benchReads({ isQuick }: BenchOptions): Promise<Row[]> {
  await using gateway = await startWith(rules)
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  const rounds = isQuick ? 4 : 20
  const sides = { identity: new Samples(), gzip: new Samples() }
  try {
    for (let round = -2; round < rounds; round++)
      for (const [encoding, samples] of Object.entries(sides)) {
        await gateway.call('PATCH', `${rulesPath}/${2 + round + 2}`, { comment: `Round ${round} ${encoding}` })
        const first = await readList(gateway, agent, encoding)
        const later: Read[] = []
        for (let count = 0; count < laterReads; count++) later.push(await readList(gateway, agent, encoding))
        if (round >= 0) samples.add(first, later)
      }
  } finally {
    agent.destroy()
  }
  const title = `list of ${grouped(rules)} rules`
  const { identity, gzip } = sides
  const size = `${(gzip.last.bytes / 1000).toFixed(0)} kB (${gzip.last.encoding})`
  return [
    within(`${title}: first read after a change`, identity.first, identity.later, 'later reads', mostTimesLater),
    within(`${title}, compressed: first read after a change`, gzip.first, gzip.later, 'later reads', mostTimesLater),
    against(`${title}, compressed: time`, gzip.later, identity.later, 'not compressed'),
    {
      ...plain(`${title}, compressed: size`, size),
      raw: `${(identity.last.bytes / 1000).toFixed(0)} kB not compressed, ${milliseconds(identity.later)}`,
      ratio: gzip.last.bytes / identity.last.bytes,
    },
  ]
}

class Samples {
  readonly #first: number[] = []
  readonly #later: number[] = []
  last: Read = { time: Number.NaN, bytes: Number.NaN, encoding: '' }

  get first(): number {
    return median(this.#first)
  }

  get later(): number {
    return median(this.#later)
  }

  add(first: Read, later: readonly Read[]): void {
    this.#first.push(first.time)
    this.#later.push(...later.map(({ time }) => time))
    this.last = first
  }
}

function readList(gateway: BenchGateway, agent: Agent, encoding: string): Promise<Read> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { cookie: gateway.cookie, 'accept-encoding': encoding }
    const outgoing = request(new URL(rulesPath, gateway.lab.address), { agent, headers }, (incoming) => {
      let bytes = 0
      incoming.on('data', (part: Buffer) => {
        bytes += part.length
      })
      incoming.on('error', reject)
      incoming.on('end', () => {
        const used = String(incoming.headers['content-encoding'] ?? 'not compressed')
        if (incoming.statusCode === 200) resolve({ time: performance.now() - begun, bytes, encoding: used })
        else reject(new Error(`GET ${rulesPath} answered ${incoming.statusCode}`))
      })
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}
