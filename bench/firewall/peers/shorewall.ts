// Shorewall between two zones: a change is a line in its file of rules and a reload.

import { type BenchPolicy, type BenchRule, printPorts } from '../rules.ts'
import type { Peer } from './peer.ts'

const files = {
  zones: 'fw firewall\nlan ipv4\nwan ipv4\n',
  interfaces: '?FORMAT 2\nlan lan0\nwan wan0\n',
  policy: 'all all DROP\n',
}

const folder = '/etc/shorewall'

export const shorewall: Peer = {
  name: 'shorewall',
  program: '/usr/sbin/shorewall',
  way: 'a line more and reload',
  start: (room, policy) => {
    room.run(['ip', 'link', 'add', 'lan0', 'type', 'veth', 'peer', 'name', 'wan0'])
    for (const [name, text] of Object.entries(files)) room.writeFile(`${folder}/${name}`, text)
    room.writeFile(`${folder}/rules`, `?SECTION NEW\n${policy.rules.map((rule) => printLine(policy, rule)).join('')}`)
    room.run(['mkdir', '-p', '/var/lib/shorewall'])
    room.run(['shorewall', 'start'])
  },
  addRule: (room, host, { rules }) => {
    const line = `${1 + (rules.length >> 1)}i ACCEPT lan wan:${host} tcp 443`
    room.run(['sed', '-i', line, `${folder}/rules`])
    return room.time(['shorewall', 'reload'])
  },
}

function printLine(
  { lists }: BenchPolicy,
  { protocol, source, destination, list, ports, isAccepted }: BenchRule,
): string {
  const to = list === null ? destination : (lists[list] ?? []).join(',')
  return [
    isAccepted ? 'ACCEPT' : 'DROP',
    source === null ? 'lan' : `lan:${source}`,
    to === null ? 'wan' : `wan:${to}`,
    protocol ?? '-',
    `${ports === null ? '-' : printPorts(ports, ':')}\n`,
  ].join(' ')
}
