// `npm run bench firewall`: the same rules in the gateway, in nft by hand and in other firewalls of Debian, all in one
// run. Only ratios mean anything; the aims are those the firewall was built to.

import { printAddress } from '../../server/src/net/ipv4.ts'
import type { BenchOptions } from '../options.ts'
import type { Row } from '../table.ts'
import { compile } from './compiled.ts'
import { type ChangeTimes, type Memory, startWith } from './gateway.ts'
import { benchPeers, type PeerTime } from './peers/bench.ts'
import { installPeers } from './peers/install.ts'
import { benchRaw, benchRawSet, type RawTimes } from './raw.ts'
import { drawPolicy, printLinear } from './rules.ts'
import { benchTraffic, type Rates } from './traffic.ts'

const sizes = [100, 1_000, 10_000] as const
const mostRules = 10_000
const listLength = 100_000
const kinds = ['added', 'moved', 'changed', 'deleted'] as const

export async function benchFirewall({ isQuick, installsPeers }: BenchOptions): Promise<Row[]> {
  if (process.geteuid?.() !== 0)
    throw new Error('The firewall bench makes network namespaces, for which it needs root.')
  if (installsPeers) installPeers()
  const policy = drawPolicy(mostRules)
  const compiled = compile(policy)
  say(`nft by hand with ${grouped(mostRules)} rules`)
  const raw = await benchRaw(policy, compiled.text, isQuick ? 3 : 7)
  say('traffic')
  const rulesets = { none: compile(drawPolicy(0)).text, ours: compiled.text, linear: printLinear(policy) }
  const traffic = await benchTraffic(rulesets, isQuick ? 3 : 9)
  const gateway = await benchGateway(isQuick)
  say('other firewalls')
  const peers = await benchPeers(isQuick ? 1 : 3, isQuick ? 1_000 : mostRules)
  return [
    ...sizeRows(gateway.times),
    ...rawRows(gateway.times, raw),
    ...peerRows(gateway.times.get(mostRules), peers),
    ...loadRows(gateway.loadAll, raw, compiled.milliseconds),
    ...gateway.listRows,
    ...trafficRows('new connections a second, last rule decides', traffic.last, 0.6),
    ...trafficRows('new connections a second, middle rule decides', traffic.middle, null),
    ...trafficRows('packets a second of one connection', traffic.packets, null),
    ...trafficRows('TCP connections a second between programs', traffic.tcp, null),
    ...memoryRows(gateway.memory),
  ]
}

interface GatewayResults {
  readonly times: ReadonlyMap<number, ChangeTimes>
  readonly memory: ReadonlyMap<number, Memory>
  readonly loadAll: number
  readonly listRows: readonly Row[]
}

/** One size after the other: two gateways at once would be in each other's way. */
async function benchGateway(isQuick: boolean): Promise<GatewayResults> {
  const times = new Map<number, ChangeTimes>()
  const memory = new Map<number, Memory>()
  let loadAll = Number.NaN
  let listRows: readonly Row[] = []
  for (const size of [0, ...sizes]) {
    say(`the gateway with ${grouped(size)} rules`)
    const gateway = await startWith(size)
    try {
      memory.set(size, gateway.memory())
      if (size === 0) continue
      times.set(size, await gateway.changeRules(isQuick ? 5 : 25))
      if (size < mostRules) continue
      memory.set(size, gateway.memory())
      loadAll = await gateway.loadAll(isQuick ? 1 : 3)
      const values = Array.from({ length: listLength }, (_, at) => printAddress(0x1700_0000 + 3 * at))
      const samples = isQuick ? 1 : 3
      const [ours, raw] = [await gateway.useList(values, samples), await benchRawSet(values, samples)]
      listRows = [
        plain(`list of ${grouped(listLength)} addresses: created`, milliseconds(ours.created)),
        against(`list of ${grouped(listLength)} addresses: used in a rule`, ours.used, raw.loaded, 'nft -f of the set'),
        against(`list of ${grouped(listLength)} addresses: one more`, ours.extended, raw.extended, 'nft add element'),
      ]
    } finally {
      await gateway.stop()
    }
  }
  return { times, memory, loadAll, listRows }
}

function sizeRows(times: GatewayResults['times']): Row[] {
  const smallest = sizes[0]
  return kinds.flatMap((kind) =>
    sizes.map((size): Row => {
      const ours = times.get(size)?.[kind] ?? Number.NaN
      const least = times.get(smallest)?.[kind] ?? Number.NaN
      const what = `one rule ${kind} at ${grouped(size)}`
      if (size === smallest) return plain(what, milliseconds(ours))
      const row = against(what, ours, least, `at ${smallest}`)
      return size === mostRules ? aimed(row, 'at most 3 x its time at 100', ours / least <= 3) : row
    }),
  )
}

function rawRows(times: GatewayResults['times'], raw: RawTimes): Row[] {
  const ours = times.get(mostRules)?.added ?? Number.NaN
  const what = `one rule added at ${grouped(mostRules)}`
  return [
    against(what, ours, raw.linear, 'nft -f, one linear chain'),
    against(what, ours, raw.compiled, 'nft -f, our own script'),
    against(what, ours, raw.inserted, 'nft insert in the middle'),
    against(what, ours, raw.appended, 'nft add at the end'),
  ]
}

function peerRows(times: ChangeTimes | undefined, peers: readonly PeerTime[]): Row[] {
  const ours = times?.added ?? Number.NaN
  const what = `one rule added at ${grouped(mostRules)}`
  return peers.map(({ peer, rules, time }): Row => {
    const row = plain(what, milliseconds(ours))
    if (typeof time === 'string') return { ...row, raw: `${peer.name}: ${time}` }
    const ratio = time / ours
    const compared = { ...row, raw: `${milliseconds(time)} ${peer.name} at ${grouped(rules)}`, ratio }
    return peer.name === 'firewalld' && rules === peer.rules
      ? aimed(compared, 'at least 20 x faster', ratio >= 20)
      : { ...compared, aim: 'how many times faster' }
  })
}

function loadRows(loadAll: number, raw: RawTimes, compiling: number): Row[] {
  const what = `all ${grouped(mostRules)} rules`
  return [
    aimed(
      against(`${what} loaded`, raw.compiled, raw.linear, 'nft -f, one linear chain'),
      'at most 1.5 x raw nft -f',
      raw.compiled / raw.linear <= 1.5,
    ),
    plain(`${what} compiled from nothing`, milliseconds(compiling)),
    against(`${what} switched on by a call`, loadAll, raw.linear, 'nft -f, one linear chain'),
  ]
}

function trafficRows(what: string, { none, ours, linear }: Rates, least: number | null): Row[] {
  const row = (other: number, name: string): Row => ({
    ...plain(what, rate(ours)),
    raw: `${rate(other)} ${name}`,
    ratio: ours / other,
  })
  const first = row(none, 'without rules')
  const percent = `at least ${(least ?? 0) * 100} % of none`
  return [
    least === null ? first : aimed(first, percent, ours / none >= least),
    row(linear, `linear chain (${((100 * linear) / none).toFixed(1)} % of none)`),
  ]
}

function memoryRows(memory: GatewayResults['memory']): Row[] {
  return [0, mostRules].map((size) => {
    const { gatewayd, applyd } = memory.get(size) ?? { gatewayd: Number.NaN, applyd: Number.NaN }
    const parts = `${gatewayd.toFixed(0)} + ${applyd.toFixed(0)}`
    return plain(
      `memory of gatewayd and applyd, ${grouped(size)} rules`,
      `${(gatewayd + applyd).toFixed(0)} MB (${parts})`,
    )
  })
}

const plain = (what: string, ours: string): Row => ({ what, ours, raw: '', ratio: null, aim: '', isMet: null })

const against = (what: string, ours: number, other: number, name: string): Row => ({
  ...plain(what, milliseconds(ours)),
  raw: `${milliseconds(other)} ${name}`,
  ratio: ours / other,
})

const aimed = (row: Row, aim: string, isMet: boolean): Row => ({ ...row, aim, isMet })

const milliseconds = (time: number): string => `${time.toFixed(time < 100 ? 1 : 0)} ms`
const grouped = (count: number): string => count.toLocaleString('en')
const rate = (count: number): string => grouped(Math.round(count))
const say = (what: string): void => console.error(`  ${what} ...`)
