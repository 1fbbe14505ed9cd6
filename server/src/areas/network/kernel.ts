// Settings of the kernel that a gateway needs. What each is for, and why it has this value, is in
// docs/behaviour/host.md; applyd's own table says what may be set at all.

import type { KernelSetting, NetworkSettings } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'

/** A connection takes about 400 bytes: all of them together at most a fortieth of the memory. */
const memoryPerConnection = 16 * 1024
const [fewest, most] = [2 ** 15, 2 ** 21]

/**
 * One host can make the gateway note hosts that are not there: by asking for its address in their names, or by sending to them. With the 1,024 of the
 * kernel a few hundred packets a second keep all others from being found.
 */
const mostNeighbours = 65_536

const fixed: readonly KernelSetting[] = [
  { name: 'net.ipv4.ip_forward', value: '1' },
  // Loose: with several ways to the internet an answer may come in by another one than packets go out by.
  { name: 'net.ipv4.conf.all.rp_filter', value: '2' },
  { name: 'net.ipv4.conf.all.accept_redirects', value: '0' },
  { name: 'net.ipv4.conf.all.accept_source_route', value: '0' },
  { name: 'net.ipv4.conf.*.send_redirects', value: '0' },
  { name: 'net.ipv6.conf.*.accept_redirects', value: '0' },
  { name: 'net.ipv6.conf.all.accept_source_route', value: '0' },
  { name: 'net.ipv4.tcp_syncookies', value: '1' },
  // A packet that belongs to a socket of the web proxy by its addresses would not be forwarded: the proxy has those of clients.
  { name: 'net.ipv4.ip_early_demux', value: '0' },
  ...(['ipv4', 'ipv6'] as const).flatMap((family): KernelSetting[] => [
    { name: `net.${family}.neigh.default.gc_thresh3`, value: String(mostNeighbours) },
    { name: `net.${family}.neigh.default.gc_thresh2`, value: String(mostNeighbours / 2) },
  ]),
  { name: 'net.netfilter.nf_conntrack_acct', value: '1' },
  { name: 'net.netfilter.nf_conntrack_timestamp', value: '1' },
  // Hours instead of five days. A NAT must not forget a quiet connection within two hours and four minutes (RFC 5382).
  { name: 'net.netfilter.nf_conntrack_tcp_timeout_established', value: '14400' },
]

export const kernelSettings = ({ memoryBytes }: Facts): NetworkSettings => ({
  kind: 'network',
  name: 'settings',
  settings: memoryBytes === undefined ? fixed : [...fixed, ...tracking(String(connectionsFor(memoryBytes)))],
})

/** Where the memory is not known, that of a machine with four gigabytes. */
export const tableSizeFor = (memoryBytes: number | undefined): number => connectionsFor(memoryBytes ?? 2 ** 32)

const tracking = (value: string): readonly KernelSetting[] => [
  { name: 'net.netfilter.nf_conntrack_buckets', value },
  { name: 'net.netfilter.nf_conntrack_max', value },
]

/** A power of two, so that a machine that is given a little more memory keeps its number. */
export const connectionsFor = (memoryBytes: number): number =>
  Math.min(most, Math.max(fewest, 2 ** Math.floor(Math.log2(memoryBytes / memoryPerConnection))))
