// Lists of addresses that rules use: one more entry of a list of 100,000 beside one more of a list of 100, and a change of
// a rule while such a list is in use beside one without.

import { printAddress, printSpan } from '../../server/src/shared/net/ipv4.ts'
import type { BenchOptions } from '../options.ts'
import { against, aimed, grouped, median, milliseconds, plain, type Row, within } from '../table.ts'
import { addAndDelete } from './changes.ts'
import { type BenchGateway, startWith } from './gateway.ts'
import { benchRawSet, type RawSetTimes } from './raw.ts'

const rules = 10_000
const least = 100
const most = 100_000
const mostTimesLeast = 3
const mostTimesBeside = 1.5
const path = '/aliases/ip_address_lists'

/** Neither neighbours nor duplicates, so that nothing can be merged. */
const entries = {
  hosts: (at: number): string => printAddress(0x1700_0000 + 3 * at),
  networks: (at: number): string => printSpan(0x2000_0000 + 16 * at, 0x2000_0000 + 16 * at + 7),
} as const
type Entry = keyof typeof entries

const valuesOf = (entry: Entry, length: number): string[] => Array.from({ length }, (_, at) => entries[entry](at))

export async function benchLists({ isQuick }: BenchOptions): Promise<Row[]> {
  await using gateway = await startWith(rules)
  const rounds = isQuick ? 2 : 7
  const raw = await benchRawSet(valuesOf('hosts', most), isQuick ? 1 : 3)
  return [
    ...(await measureEntries(gateway, 'hosts', rounds, raw)),
    ...(await measureEntries(gateway, 'networks', rounds, raw)),
    ...(await measureBeside(gateway, isQuick ? 8 : 40)),
  ]
}

/** A list in use by a rule. */
class UsedList {
  readonly #gateway: BenchGateway
  readonly #values: readonly string[]
  readonly #spare: string
  readonly #id: string
  readonly #rule: number
  readonly createdMs: number
  readonly usedMs: number

  constructor(
    gateway: BenchGateway,
    values: readonly string[],
    made: { readonly id: string; readonly rule: number; readonly createdMs: number; readonly usedMs: number },
  ) {
    this.#gateway = gateway
    this.#values = values.slice(0, -1)
    this.#spare = values.at(-1) ?? ''
    this.#id = made.id
    this.#rule = made.rule
    this.createdMs = made.createdMs
    this.usedMs = made.usedMs
  }

  /** Milliseconds for one entry more and one less by the call that names only this entry. */
  async changeEntry(): Promise<{ readonly added: number; readonly removed: number }> {
    const where = `${path}/${this.#id}/values`
    const added = await this.#gateway.time('PATCH', where, { add: [this.#spare], remove: [] })
    return { added, removed: await this.#gateway.time('PATCH', where, { add: [], remove: [this.#spare] }) }
  }

  /** Milliseconds for one entry more by a call that carries the whole list; the way back is not measured. */
  async changeWhole(): Promise<number> {
    const where = `${path}/${this.#id}`
    const added = await this.#gateway.time('PATCH', where, { values: [...this.#values, this.#spare] })
    await this.#gateway.call('PATCH', where, { values: this.#values })
    return added
  }

  /** Once and untimed: what was answered is in the kernel. */
  async proveEffect(): Promise<void> {
    await this.#gateway.call('PATCH', `${path}/${this.#id}`, { values: [...this.#values, this.#spare] })
    await this.#gateway.expectInKernel(this.#spare, true)
    await this.#gateway.call('PATCH', `${path}/${this.#id}`, { values: this.#values })
    await this.#gateway.expectInKernel(this.#spare, false)
  }

  async remove(): Promise<void> {
    await this.#gateway.deleteRule(this.#rule)
    await this.#gateway.call('DELETE', `${path}/${this.#id}`)
  }
}

/** With all values but the last, which is for the changes. */
async function useList(gateway: BenchGateway, title: string, values: readonly string[]): Promise<UsedList> {
  const begun = performance.now()
  const { id } = await gateway.call('POST', path, { title, values: values.slice(0, -1) })
  const createdMs = performance.now() - begun
  const [rule, usedMs] = await gateway.addRule({ source_addresses: [id] })
  return new UsedList(gateway, values, { id: String(id), rule, createdMs, usedMs })
}

async function measureEntries(gateway: BenchGateway, entry: Entry, rounds: number, raw: RawSetTimes): Promise<Row[]> {
  const small = await useList(gateway, `Small ${entry}`, valuesOf(entry, least))
  // Others than in the small list, because a duplicate would be in both sets.
  const large = await useList(gateway, `Large ${entry}`, valuesOf(entry, most + least).slice(least))
  await large.proveEffect()
  const titled = (what: string): string => `list of ${grouped(most)} ${entry}: ${what}`
  const rows = [
    plain(titled('created'), milliseconds(large.createdMs)),
    against(titled('used in a rule'), large.usedMs, raw.loaded, 'nft -f of the set'),
    ...(await compareEntries(titled, entry, small, large, rounds)),
    ...(await compareWhole(titled, small, large, rounds, raw)),
  ]
  for (const list of [large, small]) await list.remove()
  return rows
}

async function compareEntries(
  titled: (what: string) => string,
  entry: Entry,
  small: UsedList,
  large: UsedList,
  rounds: number,
): Promise<Row[]> {
  const samples = { small: [] as number[], large: [] as number[], less: [] as number[], smallLess: [] as number[] }
  try {
    for (let round = -1; round < 5 * rounds; round++) {
      const [ofSmall, ofLarge] = [await small.changeEntry(), await large.changeEntry()]
      if (round < 0) continue
      samples.small.push(ofSmall.added)
      samples.large.push(ofLarge.added)
      samples.smallLess.push(ofSmall.removed)
      samples.less.push(ofLarge.removed)
    }
  } catch (fault) {
    const row = plain(titled('one more, that entry alone'), (fault as Error).message.split(':')[0] ?? '')
    return [entry === 'hosts' ? aimed(row, `at most ${mostTimesLeast} x`, false) : row]
  }
  const compare = entry === 'hosts' ? within : against
  const row = (what: string, ours: readonly number[], other: readonly number[]): Row =>
    compare(titled(what), median(ours), median(other), `at ${least}`, mostTimesLeast)
  return [
    row('one more, that entry alone', samples.large, samples.small),
    row('one less, that entry alone', samples.less, samples.smallLess),
  ]
}

async function compareWhole(
  titled: (what: string) => string,
  small: UsedList,
  large: UsedList,
  rounds: number,
  raw: RawSetTimes,
): Promise<Row[]> {
  const samples = { small: [] as number[], large: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    samples.small.push(await small.changeWhole())
    samples.large.push(await large.changeWhole())
  }
  const what = titled('one more, all entries sent')
  return [
    against(what, median(samples.large), median(samples.small), `at ${least}`),
    against(what, median(samples.large), raw.extended, 'nft add element'),
  ]
}

/** Two gateways that differ in nothing but the list. */
async function measureBeside(gateway: BenchGateway, rounds: number): Promise<Row[]> {
  await using without = await startWith(rules)
  const list = await useList(gateway, 'Beside', valuesOf('hosts', most))
  const samples = { beside: [] as number[], without: [] as number[] }
  for (let round = -2; round < rounds; round++) {
    const [beside, bare] = [await addAndDelete(gateway), await addAndDelete(without)]
    if (round < 0) continue
    samples.beside.push(...beside)
    samples.without.push(...bare)
  }
  await list.remove()
  const what = `one rule added or deleted beside a list of ${grouped(most)} hosts in use`
  return [within(what, median(samples.beside), median(samples.without), 'without the list', mostTimesBeside)]
}
