// What authorization costs the traffic of hosts that have a session: forwarding with the stage against the same without it.

import { parseAddress } from '../../server/src/net/ipv4.ts'
import { toRanges } from '../../server/src/net/ranges.ts'
import { printTable } from '../../server/src/plan/nft-piece.ts'
import { compilePolicy } from '../../server/src/policy/compile.ts'
import { type AuthorizationStage, emptyPolicy } from '../../server/src/policy/model.ts'
import { flows } from '../firewall/rules.ts'
import { openPath, type Path } from '../firewall/traffic.ts'
import { aimed, grouped, median, plain, type Row } from '../table.ts'
import { hostCount } from './state.ts'

const packetCount = 20_000
/** Of the traffic without the stage. */
const least = 0.8

/** Every source of the measurement is a host of a rule, beside many that send nothing. */
function stage(): AuthorizationStage {
  const [near, far] = [parseAddress('10.10.0.2') ?? 0, parseAddress('10.64.0.16') ?? 0]
  const ends = (address: number): readonly [number, number] => [address, address]
  const hosts = Array.from({ length: 253 }, (_, at) => ends(near + at))
  // Every second address, so that they stay single ones.
  const others = Array.from({ length: hostCount }, (_, at) => ends(far + 2 * at))
  return {
    ...{ isEnforced: true, localDevices: ['lan0'], hosts: toRanges([...hosts, ...others]), networks: [] },
    ...{ pairs: [], macs: [], idleSeconds: 900, portalPort: null, notesUnknown: false },
  }
}

function rulesetWith(authorization: AuthorizationStage | null): string {
  const policy = { ...emptyPolicy, hasAutomaticSnat: false, externalDevices: ['wan0'], authorization }
  return compilePolicy(policy)
    .map(({ name, pieces }) => printTable(name, pieces))
    .join('')
}

export async function benchAuthorizedTraffic(rounds: number): Promise<Row[]> {
  using without = await openPath(rulesetWith(null))
  using ours = await openPath(rulesetWith(stage()))
  const compare = (what: string, measure: (path: Path) => number): Row => {
    const rates = { ours: [] as number[], without: [] as number[] }
    for (let round = -1; round < rounds; round++) {
      const [one, other] = [measure(ours), measure(without)]
      if (round < 0) continue
      rates.ours.push(one)
      rates.without.push(other)
    }
    const [own, plainRate] = [median(rates.ours), median(rates.without)]
    const row = {
      ...plain(what, grouped(Math.round(own))),
      raw: `${grouped(Math.round(plainRate))} without authorization`,
      ratio: own / plainRate,
    }
    return aimed(row, `at least ${least * 100} %`, own / plainRate >= least)
  }
  const beside = `beside ${grouped(hostCount)} hosts`
  return [
    compare(`new connections a second of authorized hosts, ${beside}`, (path) =>
      path.newConnections(flows.last, packetCount),
    ),
    compare(`packets a second of one connection, ${beside}`, (path) => path.packets(flows.last, packetCount)),
  ]
}
