// A table with the statements that authorization writes, for tests against the kernel.

import type { LiveElement, NftPiece } from '../../core/plan/artifacts.ts'
import { chain, forwardHead, set } from './harness.ts'

const living = (type: string): string => `type ${type}; flags dynamic,timeout; size 65535;`
export const memberHead = 'type ipv4_addr; flags dynamic; size 65535;'
export const hostHead = living('ipv4_addr')

export const liveSetPieces: readonly NftPiece[] = [
  set('auth_hosts', [], hostHead),
  set('auth_net_hosts', [], hostHead),
  set('auth_suspended', [], hostHead),
  set('auth_pairs', [], living('ipv4_addr . ether_addr')),
  set('auth_new', [], living('ipv4_addr . ether_addr . ifname')),
  set('auth_unknown', [], living('ipv4_addr . ether_addr . ifname')),
  set('auth_cards', [], living('ether_addr . ifname')),
  set('u_user_id_1', [], memberHead),
  set('u_group_id_1', [], memberHead),
]

const origin = 'comment "fwd.sys.authorization"'
const remember = 'add @auth_new { ip saddr . ether saddr . iifname timeout 1h }'
const renewCard = 'update @auth_cards { ether saddr . iifname timeout 1m }'
const newPair = 'add @auth_pairs { ip saddr . ether saddr timeout 900s }'

/** `more` are further rules of the forward chain. */
export const authorizationPieces = (...more: readonly string[]): readonly NftPiece[] => [
  chain(
    'forward',
    [
      'iifname @if_local jump auth_seen',
      'ct state established,related counter accept comment "fwd.sys.established"',
      'iifname @if_local oifname @if_external jump auth_gate',
      'ip saddr @u_user_id_1 counter accept comment "firewall.1"',
      ...more,
    ],
    forwardHead,
  ),
  chain('auth_seen', [
    `ip saddr @auth_bound ip saddr . ether saddr != @auth_rule_pairs counter drop ${origin}`,
    `ip saddr @auth_bound fib saddr . iif oif missing counter drop ${origin}`,
    `ip saddr . ether saddr @auth_pairs fib saddr . iif oif exists update @auth_pairs { ip saddr . ether saddr timeout 900s } ${renewCard} return`,
    'ip saddr @auth_hosts update @auth_hosts { ip saddr timeout 900s } return',
    'ip saddr @auth_suspended return',
    `ip saddr . ether saddr @auth_rule_pairs ${newPair} ${remember} return`,
    `ip saddr @auth_rule_hosts add @auth_hosts { ip saddr timeout 900s } ${remember} return`,
    `ether saddr @auth_rule_macs fib saddr . iif oif exists ether saddr . iifname != @auth_cards ${newPair} ${remember} return`,
    `ip saddr @auth_rule_nets update @auth_net_hosts { ip saddr timeout 900s } ${remember} return`,
    'ct state new add @auth_unknown { ip saddr . ether saddr . iifname timeout 1h }',
  ]),
  chain('auth_gate', [
    'ip saddr @auth_suspended goto auth_refused',
    'ip saddr . ether saddr @auth_pairs fib saddr . iif oif exists return',
    'ip saddr @auth_hosts return',
    'ip saddr @auth_net_hosts return',
    'ip saddr @auth_rule_nets return',
    'goto auth_refused',
  ]),
  chain('auth_refused', [
    `meta l4proto tcp counter reject with tcp reset ${origin}`,
    `counter reject with icmpx admin-prohibited ${origin}`,
  ]),
  chain(
    'portal',
    [
      'iifname @if_local tcp dport 80 ip saddr != @auth_hosts ip saddr . ether saddr != @auth_pairs ip saddr != @auth_rule_hosts redirect to :8085',
    ],
    'type nat hook prerouting priority dstnat; policy accept;',
  ),
  set('if_local', ['"lan0"'], 'type ifname'),
  set('if_external', ['"wan0"'], 'type ifname'),
  set('auth_bound', ['10.0.0.7']),
  set('auth_rule_hosts', ['10.0.0.8']),
  set('auth_rule_nets', ['10.9.0.0/16'], 'type ipv4_addr; flags interval;'),
  set('auth_rule_pairs', ['10.0.0.7 . 02:00:00:00:00:07'], 'type ipv4_addr . ether_addr'),
  set('auth_rule_macs', ['02:00:00:00:00:08'], 'type ether_addr'),
  ...liveSetPieces,
]

export const host = (address: string, seconds: number | null = 900): LiveElement => ({
  address,
  mac: null,
  device: null,
  seconds,
})
export const pair = (address: string, mac: string, seconds: number | null = 900): LiveElement => ({
  ...host(address, seconds),
  mac,
})
export const seen = (address: string, mac: string, device: string, seconds: number | null = 900): LiveElement => ({
  ...pair(address, mac, seconds),
  device,
})
