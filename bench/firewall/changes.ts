// One change at 100 rules and at 10,000, and `nft add rule` at the end of chains of the same lengths. All gateways run at
// the same time and take turns, so that whatever the machine does in the meantime hits all of them.

import type { BenchOptions } from '../options.ts'
import { against, grouped, median, type Row, within } from '../table.ts'
import { type BenchGateway, kinds, startWith } from './gateway.ts'
import { openRoom } from './room.ts'
import { drawPolicy, linearTable, printLinear } from './rules.ts'
import { Timer } from './timer.ts'

const least = 100
const most = 10_000
const mostTimesLeast = 2
const mostTimesRaw = 4

export async function benchChanges({ isQuick }: BenchOptions): Promise<Row[]> {
  await using small = await startWith(least)
  await using large = await startWith(most)
  using rawSmall = await openLinear(least)
  using rawLarge = await openLinear(most)
  const sides = { [least]: { gateway: small, raw: rawSmall }, [most]: { gateway: large, raw: rawLarge } }
  const samples = new Map<string, number[]>()
  const note = (size: number, kind: string, time: number): void => {
    const key = `${kind} ${size}`
    samples.set(key, [...(samples.get(key) ?? []), time])
  }
  for (const { gateway } of Object.values(sides)) await gateway.proveEffect()
  const rounds = isQuick ? 8 : 40
  for (let round = -2; round < rounds; round++)
    for (const [size, { gateway, raw }] of Object.entries(sides)) {
      const times = await gateway.changeRules()
      const appended = await raw.append()
      if (round < 0) continue
      for (const kind of kinds) note(Number(size), kind, times[kind])
      note(Number(size), 'raw', appended)
    }
  const timeOf = (kind: string, size: number): number => median(samples.get(`${kind} ${size}`) ?? [])
  return [
    ...kinds.map((kind) => rowFor(kind, timeOf(kind, most), timeOf(kind, least))),
    ...kinds.map((kind) =>
      within(what(kind, most), timeOf(kind, most), timeOf('raw', most), 'nft add rule at the end', mostTimesRaw),
    ),
    against(what('added', least), timeOf('added', least), timeOf('raw', least), 'nft add rule at the end'),
  ]
}

const what = (kind: string, size: number): string => `one rule ${kind} at ${grouped(size)}`

const rowFor = (kind: string, ours: number, atLeast: number): Row =>
  within(what(kind, most), ours, atLeast, `at ${least}`, mostTimesLeast)

/** One linear chain in a room, and a rule more at its end. */
async function openLinear(size: number): Promise<Disposable & { append(): Promise<number> }> {
  const room = await openRoom()
  room.run(['nft', '-f', '-'], { input: printLinear(drawPolicy(size)) })
  const timer = new Timer(room)
  const rule = ['ip', 'daddr', '198.18.0.1', 'tcp', 'dport', '443', 'counter', 'accept']
  return {
    append: () => timer.time(['nft', 'add', 'rule', ...linearTable.split(' '), 'forward', ...rule]),
    [Symbol.dispose]: () => {
      timer[Symbol.dispose]()
      room[Symbol.dispose]()
    },
  }
}

/** A rule added and deleted again: milliseconds of each. */
export async function addAndDelete(gateway: BenchGateway): Promise<readonly [added: number, deleted: number]> {
  const [id, added] = await gateway.addRule()
  return [added, await gateway.deleteRule(id)]
}
