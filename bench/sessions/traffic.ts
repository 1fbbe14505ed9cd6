// What authorization costs the traffic of hosts that have a session: forwarding with the stage against the same without it.

import { randomUUID } from 'node:crypto'
import { authorizationRules, settings } from '../../server/src/areas/authorization/config.ts'
import { settings as firewallSettings } from '../../server/src/areas/firewall/config.ts'
import { policyOf } from '../../server/src/areas/firewall/resolve.ts'
import { connections } from '../../server/src/areas/network/config.ts'
import { rootGroupId, userId, users } from '../../server/src/areas/users/config.ts'
import { updateSingle } from '../../server/src/core/model/list-edits.ts'
import { type Config, write } from '../../server/src/core/model/slots.ts'
import { printTable } from '../../server/src/core/plan/nft-piece.ts'
import { compilePolicy } from '../../server/src/domain/policy/compile.ts'
import { facts, lan, wan } from '../../server/test/support/network-samples.ts'
import { flows } from '../firewall/rules.ts'
import { openPath, type Path } from '../firewall/traffic.ts'
import { aimed, grouped, median, plain, type Row } from '../table.ts'
import { addressOf, hostCount } from './state.ts'

const packetCount = 20_000
/** Of the traffic without the stage. */
const least = 0.8

const user = {
  id: userId(1),
  name: 'User',
  login: 'user',
  parent_id: rootGroupId,
  enabled: false,
  phone_number: null,
  domain_type: 'local' as const,
  domain_name: '',
  ldap_guid: '',
  comment: '',
  password_hash: null,
}

/** Every source of the measurement is a host of a rule, beside many that send nothing. */
function rulesetWith(isEnforced: boolean): string {
  const near = Array.from({ length: 253 }, (_, at) => `10.10.0.${2 + at}`)
  const others = Array.from({ length: hostCount }, (_, host) => addressOf(host))
  const rules = [...near, ...others].map((ip) => ({
    id: randomUUID(),
    enabled: true,
    ip,
    mac: null,
    user_id: 1,
    always_logged: false,
    comment: '',
  }))
  const empty: Config = write(write({}, connections, [lan, wan]), users, [user])
  const base = updateSingle(empty, firewallSettings, { automatic_snat_enabled: false })
  const enforced = { allow_internet_to_everyone: false, web_authorization: false }
  const config = isEnforced ? updateSingle(write(base, authorizationRules, rules), settings, enforced) : base
  return compilePolicy(policyOf(config, facts))
    .map(({ name, pieces }) => printTable(name, pieces))
    .join('')
}

export async function benchAuthorizedTraffic(rounds: number): Promise<Row[]> {
  using without = await openPath(rulesetWith(false))
  using ours = await openPath(rulesetWith(true))
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
