// ufw with route rules; its file of rules is written as ufw itself writes it.

import { type BenchPolicy, type BenchRule, printPorts } from '../rules.ts'
import { type Peer, plainDestination } from './peer.ts'

/** What installing the package would do. */
const setUp = `
set -e
cp -n /usr/share/ufw/iptables/*.rules /usr/share/ufw/*.init /usr/share/ufw/ufw.conf /etc/ufw/
chmod 640 /etc/ufw/*.rules
chmod 750 /etc/ufw/*.init
sed -i s/^IPV6=yes/IPV6=no/ /etc/default/ufw`

export const ufw: Peer = {
  name: 'ufw',
  program: '/usr/sbin/ufw',
  way: 'route insert',
  start: (room, policy) => {
    room.run(['/bin/sh', '-c', setUp])
    const empty = room.run(['cat', '/etc/ufw/user.rules'])
    const lines = policy.rules.map((rule) => printRouteRule(policy, rule))
    room.writeFile('/etc/ufw/user.rules', empty.replace(/^### RULES ###$/m, `$&\n\n${lines.join('\n')}`))
    room.run(['ufw', '--force', 'enable'])
  },
  addRule: (room, host, { rules }) => {
    const place = ['route', 'insert', `${rules.length >> 1}`]
    return room.time(['ufw', ...place, 'allow', 'proto', 'tcp', 'to', host, 'port', '443'])
  },
}

function printRouteRule(policy: BenchPolicy, rule: BenchRule): string {
  const { protocol, source, ports, isAccepted } = rule
  const destination = plainDestination(policy, rule)
  const port = ports === null ? 'any' : printPorts(ports, ':')
  const tuple = [
    `route:${isAccepted ? 'allow' : 'deny'}`,
    protocol ?? 'any',
    port,
    destination ?? '0.0.0.0/0',
    'any',
    source ?? '0.0.0.0/0',
    'in',
  ]
  const isRange = port.includes(':')
  const match = [
    protocol === null ? '' : `-p ${protocol} `,
    isRange ? `-m multiport --dports ${port} ` : '',
    destination === null ? '' : `-d ${destination} `,
    ports === null || isRange ? '' : `--dport ${port} `,
    source === null ? '' : `-s ${source} `,
  ]
  const command = `-A ufw-user-forward ${match.join('')}-j ${isAccepted ? 'ACCEPT' : 'DROP'}`
  return `### tuple ### ${tuple.join(' ')}\n${command}\n`
}
