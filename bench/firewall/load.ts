// All rules at once: loaded by nft as the gateway compiles them and as one linear chain, compiled from nothing, and
// switched on by a call.

import type { BenchOptions } from '../options.ts'
import { against, grouped, median, milliseconds, plain, type Row, within } from '../table.ts'
import { compile } from './compiled.ts'
import { startWith } from './gateway.ts'
import { benchRaw } from './raw.ts'
import { drawPolicy } from './rules.ts'

const rules = 10_000

export async function benchLoad({ isQuick }: BenchOptions): Promise<Row[]> {
  const policy = drawPolicy(rules)
  const compiled = compile(policy)
  const raw = await benchRaw(policy, compiled.text, isQuick ? 2 : 7)
  const switched = await switchOn(isQuick ? 1 : 3)
  const what = `all ${grouped(rules)} rules`
  return [
    within(`${what} loaded`, raw.compiled, raw.linear, 'nft -f, one linear chain', 1.5),
    plain(`${what} compiled from nothing`, milliseconds(compiled.milliseconds)),
    against(`${what} switched on by a call`, switched, raw.linear, 'nft -f, one linear chain'),
    plain('nft insert in the middle of the linear chain', milliseconds(raw.inserted)),
  ]
}

/** All user rules off and on again: milliseconds of the way back. */
async function switchOn(samples: number): Promise<number> {
  await using gateway = await startWith(rules)
  const times: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    await gateway.call('PATCH', '/firewall/state', { enabled: false })
    times.push(await gateway.time('PATCH', '/firewall/state', { enabled: true }))
  }
  return median(times)
}
