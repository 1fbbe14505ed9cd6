// The evaluator and the kernel agree about users: rules that name users and groups are drawn, packets are sent from hosts that
// are known by a card, an address or a sign-in, or not at all, and each must fare as POST /firewall/explain said.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { client } from '../support/firewall-lab.ts'
import type { LabHost } from '../support/lab-hosts.ts'
import {
  type Case,
  gatewayProbe,
  listDifferences,
  outsideProbe,
  predictionOf,
  readSighting,
  type SentPacket,
  senderPath,
} from '../support/packet-probe.ts'
import { makeRandom, pick, type Random } from '../support/random-policy.ts'
import { patienceMs } from '../support/until.ts'
import { macOf, UserLab } from '../support/user-lab.ts'

const rounds = 6
const packetsPerRound = 60
const rulesPerRound = 10
const tables = ['forward', 'input', 'dnat', 'snat', 'log'] as const
const addressOf = { lan0: '10.10.0.1', lan1: '10.20.0.1', wan0: '203.0.113.2' }
/** A reset that refuses a packet meets the SNAT rules too; those are seen by the sources of what arrives. */
const isCounted = (origin: string): boolean => !origin.startsWith('firewall.snat[')
const internet = ['198.51.100.20', '198.51.100.21']
const ports = [80, 8001, 8002]
const inside = (last: number): string => `10.10.0.${last}`
/** Beside the client: known by their cards (41, 42), signed in (43, 44), one too many (45), by address (46), unknown (47). */
const besides = [41, 42, 43, 44, 45, 46, 47]

interface Place {
  readonly device: keyof typeof addressOf
  readonly address: string
  readonly destinations: readonly string[]
  exec(argv: readonly string[], input: string): Promise<string>
}

describe('explanations and packets of users', () => {
  let lab: UserLab
  let places: readonly Place[]
  let names: readonly string[]
  let portIds: readonly string[]
  /** Users with one session, by its address. */
  const users = new Map<string, string>()

  before(async () => {
    lab = await UserLab.start()
    const { api } = lab
    await api.ok('PATCH', '/user_cabinet_backend/settings', { enabled: true })
    const segment = await lab.hosts.segment('lan1', { address: '10.20.0.1/24', mac: '02:00:00:14:00:01' })
    const far = await segment.host({ address: '10.20.0.7/24', mac: '02:00:00:14:00:07' })
    const hosts: LabHost[] = []
    for (const last of besides) hosts.push(await lab.beside(last))
    places = [...hosts.map((host) => placeOf(host, 'lan0')), placeOf(far, 'lan1'), clientPlace(), internetPlace()]
    names = await makeUsers(hosts, far)
    portIds = [await lab.firewall.port(80), await lab.firewall.port(8001)]
    for (const { exec } of places) await exec(['/usr/sbin/nft', '-f', '-'], outsideProbe)
    await run('gateway', ['/usr/sbin/nft', '-f', '-'], gatewayProbe)
    await api.ok('PATCH', '/firewall/settings', { log_mode: 'all' })
  })
  after(() => lab.stop())

  const run = async (namespace: string, argv: readonly string[], input = ''): Promise<string> => {
    const { code, stdout, stderr } = await lab.gateway.exec(namespace, argv, { input })
    assert.equal(code, 0, `${argv.join(' ')}: ${stderr}`)
    return stdout
  }
  const beyond = [...internet, '10.20.0.7', '10.10.0.1', '203.0.113.2']
  const placeOf = (host: LabHost, device: Place['device']): Place => ({
    device,
    address: host.address,
    destinations: device === 'lan0' ? beyond : [...internet, client, ...[41, 43, 45, 46, 47].map(inside)],
    exec: async (argv, input) => {
      const { code, stdout, stderr } = await host.exec(argv, { input })
      assert.equal(code, 0, stderr)
      return stdout
    },
  })
  const clientPlace = (): Place => ({
    device: 'lan0',
    address: client,
    destinations: beyond,
    exec: (argv, input) => run('client', argv, input),
  })
  const internetPlace = (): Place => ({
    device: 'wan0',
    address: internet[0] ?? '',
    destinations: ['203.0.113.2', inside(41), inside(43)],
    exec: (argv, input) => run('internet', argv, input),
  })

  /** Users of nested groups, and all that rules may name. */
  const makeUsers = async (hosts: readonly LabHost[], far: LabHost): Promise<string[]> => {
    const outer = await lab.addGroup('outer')
    const inner = await lab.addGroup('inner', outer)
    const apart = await lab.addGroup('apart')
    const [first, second, third, fourth, fifth, sixth] = [
      await lab.addUser({ parent_id: inner }),
      await lab.addUser({ parent_id: outer }),
      await lab.addUser({ parent_id: apart }),
      await lab.addUser(),
      await lab.addUser({ parent_id: inner }),
      await lab.addUser({ parent_id: apart }),
    ]
    await lab.addRule({ mac: macOf(41), user_id: first.id })
    await lab.addRule({ mac: macOf(42), user_id: second.id })
    await lab.addRule({ ip: inside(46), user_id: sixth.id })
    for (const host of hosts) await lab.ends(host)
    for (const last of [41, 42, 46]) await lab.sessionOf(inside(last))
    await lab.signIn(inside(43), third.login)
    await lab.signIn(inside(44), fourth.login)
    await lab.signIn(far.address, second.login)
    // With five more hosts, which are not there, the first one has to wait.
    for (const last of [45, 101, 102, 103, 104, 105]) await lab.signIn(inside(last), fifth.login)
    assert.equal((await lab.sessionOf(inside(45))).state, 'over_limit')
    const single = { 41: first, 43: third, 44: fourth, 46: sixth }
    for (const [last, { alias }] of Object.entries(single)) users.set(inside(Number(last)), alias)
    const members = [first, second, third, fourth, fifth, sixth].map(({ alias }) => alias)
    const addresses = [await lab.firewall.address(inside(42)), await lab.firewall.address(internet[0] ?? '')]
    return [...members, outer, inner, apart, 'group.id.1', ...addresses]
  }

  const drawRule = (random: Random, table: (typeof tables)[number]): object => {
    const chance = (share: number): boolean => random() < share
    const some = (share: number): string[] =>
      chance(share) ? ['any'] : [...new Set([pick(random, names), pick(random, names)])]
    const protocol = pick(random, ['any', 'protocol.tcp', 'protocol.udp'])
    const actions = {
      forward: { action: pick(random, ['accept', 'drop', 'drop']) },
      input: { action: pick(random, ['accept', 'drop']) },
      log: { action: 'mark_log' },
      snat: { action: 'snat', change_source_address: '203.0.113.40' },
      dnat: {
        action: 'dnat',
        change_destination_address: pick(random, [inside(43), '10.10.0.41-10.10.0.47', '10.20.0.7']),
        change_destination_port: null,
      },
    }
    return {
      protocol,
      source_addresses: some(0.2),
      source_addresses_negate: chance(0.3),
      destination_addresses: some(table === 'dnat' ? 0.9 : 0.5),
      destination_addresses_negate: chance(0.3),
      destination_ports: protocol === 'any' || chance(0.5) ? ['any'] : [pick(random, portIds)],
      ...actions[table],
    }
  }

  /** Connections that the kernel already knows would not be asked again, so no port comes twice. */
  let nextPort = 20_000
  const drawPacket = (random: Random): SentPacket => {
    const { device, address, destinations } = pick(random, places)
    return {
      source: address,
      destination: pick(random, destinations),
      protocol: pick(random, ['tcp', 'udp'] as const),
      source_port: nextPort++,
      destination_port: pick(random, ports),
      incoming_interface: device,
      time: 0,
    }
  }

  const predict = async (packet: SentPacket): Promise<Case> => {
    const { time: _now, source, ...fields } = packet
    const user = packet.source_port % 2 === 0 ? users.get(source) : undefined
    const asked = { ...fields, ...(user === undefined ? { source } : { user }) }
    const answer = await lab.api.ok('POST', '/firewall/explain', { packet: asked })
    assert.equal(answer.source, source)
    const { isMarked, ways } = predictionOf(answer)
    return {
      packet,
      prediction: { isMarked, ways: ways.map((way) => ({ ...way, origins: way.origins.filter(isCounted) })) },
    }
  }

  const countHits = async (): Promise<Map<string, number>> => {
    const counts = new Map<string, number>()
    for (const table of tables.filter((one) => isCounted(`firewall.${one}[`)))
      for (const { id, packets } of await lab.api.ok('GET', `/firewall/counters/${table}`))
        counts.set(`firewall.${table}[${id}]`, packets)
    return counts
  }

  const look = async (earlier: ReadonlyMap<string, number>) => {
    const probe = ['/usr/sbin/nft', '-j', 'list', 'table', 'ip', 'probe']
    const own = await run('gateway', probe)
    const others = await Promise.all(places.map(({ exec }) => exec(probe, '')))
    const counts = new Map<string, number>()
    for (const [origin, packets] of await countHits()) counts.set(origin, packets - (earlier.get(origin) ?? 0))
    return { ...readSighting(own, others), counts }
  }

  const send = async (packets: readonly SentPacket[]): Promise<void> => {
    for (const { address, exec } of places) {
      const own = packets.filter(({ source }) => source === address)
      if (own.length > 0) await exec([process.execPath, senderPath], JSON.stringify(own))
    }
  }

  it(`agree on ${rounds * packetsPerRound} packets, authorization enforced or not`, async () => {
    const random = makeRandom(7)
    const seen = new Map<string, number>()
    for (let round = 1; round <= rounds; round++) {
      await lab.firewall.clear()
      for (let count = 0; count < rulesPerRound; count++) {
        const table = pick(random, ['forward', 'forward', 'forward', 'forward', ...tables] as const)
        await lab.firewall.addRule(table, drawRule(random, table))
      }
      await lab.enforce(round % 2 === 0)
      const packets = Array.from({ length: packetsPerRound }, () => drawPacket(random))
      const cases = await Promise.all(packets.map(predict))
      const earlier = await countHits()
      await send(packets)
      // Packets may still be on their way.
      const deadline = performance.now() + patienceMs
      let found: string[]
      do found = listDifferences(cases, await look(earlier), addressOf)
      while (found.length > 0 && performance.now() < deadline)
      assert.deepEqual(found.slice(0, 10), [], `${found.length} differences in round ${round}`)
      for (const { prediction } of cases)
        for (const { isAccepted, origins } of prediction.ways) {
          const kind = `${isAccepted ? 'passes' : 'does not pass'} by ${origins.length > 0 ? 'a rule' : 'no rule'}`
          seen.set(kind, (seen.get(kind) ?? 0) + 1)
        }
    }
    // Packets that meet no rule would agree as well.
    assert.ok(seen.size === 4 && [...seen.values()].every((count) => count >= 20), JSON.stringify([...seen]))
  })
})
