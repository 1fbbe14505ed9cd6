// One record of a zone changed beside many firewall rules: its time, and that nothing of the firewall is listed for it.

import { masterZones } from '../../server/src/areas/dns/config.ts'
import { write } from '../../server/src/core/model/slots.ts'
import { makeZones, zoneText } from '../dns/zones.ts'
import { benchFolder } from '../folder.ts'
import type { BenchOptions } from '../options.ts'
import { makeState } from '../state.ts'
import { against, aimed, grouped, median, plain, type Row } from '../table.ts'
import { type BenchGateway, fillRules, startOn } from './gateway.ts'
import { countListings } from './listings.ts'

const least = 100
const most = 10_000
const records = 10
const counted = 8

/** A gateway with rules and one zone. */
class DnsGateway implements AsyncDisposable {
  readonly #gateway: BenchGateway
  readonly #zone: string
  #serial = 0

  constructor(gateway: BenchGateway, zone: string) {
    this.#gateway = gateway
    this.#zone = zone
  }

  get applyd(): number {
    return this.#gateway.lab.pids().applyd
  }

  changeRecord(): Promise<number> {
    this.#serial++
    return this.#gateway.time('PATCH', `/dns/zones/master/${this.#zone}`, { config: zoneText(records, this.#serial) })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#gateway[Symbol.asyncDispose]()
  }
}

async function startDns(rules: number): Promise<DnsGateway> {
  const stateDir = `${benchFolder()}/state`
  const zones = makeZones(1, records)
  await makeState(stateDir, (config, tools) => write(fillRules(rules)(config, tools), masterZones, zones))
  return new DnsGateway(await startOn(stateDir, rules), zones[0]?.id ?? '')
}

export async function benchDnsBeside({ isQuick }: BenchOptions): Promise<Row[]> {
  await using small = await startDns(least)
  await using large = await startDns(most)
  const times = { small: [] as number[], large: [] as number[] }
  const rounds = isQuick ? 5 : 25
  for (let round = -2; round < rounds; round++) {
    const [one, other] = [await small.changeRecord(), await large.changeRecord()]
    if (round < 0) continue
    times.small.push(one)
    times.large.push(other)
  }
  const what = `one DNS record changed beside ${grouped(most)} rules`
  return [
    against(what, median(times.large), median(times.small), `beside ${least}`),
    await listingsRow(`${what}: requests that list the firewall`, large),
  ]
}

/** The reconcile loop looks now and then, so what most of the changes asked for decides. */
async function listingsRow(what: string, gateway: DnsGateway): Promise<Row> {
  const asked = await countListings(
    gateway.applyd,
    Array.from({ length: counted }, () => () => gateway.changeRecord()),
  )
  if (asked === null) return { ...plain(what, 'not counted: strace is missing or may not attach'), aim: 'none' }
  const listings = median(asked.map((one) => one.listings))
  const programs = median(asked.map((one) => one.programs))
  const all = asked.reduce((sum, one) => sum + one.listings, 0)
  const row = { ...plain(what, `${listings}`), raw: `${programs} nft programs; ${all} requests in ${counted} changes` }
  return aimed(row, 'none', listings === 0)
}
