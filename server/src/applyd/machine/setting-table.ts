// The settings of the kernel that a plan may name: where each one is, which values it may have, and what the kernel makes of it. A
// plan that names another setting or value is refused. docs/behaviour/host.md says what they are for.

import type { KernelSettingName } from '../../core/plan/artifacts.ts'

export interface SettingSpec {
  /**
   * Below /proc/sys/net. `*` stands for `default`, which new devices begin with, and for every device. They are written in this
   * order and restored in this order.
   */
  readonly paths: readonly string[]
  /** Words, or a range of whole numbers. */
  readonly allowed: readonly string[] | readonly [least: number, most: number]
  /** A higher value of the machine is right too. */
  readonly isMinimum?: true
  /** Other values that the kernel changes by itself when this setting changes; they are recorded with it and restored after it. */
  readonly moves?: readonly string[]
}

/** A lower limit would stop a small office, a higher one would take more than a gigabyte of memory. */
const connections = [16_384, 4_194_304] as const

/** What the kernel begins with is 1,024. Each takes about half a kilobyte. */
const neighbours = [1024, 262_144] as const

export const settingTable: Readonly<Record<KernelSettingName, SettingSpec>> = {
  // First: a change of it sets `all/accept_redirects` and the forwarding of every device.
  'net.ipv4.ip_forward': {
    paths: ['ipv4/ip_forward', 'ipv4/conf/*/forwarding'],
    allowed: ['1'],
    moves: ['ipv4/conf/all/accept_redirects'],
  },
  // The kernel takes the higher one of `all` and the device, so 2 in `all` holds for every device.
  'net.ipv4.conf.all.rp_filter': { paths: ['ipv4/conf/all/rp_filter'], allowed: ['2'] },
  // On a device that forwards, both `all` and the device must allow these two.
  'net.ipv4.conf.all.accept_redirects': { paths: ['ipv4/conf/all/accept_redirects'], allowed: ['0'] },
  'net.ipv4.conf.all.accept_source_route': { paths: ['ipv4/conf/all/accept_source_route'], allowed: ['0'] },
  // Either `all` or the device is enough to send them, so each has to be switched off.
  'net.ipv4.conf.*.send_redirects': {
    paths: ['ipv4/conf/all/send_redirects', 'ipv4/conf/*/send_redirects'],
    allowed: ['0'],
  },
  // IPv6 does not look at `all` here.
  'net.ipv6.conf.*.accept_redirects': { paths: ['ipv6/conf/*/accept_redirects'], allowed: ['0'] },
  // The lower one of `all` and the device counts.
  'net.ipv6.conf.all.accept_source_route': { paths: ['ipv6/conf/all/accept_source_route'], allowed: ['0'] },
  'net.ipv4.tcp_syncookies': { paths: ['ipv4/tcp_syncookies'], allowed: ['1'] },
  'net.ipv4.ip_early_demux': { paths: ['ipv4/ip_early_demux'], allowed: ['0'] },
  // The limit before the number from which the kernel makes room: it is to be the higher one at any time.
  'net.ipv4.neigh.default.gc_thresh3': {
    paths: ['ipv4/neigh/default/gc_thresh3'],
    allowed: neighbours,
    isMinimum: true,
  },
  'net.ipv4.neigh.default.gc_thresh2': {
    paths: ['ipv4/neigh/default/gc_thresh2'],
    allowed: neighbours,
    isMinimum: true,
  },
  'net.ipv6.neigh.default.gc_thresh3': {
    paths: ['ipv6/neigh/default/gc_thresh3'],
    allowed: neighbours,
    isMinimum: true,
  },
  'net.ipv6.neigh.default.gc_thresh2': {
    paths: ['ipv6/neigh/default/gc_thresh2'],
    allowed: neighbours,
    isMinimum: true,
  },
  'net.netfilter.nf_conntrack_acct': { paths: ['netfilter/nf_conntrack_acct'], allowed: ['1'] },
  'net.netfilter.nf_conntrack_timestamp': { paths: ['netfilter/nf_conntrack_timestamp'], allowed: ['1'] },
  'net.netfilter.nf_conntrack_tcp_timeout_established': {
    paths: ['netfilter/nf_conntrack_tcp_timeout_established'],
    allowed: [7440, 86_400],
  },
  'net.netfilter.nf_conntrack_buckets': {
    paths: ['netfilter/nf_conntrack_buckets'],
    allowed: connections,
    isMinimum: true,
  },
  // After the buckets: the kernel changes neither with the other once it runs.
  'net.netfilter.nf_conntrack_max': { paths: ['netfilter/nf_conntrack_max'], allowed: connections, isMinimum: true },
}

export const isSettingName = (name: unknown): name is KernelSettingName =>
  typeof name === 'string' && Object.hasOwn(settingTable, name)

export function isAllowed({ allowed }: SettingSpec, value: string): boolean {
  const [least, most] = allowed
  if (typeof least !== 'number' || typeof most !== 'number') return (allowed as readonly string[]).includes(value)
  return /^[1-9][0-9]{0,9}$/.test(value) && Number(value) >= least && Number(value) <= most
}
