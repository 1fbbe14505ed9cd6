// The evaluator and the kernel agree: rules are drawn, changed, moved and deleted through the API, packets are sent
// through the lab, and what became of each one, with the rules that counted it, must be what POST /firewall/explain said.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { labCables } from '../../src/tools/lab/network.ts'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import {
  type Case,
  gatewayProbe,
  listDifferences,
  outsideProbe,
  type Prediction,
  predictionOf,
  readSighting,
  type SentPacket,
  senderPath,
} from '../support/packet-probe.ts'
import { makeRandom, pick, type Random } from '../support/random-policy.ts'
import { patienceMs } from '../support/until.ts'

const password = 'correct horse 9'
const tables = ['forward', 'input', 'dnat', 'snat', 'log'] as const
type Table = (typeof tables)[number]

const rounds = 25
const packetsPerRound = 124
const changesPerRound = 14
const mostRules: Record<Table, number> = { forward: 40, input: 12, dnat: 8, snat: 8, log: 10 }

const addressOf = { lan0: '10.10.0.1', wan0: '203.0.113.2' }
const hosts = (base: string, first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => `${base}.${first + at}`)
/** Who sends, by the device of the gateway that it comes in through. */
const senders = {
  lan0: {
    namespace: 'client',
    sources: ['10.10.0.2', ...hosts('10.10.0', 11, 14), ...hosts('192.0.2', 11, 12)],
    destinations: [...hosts('198.51.100', 10, 17), '10.10.0.1', '203.0.113.2'],
  },
  wan0: {
    namespace: 'internet',
    sources: ['203.0.113.1', ...hosts('198.51.100', 10, 12)],
    destinations: ['203.0.113.2', '203.0.113.2', '10.10.0.2', ...hosts('10.10.0', 11, 13)],
  },
} as const
const ports = [53, 80, 443, 8080]

describe('the evaluator and the kernel', () => {
  let gateway: LabGateway
  let api: ApiClient
  let objects: Objects
  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    await preparePlaces()
    objects = await makeObjects()
    await must('PATCH', '/firewall/state', { enabled: true })
    await must('PATCH', '/firewall/settings', { automatic_snat_enabled: true, log_mode: 'all' })
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })

  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await api.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const run = async (namespace: string, argv: readonly string[], input = ''): Promise<string> => {
    const { code, stdout, stderr } = await gateway.exec(namespace, argv, { input })
    assert.equal(code, 0, `${argv.join(' ')}: ${stderr}`)
    return stdout
  }

  /** More hosts on both sides, and someone who takes down what arrives. */
  const preparePlaces = async () => {
    const clientDevice = labCables.flat().find(({ namespace }) => namespace === 'client')?.name ?? ''
    const more = [...senders.lan0.sources, '10.10.0.15', '10.10.0.16'].filter((it) => it !== '10.10.0.2')
    const lines = more.map((address) => `address add ${address}/24 dev ${clientDevice}\n`).join('')
    await run('client', ['/usr/sbin/ip', '-batch', '-'], lines)
    await run('internet', ['/usr/sbin/ip', 'route', 'add', 'local', '198.51.100.0/24', 'dev', 'lo'])
    for (const namespace of ['client', 'internet']) await run(namespace, ['/usr/sbin/nft', '-f', '-'], outsideProbe)
    await run('gateway', ['/usr/sbin/nft', '-f', '-'], gatewayProbe)
  }

  interface Objects {
    readonly addresses: readonly string[]
    readonly ports: readonly string[]
    readonly times: readonly string[]
    readonly interfaces: readonly string[]
  }

  const makeObjects = async (): Promise<Objects> => {
    let count = 0
    const make = async (kind: string, fields: object): Promise<string> =>
      (await must('POST', `/aliases/${kind}`, { title: `Object ${++count}`, ...fields })).id
    const makeAll = async (kind: string, list: readonly object[]): Promise<string[]> => {
      const ids: string[] = []
      for (const fields of list) ids.push(await make(kind, fields))
      return ids
    }
    const single = await makeAll(
      'ip_addresses',
      ['198.51.100.11', '198.51.100.14', '10.10.0.11', '10.10.0.2', '203.0.113.2'].map((value) => ({ value })),
    )
    const ranges = await makeAll('ip_ranges', [
      { start: '198.51.100.12', end: '198.51.100.15' },
      { start: '10.10.0.11', end: '10.10.0.13' },
      { start: '192.0.2.11', end: '192.0.2.12' },
    ])
    const networks = await makeAll(
      'networks',
      ['198.51.100.8/29', '10.10.0.0/24', '192.0.2.0/255.255.255.0'].map((value) => ({ value })),
    )
    const lists = await makeAll('lists/addresses', [
      { values: [single[0], single[2], ranges[2]] },
      { values: [...single, networks[0]] },
    ])
    const longLists = await makeAll('ip_address_lists', [
      { values: ['198.51.100.10', '198.51.100.16/31', '10.10.0.12', '10.10.0.14', '192.0.2.12', '203.0.113.1'] },
    ])
    const onePort = await makeAll(
      'ports',
      ports.map((value) => ({ value })),
    )
    const portRanges = await makeAll('port_ranges', [
      { start: 78, end: 82 },
      { start: 441, end: 8081 },
    ])
    const portLists = await makeAll('lists/ports', [{ values: [onePort[0], onePort[2], portRanges[0]] }])
    const today = new Date().getUTCDay() || 7
    const allDay = { start: '00:00', end: '00:00' }
    const everyDay = [1, 2, 3, 4, 5, 6, 7]
    const farDays = everyDay.filter((day) => ![0, 1, 6].includes((day - today + 7) % 7))
    const now = await makeAll('time_ranges', [{ ...allDay, weekdays: everyDay }])
    const never = await makeAll('time_ranges', [
      { ...allDay, weekdays: farDays },
      { ...allDay, weekdays: everyDay, period: { first: 20_200_101_000_000, last: 20_200_201_000_000 } },
    ])
    const schedules = await makeAll('lists/times', [{ values: [...never, ...now] }, { values: never }])
    return {
      addresses: [...single, ...ranges, ...networks, ...lists, ...longLists],
      ports: [...onePort, ...portRanges, ...portLists],
      times: [...now, ...never, ...schedules],
      interfaces: await makeInterfaces(make),
    }
  }

  const makeInterfaces = async (make: (kind: string, fields: object) => Promise<string>): Promise<string[]> => {
    const connections: { id: number; title: string }[] = await must('GET', '/network/connections')
    const zones: string[] = []
    for (const { id } of connections) {
      const zone = await make('zones', {})
      await must('PATCH', `/network/connections/${id}`, { zone })
      zones.push(zone)
    }
    const own = connections.map(({ id }) => `interface.id.${id}`)
    return [...own, ...zones, 'interface.external_any', 'interface.local_any', 'interface.utm_outgoing']
  }

  const drawRule = (random: Random, table: Table): object => {
    const chance = (share: number) => random() < share
    const some = (from: readonly string[], share: number, most: number): string[] =>
      chance(share)
        ? ['any']
        : [...new Set(Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(random, from)))]
    const protocol = pick(random, [
      'any',
      'protocol.tcp',
      'protocol.tcp',
      'protocol.udp',
      'protocol.udp',
      'protocol.icmp',
    ])
    const hasPorts = protocol === 'protocol.tcp' || protocol === 'protocol.udp'
    const device = () => (chance(0.7) ? 'any' : pick(random, objects.interfaces))
    return {
      enabled: chance(0.95),
      protocol,
      source_addresses: some(objects.addresses, 0.4, 3),
      source_addresses_negate: chance(0.2),
      destination_addresses: some(objects.addresses, 0.4, 3),
      destination_addresses_negate: chance(0.2),
      destination_ports: hasPorts ? some(objects.ports, 0.5, 3) : ['any'],
      timetable: some(objects.times, 0.8, 2),
      ...(table === 'snat' ? {} : { incoming_interface: device() }),
      ...(table === 'dnat' ? {} : { outgoing_interface: device() }),
      ...drawAction(random, table, hasPorts),
    }
  }

  const drawAction = (random: Random, table: Table, hasPorts: boolean): object => {
    if (table === 'forward' || table === 'input') return { action: pick(random, ['accept', 'drop']) }
    if (table === 'log') return { action: pick(random, ['mark_log', 'mark_not_log']) }
    if (table === 'snat') {
      if (random() < 0.2) return { action: 'accept', change_source_address: null }
      return {
        action: 'snat',
        change_source_address: pick(random, [null, '203.0.113.40', '203.0.113.40-203.0.113.43']),
      }
    }
    if (random() < 0.2) return { action: 'accept', change_destination_address: null, change_destination_port: null }
    const targets = ['198.51.100.13', '198.51.100.12-198.51.100.16', '10.10.0.12', '10.10.0.1', '10.10.0.14-10.10.0.16']
    return {
      action: 'dnat',
      change_destination_address: pick(random, targets),
      change_destination_port: hasPorts ? pick(random, [null, '8080', '79-83']) : null,
    }
  }

  /** Ids in the order of the table. */
  const listRules = async (table: Table): Promise<number[]> =>
    (await must('GET', `/firewall/rules/${table}`)).map(({ id }: { id: number }) => id)

  const changeSomething = async (random: Random): Promise<void> => {
    const table = pick(random, ['forward', 'forward', 'forward', ...tables] as const)
    const ids = await listRules(table)
    const path = `/firewall/rules/${table}`
    const id = pick(random, ids)
    const place = { anchor_item_id: pick(random, ids), insert_after: random() < 0.5 }
    const dice = random()
    if (ids.length < 2 || (dice < 0.55 && ids.length < mostRules[table])) {
      const query = ids.length === 0 ? '' : `?anchor_item_id=${place.anchor_item_id}&insert_after=${place.insert_after}`
      await must('POST', `${path}${query}`, drawRule(random, table))
    } else if (dice < 0.75) await must('PATCH', `${path}/${id}`, drawRule(random, table))
    else if (dice < 0.88 && place.anchor_item_id !== id)
      await must('PATCH', `${path}/move`, { params: { id, ...place } })
    else await must('DELETE', `${path}/${id}`)
  }

  /** Connections that the kernel already knows would not be asked again, so no port comes twice. */
  let nextPort = 20_000
  const drawPacket = (random: Random): SentPacket => {
    const device = pick(random, ['lan0', 'lan0', 'lan0', 'wan0'] as const)
    const sender = senders[device]
    const protocol = pick(random, ['tcp', 'tcp', 'udp', 'udp', 'icmp'] as const)
    return {
      source: pick<string>(random, sender.sources),
      destination: pick<string>(random, sender.destinations),
      protocol,
      source_port: nextPort++,
      destination_port: protocol === 'icmp' ? 0 : pick(random, ports) + Math.floor(random() * 7) - 3,
      incoming_interface: device,
      time: 0,
    }
  }

  const predict = async (packet: SentPacket): Promise<Case> => {
    const { source_port, destination_port, time: _now, ...asked } = packet
    const withPorts = packet.protocol === 'icmp' ? asked : { ...asked, source_port, destination_port }
    return { packet, prediction: predictionOf(await must('POST', '/firewall/explain', { packet: withPorts })) }
  }

  const countHits = async (): Promise<Map<string, number>> => {
    const counts = new Map<string, number>()
    for (const table of tables)
      for (const { id, packets } of await must('GET', `/firewall/counters/${table}`))
        counts.set(`firewall.${table}[${id}]`, packets)
    return counts
  }

  const look = async (earlier: ReadonlyMap<string, number>) => {
    const probe = ['/usr/sbin/nft', '-j', 'list', 'table', 'ip', 'probe']
    const [own = '', ...others] = await Promise.all(['gateway', 'client', 'internet'].map((it) => run(it, probe)))
    const counts = new Map<string, number>()
    for (const [origin, packets] of await countHits()) counts.set(origin, packets - (earlier.get(origin) ?? 0))
    return { ...readSighting(own, others), counts }
  }

  const send = async (packets: readonly SentPacket[]): Promise<void> => {
    const sendings = Object.entries(senders).map(([device, { namespace }]) => {
      const own = packets.filter(({ incoming_interface }) => incoming_interface === device)
      return run(namespace, [process.execPath, senderPath], JSON.stringify(own))
    })
    await Promise.all(sendings)
  }

  it(`agree on ${rounds * packetsPerRound} packets while the rules change`, async () => {
    const random = makeRandom(2026)
    const seen = new Map<string, number>()
    for (let round = 1; round <= rounds; round++) {
      for (let count = 0; count < changesPerRound; count++) await changeSomething(random)
      await must('PATCH', '/firewall/settings', { automatic_snat_enabled: random() < 0.7 })
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
      for (const kind of cases.flatMap(({ prediction }) => kindsOf(prediction)))
        seen.set(kind, (seen.get(kind) ?? 0) + 1)
    }
    // Packets that meet no rule would agree as well.
    for (const kind of [...tables, 'marked', 'dropped'])
      assert.ok((seen.get(kind) ?? 0) > 100, `too few cases: ${JSON.stringify([...seen])}`)
  })
})

/** Which tables had a say, and what came of it. */
const kindsOf = ({ isMarked, ways }: Prediction): string[] => [
  ...tables.filter((table) => ways.some(({ origins }) => origins.some((it) => it.startsWith(`firewall.${table}[`)))),
  ...(isMarked ? ['marked'] : []),
  ...(ways.some(({ isAccepted }) => !isAccepted) ? ['dropped'] : []),
]
