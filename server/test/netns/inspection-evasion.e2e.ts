// Attacks in pieces and disguises (support/evasions.ts) through the gateway, to a server that tells what its kernel made of them, over
// IPv4 and IPv6. Where the profile drops, no attack arrives. Where it alerts, none arrives that was not told.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openLab } from '../../src/tools/launcher/enter-lab.ts'
import { isNightly, Random, seed } from '../security/random.ts'
import type { Received } from '../support/byte-origin.ts'
import { ByteOrigin } from '../support/byte-origin-control.ts'
import type { Ends, IpFamily } from '../support/crafted-packets.ts'
import { type Case, cases, marks, originPorts, randomCase, shortLife } from '../support/evasions.ts'
import { client, otherClient, server } from '../support/firewall-lab.ts'
import { cardIn, FramePipe, HandTcp } from '../support/frame-pipe.ts'
import { InspectionLab, type ShownEvent } from '../support/inspection-lab.ts'
import { until } from '../support/until.ts'

const sids = { tcp: 1001, udp: 1002, dns: 1003 }
const signatures = [
  `alert http any any -> any any (msg:"Path"; flow:to_server,established; http.uri; content:"${marks.tcp}"; classtype:web-application-attack; sid:${sids.tcp}; rev:1;)`,
  `alert udp any any -> any any (msg:"Datagram"; content:"${marks.udp}"; classtype:misc-attack; sid:${sids.udp}; rev:1;)`,
  `alert dns any any -> any any (msg:"Name"; dns.query; content:"${marks.dns}"; classtype:misc-attack; sid:${sids.dns}; rev:1;)`,
]

const alerting: Readonly<Record<IpFamily, Ends>> = {
  4: { source: client, destination: server },
  6: { source: 'fd00:a::2', destination: 'fd00:c::20' },
}
const dropping: Readonly<Record<IpFamily, Ends>> = {
  4: { source: otherClient, destination: server },
  6: { source: 'fd00:a::3', destination: 'fd00:c::20' },
}

/** The kernel of the client must not answer on these. */
const [firstPort, lastPort] = [10_000, 60_000]

interface Tried {
  readonly one: Case
  readonly family: IpFamily
  readonly port: number
  readonly isDropping: boolean
  isOpen: boolean
}

const named = ({ one, family }: Tried): string => `IPv${family}, ${one.name}`

describe('attacks in pieces and disguises', () => {
  let lab: InspectionLab
  let origin: ByteOrigin
  let pipe: FramePipe
  const tried: Tried[] = []
  let nextPort = firstPort

  const run = async (namespace: string, ...command: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await lab.gateway.exec(namespace, command)
    assert.equal(code, 0, `${command.join(' ')}: ${stderr}`)
    return stdout
  }
  const ip = (namespace: string, ...args: readonly string[]) => run(namespace, '/usr/sbin/ip', ...args)

  before(async () => {
    lab = await InspectionLab.start()
    await startIpv6()
    // What is not translated is the hardest: a packet of no connection arrives as it was sent.
    await lab.api.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
    for (const rule of signatures) await lab.api.ok('POST', '/ips/custom', { comment: '', rule })
    const values = Object.values(sids)
    const alert = await lab.addProfile('Alerts', [{ key: 'sid', values, action: 'alert' }])
    const drop = await lab.addProfile('Drops', [{ key: 'sid', values, action: 'drop' }])
    // Rules name addresses of IPv4; those over IPv6 are told apart by where the second client is.
    await lab.firewall.forward({
      action: 'accept',
      ips_enabled: true,
      ips_profile: drop,
      source_addresses: [await lab.firewall.address(otherClient)],
    })
    await lab.firewall.forward({ action: 'accept', ips_enabled: true, ips_profile: alert })
    await lab.switchOn()
    await lab.isReady(2)
    origin = new ByteOrigin(openLab(lab.gateway.stateDir, 'internet'), Object.values(originPorts))
    await origin.ready
    const own = cardIn(await ip('client', '-j', 'link', 'show', 'lan0'))
    const other = cardIn(await ip('gateway', '-j', 'link', 'show', 'lan0'))
    pipe = new FramePipe(openLab(lab.gateway.stateDir, 'client'), 'lan0', own, other)
    await pipe.ready
  })
  after(async () => {
    await pipe?.stop()
    await origin?.stop()
    await lab.stop()
  })

  async function startIpv6(): Promise<void> {
    for (const [namespace, address, device] of [
      ['client', 'fd00:a::2/64', 'lan0'],
      ['client', 'fd00:a::3/64', 'lan0'],
      ['gateway', 'fd00:a::1/64', 'lan0'],
      ['gateway', 'fd00:b::2/64', 'wan0'],
      ['internet', 'fd00:b::1/64', 'gw1'],
      ['internet', 'fd00:c::20/128', 'lo'],
    ] as const)
      await ip(namespace, 'addr', 'add', address, 'dev', device, 'nodad')
    // Another program on the machine forwards IPv6: the gateway itself never does.
    await run('gateway', '/usr/sbin/sysctl', '-qw', 'net.ipv6.conf.all.forwarding=1')
    await ip('gateway', 'route', 'add', 'fd00:c::/64', 'via', 'fd00:b::1')
    await ip('internet', 'route', 'add', 'fd00:a::/64', 'via', 'fd00:b::2')
    await ip('client', 'route', 'add', 'fd00:c::/64', 'via', 'fd00:a::1')
    // The kernel of the client knows nothing of connections that are made by hand.
    const silent = `tcp sport ${firstPort}-${lastPort} tcp flags & rst == rst drop`
    await run(
      'client',
      '/usr/sbin/nft',
      `table inet hand { chain out { type filter hook output priority 0; ${silent}; }; }`,
    )
    const router = `ip ttl < ${shortLife} ip protocol { tcp, udp } drop; ip6 hoplimit < ${shortLife} meta l4proto { tcp, udp } drop`
    await run(
      'internet',
      '/usr/sbin/nft',
      `table inet router { chain in { type filter hook prerouting priority -300; ${router}; }; }`,
    )
  }

  async function attempt(one: Case, family: IpFamily, isDropping: boolean): Promise<Tried> {
    const ends = (isDropping ? dropping : alerting)[family]
    const connect = (): HandTcp => new HandTcp(pipe, ends, nextPort++, originPorts.tcp)
    const tcp = connect()
    const record: Tried = { one, family, port: tcp.port, isDropping, isOpen: one.protocol !== 'tcp' }
    // What is between the same addresses stays in its order, in the queue and in the engine.
    const settle = async (): Promise<void> => void (await connect().open())
    if (one.protocol === 'tcp') record.isOpen = await tcp.open(one.syn)
    if (record.isOpen) await one.send({ pipe, ends, port: tcp.port, tcp, settle })
    tried.push(record)
    return record
  }

  /** Over both families where the profile alerts; rules know no addresses of IPv6, so only over IPv4 where it drops. */
  const waysOf = ({ families }: Case): (readonly [IpFamily, boolean])[] =>
    families.flatMap((family) => (family === 4 ? [false, true] : [false]).map((way) => [family, way] as const))

  async function attemptAll(all: readonly Case[]): Promise<void> {
    const waiting = all.flatMap((one) => waysOf(one).map((way) => [one, ...way] as const)).values()
    const work = async (): Promise<void> => {
      for (const args of waiting) await attempt(...args)
    }
    await Promise.all(Array.from({ length: 8 }, work))
    assert.deepEqual(tried.filter(({ isOpen }) => !isOpen).map(named), [])
  }

  const isTold = (events: readonly ShownEvent[], { port }: Tried): boolean =>
    events.some(({ src_port }) => src_port === port)
  /** A request counts when it is whole: no server acts on a half of one. */
  const hasArrived = (received: Received, { one, port }: Tried): boolean => {
    const text = received[`${one.protocol === 'tcp' ? 'tcp' : 'udp'} ${port}`] ?? ''
    const at = text.indexOf(marks[one.protocol])
    return at >= 0 && (one.protocol !== 'tcp' || text.includes('\r\n\r\n', at))
  }

  /** Plain attacks after all others: what comes before them has come when they have, and was told when they were. */
  async function outcome(): Promise<{ readonly received: Received; readonly events: readonly ShownEvent[] }> {
    const last = (['tcp', 'udp', 'dns'] as const).flatMap((protocol) =>
      ([4, 6] as const).map((family) => {
        const plain = cases.find((one) => one.protocol === protocol && one.isTaken && one.families.includes(family))
        assert.ok(plain)
        return [plain, family] as const
      }),
    )
    const markers: Tried[] = []
    for (const [one, family] of last) {
      markers.push(await attempt(one, family, false))
      if (family === 4) markers.push(await attempt(one, family, true))
    }
    let [received, events]: [Received, readonly ShownEvent[]] = [{}, []]
    await until('the last attacks are told and have arrived', async () => {
      ;[received, events] = [await origin.ask(), await lab.events()]
      return markers.every((one) => isTold(events, one) && (one.isDropping || hasArrived(received, one)))
    })
    return { received, events }
  }

  async function expectNoneUnseen(): Promise<void> {
    const { received, events } = await outcome()
    const arrived = tried.filter((one) => hasArrived(received, one))
    const dropped = arrived.filter(({ isDropping }) => isDropping)
    assert.deepEqual(dropped.map(named), [], 'they arrived where the profile drops')
    const untold = arrived.filter((one) => !one.isDropping && !isTold(events, one))
    assert.deepEqual(untold.map(named), [], 'they arrived and were not told')
    const lost = tried.filter((one) => one.one.isTaken && !one.isDropping && !hasArrived(received, one))
    assert.deepEqual(lost.map(named), [], 'they are as good as any other and did not arrive')
  }

  it('do not arrive without being told, in each form that is known', async () => {
    await attemptAll(cases)
    assert.ok(tried.length > 500)
    await expectNoneUnseen()
  })

  it(`do not either in pieces that chance decides, seed ${seed}`, async () => {
    const random = new Random(seed)
    await attemptAll(Array.from({ length: isNightly ? 1_000 : 60 }, () => randomCase(() => random.next())))
    await expectNoneUnseen()
  })
})
