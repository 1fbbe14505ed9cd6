// The firewall as one nftables table: established connections first, default policy accept, automatic SNAT of private
// sources through external interfaces (firewall.md, "NAT" 1).

import { type Config, read } from '../../contract/slots.ts'
import type { Artifact } from '../../plan/artifacts.ts'
import type { Facts } from '../../plan/facts.ts'
import {
  inSet,
  isQuotableInterface,
  type NftChain,
  type NftRule,
  type NftSet,
  printTable,
  quoteInterface,
  rule,
  words,
} from '../../render/nft.ts'
import { settings } from './config.ts'

export const tableName = 'inet portcullis'
export const snatOrigin = `${settings.key}.automatic_snat_enabled`

const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']

const systemRules = (chain: 'fwd' | 'inp'): NftRule[] => [
  rule(`${chain}.sys.established`, words('ct state established,related counter accept')),
]

export function render(config: Config, facts: Facts): Artifact[] {
  const external: NftSet = {
    kind: 'set',
    name: 'if_external',
    type: 'ifname',
    elements: facts.externalInterfaces.filter(isQuotableInterface).map(quoteInterface),
  }
  const privateSources: NftSet = {
    kind: 'set',
    name: 'net_private',
    type: 'ipv4_addr',
    isInterval: true,
    elements: privateNetworks,
  }
  const body = printTable([external, privateSources, input, forward, postrouting(config)])
  return [{ kind: 'nft', name: tableName, body }]
}

const input: NftChain = {
  kind: 'chain',
  name: 'input',
  hook: { type: 'filter', at: 'input', priority: 'filter', policy: 'accept' },
  rules: systemRules('inp'),
}

const forward: NftChain = {
  kind: 'chain',
  name: 'forward',
  hook: { type: 'filter', at: 'forward', priority: 'filter', policy: 'accept' },
  rules: systemRules('fwd'),
}

function postrouting(config: Config): NftChain {
  const snat = rule(
    snatOrigin,
    inSet('ip saddr', 'net_private'),
    inSet('oifname', 'if_external'),
    words('counter masquerade'),
  )
  return {
    kind: 'chain',
    name: 'postrouting',
    hook: { type: 'nat', at: 'postrouting', priority: 'srcnat', policy: 'accept' },
    rules: read(config, settings).automatic_snat_enabled ? [snat] : [],
  }
}
