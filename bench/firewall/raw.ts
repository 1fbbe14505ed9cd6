// nft by hand, in its own room: loading all rules as one linear chain and as the gateway compiles them, one more rule
// in the linear chain, and a large set. Rounds are interleaved.

import { median } from '../table.ts'
import { openRoom } from './room.ts'
import { type BenchPolicy, linearTable, printLinear } from './rules.ts'

export interface RawTimes {
  /** The whole set as one linear chain. */
  readonly linear: number
  /** The whole set as the gateway compiles it. */
  readonly compiled: number
  /** One rule in the middle of it, which nft has to look for. */
  readonly inserted: number
}

const newRule = ['ip', 'daddr', '198.18.0.1', 'tcp', 'dport', '443', 'counter', 'accept']
const linearChain = [...linearTable.split(' '), 'forward']

export async function benchRaw(policy: BenchPolicy, compiled: string, samples: number): Promise<RawTimes> {
  using room = await openRoom()
  const linear = printLinear(policy)
  const middle = `${policy.rules.length >> 1}`
  const load = (input: string): number => room.time(['nft', '-f', '-'], { input })
  const times = { linear: [] as number[], compiled: [] as number[], inserted: [] as number[] }
  for (let sample = 0; sample < samples; sample++) {
    times.linear.push(load(linear))
    times.inserted.push(room.time(['nft', 'insert', 'rule', ...linearChain, 'index', middle, ...newRule]))
    room.run(['nft', 'flush', 'ruleset'])
    times.compiled.push(load(compiled))
    room.run(['nft', 'flush', 'ruleset'])
  }
  return {
    linear: median(times.linear),
    compiled: median(times.compiled),
    inserted: median(times.inserted),
  }
}

export interface RawSetTimes {
  readonly loaded: number
  readonly extended: number
}

/** A set of all addresses but the last and a rule that uses it, beside nothing else; then the last one. */
export async function benchRawSet(values: readonly string[], samples: number): Promise<RawSetTimes> {
  using room = await openRoom()
  const input = [
    `table ${linearTable} {`,
    `set large { type ipv4_addr; flags interval; elements = { ${values.slice(0, -1).join(', ')} } }`,
    'chain forward { type filter hook forward priority filter; ip saddr @large counter accept; }',
    '}\n',
  ].join('\n')
  const times = { loaded: [] as number[], extended: [] as number[] }
  for (let sample = 0; sample < samples; sample++) {
    times.loaded.push(room.time(['nft', '-f', '-'], { input }))
    times.extended.push(
      room.time(['nft', 'add', 'element', ...linearTable.split(' '), 'large', `{ ${values.at(-1)} }`]),
    )
    room.run(['nft', 'flush', 'ruleset'])
  }
  return { loaded: median(times.loaded), extended: median(times.extended) }
}
