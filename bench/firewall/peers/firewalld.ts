// firewalld with a policy of rich rules; priorities keep their order.

import { type BenchPolicy, type BenchRule, printPorts } from '../rules.ts'
import { type Peer, plainDestination } from './peer.ts'

const settings = `DefaultZone=public
CleanupOnExit=yes
Lockdown=no
IPv6_rpfilter=no
IndividualCalls=no
LogDenied=off
FirewallBackend=nftables
`

/** Even numbers, so that one more fits between any two. */
const priorityOf = (at: number): number => 2 * at - 16_000

export const firewalld: Peer = {
  name: 'firewalld',
  program: '/usr/sbin/firewalld',
  way: '--add-rich-rule at runtime',
  start: (room, policy) => {
    room.writeFile('/etc/firewalld/firewalld.conf', settings)
    room.run(['mkdir', '-p', '/etc/firewalld/policies'])
    room.writeFile('/etc/firewalld/policies/bench.xml', printPolicy(policy))
    room.run(['dbus-daemon', '--system', '--fork', '--nopidfile'])
    room.run(['firewalld', '--nopid'])
    room.run(['/bin/sh', '-c', 'until firewall-cmd --state > /dev/null 2>&1; do sleep 0.2; done'])
  },
  addRule: (room, host, { rules }) => {
    const place = `priority="${priorityOf(rules.length >> 1) + 1}"`
    const rule = `rule ${place} family="ipv4" destination address="${host}" port port="443" protocol="tcp" accept`
    return room.time(['firewall-cmd', '--policy=bench', `--add-rich-rule=${rule}`])
  },
}

function printPolicy(policy: BenchPolicy): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<policy target="CONTINUE">',
    '<ingress-zone name="ANY"/><egress-zone name="ANY"/>',
    ...policy.rules.map((rule, at) => printRichRule(policy, rule, at)),
    '</policy>\n',
  ].join('\n')
}

function printRichRule(policy: BenchPolicy, rule: BenchRule, at: number): string {
  const destination = plainDestination(policy, rule)
  return [
    `<rule family="ipv4" priority="${priorityOf(at)}">`,
    rule.source === null ? '' : `<source address="${rule.source}"/>`,
    destination === null ? '' : `<destination address="${destination}"/>`,
    rule.ports === null ? '' : `<port port="${printPorts(rule.ports)}" protocol="${rule.protocol}"/>`,
    rule.isAccepted ? '<accept/>' : '<drop/>',
    '</rule>',
  ].join('')
}
