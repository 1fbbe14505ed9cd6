// Devices that the kernel around other tests does not have: aggregated, VLAN and GRE, each with a peer and traffic that is counted.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventually, type FullGateway, slowly } from './full-kernel.ts'

interface Shown {
  readonly ifname: string
  readonly address: string
  readonly flags: readonly string[]
  readonly addr_info: readonly { readonly local: string; readonly scope: string }[]
  readonly linkinfo?: { readonly info_data?: Bond }
  readonly stats64?: { readonly rx: { readonly packets: number }; readonly tx: { readonly packets: number } }
}

interface Bond {
  readonly mode: string
  readonly ad_info?: { readonly num_ports: number; readonly partner_mac: string }
}

/** A router advertisement for 2001:db8:5::/64 to all hosts behind a device: `perl -e ... DEVICE`. */
const advertise = [
  'use Socket qw(:DEFAULT IPPROTO_IPV6 IPPROTO_ICMPV6 inet_pton pack_sockaddr_in6)',
  'socket(my $s, AF_INET6, SOCK_RAW, IPPROTO_ICMPV6) or die "socket: $!"',
  // IPV6_MULTICAST_HOPS and IPV6_MULTICAST_IF.
  'setsockopt($s, IPPROTO_IPV6, 18, pack("i", 255)) or die "hops: $!"',
  'open(my $f, "<", "/sys/class/net/$ARGV[0]/ifindex") or die; my $n = <$f> + 0',
  'setsockopt($s, IPPROTO_IPV6, 17, pack("i", $n)) or die "device: $!"',
  'my $ra = pack("CCnCCnNN", 134, 0, 0, 64, 0, 1800, 0, 0)',
  'my $prefix = pack("CCCCNNN", 3, 4, 64, 0xc0, 86400, 14400, 0) . inet_pton(AF_INET6, "2001:db8:5::")',
  'send($s, $ra . $prefix, 0, pack_sockaddr_in6(0, inet_pton(AF_INET6, "ff02::1"), $n, 0)) or die "send: $!"',
].join('; ')

export function testNetwork(gateway: () => FullGateway): void {
  const shell = (text: string): Promise<string> => gateway().machine.shell(text)
  const show = async (options: string): Promise<Shown[]> => JSON.parse((await shell(`ip -j -d -s ${options}`)) || '[]')
  const packets = async (device: string) => {
    const [shown] = await show(`link show dev ${device}`)
    return { rx: shown?.stats64?.rx.packets ?? 0, tx: shown?.stats64?.tx.packets ?? 0 }
  }

  /** A card of the gateway whose other end is in another namespace. */
  const addCard = (number: number): Promise<string> =>
    shell(
      `ip netns add far${number}; ip link add c${number} address 02:00:00:00:00:0${number} type veth peer name f${number} netns far${number}; ip link set c${number} up; ip -n far${number} link set f${number} up; ip -n far${number} link set lo up`,
    )
  const addConnection = (number: number, address: string, mac: string, tag: number | null) =>
    gateway().api.call('POST', '/network/connections', {
      type: 'lan',
      title: `net ${number}`,
      enabled: true,
      mac,
      enable_dhcp: false,
      addresses: [address],
      gateway: null,
      dns: [],
      vlan_tag: tag,
      zone: null,
      is_vce_vlan: false,
      netflow_index: 0,
    }) as Promise<{ id: number }>
  const macOf = (number: number): string => `02:00:00:00:00:0${number}`
  const inFar = (number: number, command: string): Promise<string> => shell(`ip netns exec far${number} ${command}`)

  const isAdvertised = async (number: number, device: string): Promise<boolean> =>
    (await gateway().machine.run(['ip', 'netns', 'exec', `far${number}`, 'perl', '-e', advertise, device])).code === 0

  /** The address is reached by that device: it carries as many packets more, both ways. */
  async function carries(number: number, address: string, device: string): Promise<void> {
    const ping = (count: number) =>
      gateway().machine.run(['ip', 'netns', 'exec', `far${number}`, 'ping', '-c', `${count}`, '-w', '120', address])
    await eventually(`${address} answers`, async () => (await ping(1)).code === 0)
    const before = await packets(device)
    assert.equal((await ping(20)).code, 0)
    const after = await packets(device)
    assert.ok(after.rx - before.rx >= 20 && after.tx - before.tx >= 20, JSON.stringify([before, after]))
  }

  it('gives an aggregated interface two cards, a partner and the address of its card', slowly, async () => {
    await shell(
      'ip netns add far1; for n in 1 2; do ip link add c$n address 02:00:00:00:00:0$n type veth peer name f$n netns far1; ip link set c$n up; done',
    )
    await shell(
      'ip -n far1 link add fb type bond mode 802.3ad miimon 100 lacp_rate fast; for n in 1 2; do ip -n far1 link set f$n master fb; done; ip -n far1 link set fb up; ip -n far1 addr add 10.77.0.2/24 dev fb',
    )
    const nics = [macOf(1), macOf(2)]
    const { api } = gateway()
    const { id } = await api.call('POST', '/network/aggregated', { enabled: true, title: 'trunk', comment: '', nics })
    const read = async () => (await show('addr show type bond'))[0]
    await eventually(
      'both cards have their partner',
      async () => (await read())?.linkinfo?.info_data?.ad_info?.num_ports === 2,
    )
    const bond = await read()
    const changes = (): Promise<string> => shell('cat /sys/class/net/c2/carrier_changes')
    const before = await changes()
    assert.equal(bond?.address, nics[0])
    assert.equal(bond?.linkinfo?.info_data?.mode, '802.3ad')
    assert.notEqual(bond?.linkinfo?.info_data?.ad_info?.partner_mac, '00:00:00:00:00:00')
    const connection = await addConnection(1, '10.77.0.1/24', id, null)
    await carries(1, '10.77.0.1', bond?.ifname ?? '')

    // With one cable less it goes on.
    await shell('ip link set c1 down')
    await carries(1, '10.77.0.1', bond?.ifname ?? '')
    await shell('ip link set c1 up')

    // Another host takes the address that is advertised, so the advertisement is a good one.
    await shell(
      'ip netns add far5; ip netns add far6; ip link add f5 netns far5 type veth peer name f6 netns far6; ip -n far5 link set f5 up; ip -n far6 link set f6 up',
    )
    const globals = async (options: string, device: string) =>
      ((await show(`${options} addr show dev ${device}`))[0]?.addr_info ?? []).filter(
        ({ scope, local }) => scope === 'global' && local.includes(':'),
      )
    await eventually('a host without a gateway takes an address', async () => {
      // A device that has just come up has no address to send from.
      return (await isAdvertised(5, 'f5')) && (await globals('-n far6', 'f6')).length > 0
    })
    assert.ok(await isAdvertised(1, 'fb'))
    await carries(1, '10.77.0.1', bond?.ifname ?? '')
    assert.deepEqual(await globals('', bond?.ifname ?? ''), [])
    assert.equal(await changes(), before, 'its cards stay in it')

    await api.call('DELETE', `/network/connections/${connection.id}`)
    await api.call('DELETE', `/network/aggregated/${id}`)
    await eventually('the device is gone', async () => (await show('addr show type bond')).length === 0)
  })

  it('speaks to a peer over a VLAN', slowly, async () => {
    await addCard(3)
    await shell(
      'ip -n far3 link add link f3 name f3.5 type vlan id 5; ip -n far3 addr add 10.55.0.2/24 dev f3.5; ip -n far3 link set f3.5 up',
    )
    await addConnection(3, '10.55.0.1/24', macOf(3), 5)
    await carries(3, '10.55.0.1', 'c3.5')
  })

  it('speaks to a peer through a GRE tunnel, and lets it out', slowly, async () => {
    await addCard(4)
    await shell(
      'ip -n far4 addr add 10.66.0.2/24 dev f4; ip -n far4 link add g1 type gre local 10.66.0.2 remote 10.66.0.1 ttl 64; ip -n far4 addr add 172.30.0.2/30 dev g1; ip -n far4 link set g1 up; ip -n far4 route add default via 172.30.0.1',
    )
    await inFar(
      4,
      "nft 'add table ip seen; add chain ip seen in { type filter hook input priority 0; }; add rule ip seen in meta l4proto gre counter'",
    )
    const { id } = await addConnection(4, '10.66.0.1/24', macOf(4), null)
    await gateway().api.call('POST', '/network/tunnels', {
      title: 'branch',
      enabled: true,
      comment: '',
      addresses: ['172.30.0.1/30'],
      gateway: null,
      parent_interface: `interface.id.${id}`,
      server: '10.66.0.2',
      zone: null,
      netflow_index: 0,
    })
    await eventually('the tunnel is there', async () => (await show('addr show to 172.30.0.1')).length > 0)
    const [tunnel] = await show('addr show to 172.30.0.1')
    await carries(4, '172.30.0.1', tunnel?.ifname ?? '')
    // What the tunnel carries is really wrapped.
    const wrapped = async () => Number(/packets (\d+)/.exec(await inFar(4, 'nft list chain ip seen in'))?.[1])
    const before = await wrapped()
    assert.ok(before >= 20, `${before}`)
    assert.match(await inFar(4, 'curl -s -m 300 http://198.51.100.10/'), /^internet of/)
    assert.ok((await wrapped()) > before)
  })
}
