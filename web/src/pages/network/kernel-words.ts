// What each setting of the kernel is for, and its values in words. Pure.

import { msg } from '../../words.ts'

interface Meaning {
  readonly title: string
  readonly group: string
  /** Words of its values; a number of things has none. */
  readonly values?: Readonly<Record<string, string>>
}

const forwarding = msg('Forwarding')
const redirects = msg('Redirects and routes of senders')
const tracking = msg('Tracked connections')
export const otherGroup = msg('Others')

export const groups: readonly string[] = [forwarding, redirects, tracking, otherGroup]

const isOn = { 0: msg('off'), 1: msg('on') }

export const meanings: Readonly<Record<string, Meaning>> = {
  'net.ipv4.ip_forward': { title: msg('Pass packets on between networks'), group: forwarding, values: isOn },
  'net.ipv4.conf.all.rp_filter': {
    title: msg('Check that the sender of a packet can be reached'),
    group: forwarding,
    values: { 0: msg('off'), 1: msg('by the same interface'), 2: msg('by some interface') },
  },
  'net.ipv4.tcp_syncookies': {
    title: msg('Stay reachable in a flood of new connections'),
    group: forwarding,
    values: { ...isOn, 2: msg('always') },
  },
  'net.ipv4.ip_early_demux': {
    title: msg('Look for own connections before packets are passed on'),
    group: forwarding,
    values: isOn,
  },
  'net.ipv4.conf.all.accept_redirects': {
    title: msg('Let other routers change routes, IPv4'),
    group: redirects,
    values: isOn,
  },
  'net.ipv6.conf.*.accept_redirects': {
    title: msg('Let other routers change routes, IPv6'),
    group: redirects,
    values: isOn,
  },
  'net.ipv4.conf.*.send_redirects': { title: msg('Send hosts to other routers'), group: redirects, values: isOn },
  'net.ipv4.conf.all.accept_source_route': {
    title: msg('Let the sender choose the route, IPv4'),
    group: redirects,
    values: isOn,
  },
  'net.ipv6.conf.all.accept_source_route': {
    title: msg('Let the sender choose the route, IPv6'),
    group: redirects,
    values: { ...isOn, '-1': msg('off') },
  },
  'net.ipv4.neigh.default.gc_thresh3': {
    title: msg('Hosts of own networks known at the same time, IPv4'),
    group: forwarding,
  },
  'net.ipv4.neigh.default.gc_thresh2': {
    title: msg('Hosts of own networks from which on unused ones are forgotten, IPv4'),
    group: forwarding,
  },
  'net.ipv6.neigh.default.gc_thresh3': {
    title: msg('Hosts of own networks known at the same time, IPv6'),
    group: forwarding,
  },
  'net.ipv6.neigh.default.gc_thresh2': {
    title: msg('Hosts of own networks from which on unused ones are forgotten, IPv6'),
    group: forwarding,
  },
  'net.netfilter.nf_conntrack_acct': { title: msg('Count the bytes of connections'), group: tracking, values: isOn },
  'net.netfilter.nf_conntrack_timestamp': {
    title: msg('Note when connections began'),
    group: tracking,
    values: isOn,
  },
  'net.netfilter.nf_conntrack_max': { title: msg('Connections at the same time, at most'), group: tracking },
  'net.netfilter.nf_conntrack_buckets': { title: msg('Size of the table of connections, in entries'), group: tracking },
}
