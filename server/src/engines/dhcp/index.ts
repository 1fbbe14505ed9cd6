// The DHCP server and relay: dnsmasq. What its files say is the DHCP area's, how it runs is in applyd/.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

/** Which addresses are leased, below the state folder: written by dnsmasq, read by gatewayd. */
export const leasesPath = 'dhcp/leases'

const [serverPort, clientPort] = [67, 68]
const toServer = { networks: 'served', way: 'input', protocol: 'udp', destinationPort: serverPort } as const

export const dhcp = declareEngine({
  service: 'dhcp',
  title: 'DHCP server',
  packages,
  folders: [{ path: 'dhcp', mode: 0o711 }],
  files: {
    'dnsmasq.conf': { path: 'applyd/dnsmasq.conf', mode: 0o600 },
    // Read again when dnsmasq is signalled, after it has dropped root. Which card has which address is not a secret.
    'dhcp-hosts': { path: 'dhcp/hosts', mode: 0o644 },
  },
  fileTemplates: {},
  units: { dhcp: { log: { form: 'plain', syslogId: 'dnsmasq', unit: '{brand}-dhcp-server-backend' } } },
  unitTemplates: {},
  ports: {
    requests: { ...toServer, name: 'dhcp', sourcePort: null },
    answers: { ...toServer, name: 'dhcp', way: 'output', sourcePort: serverPort, destinationPort: clientPort },
    fromServers: { ...toServer, name: 'dhcp_relay', sourcePort: serverPort },
    toServers: { ...toServer, name: 'dhcp_relay', way: 'output', sourcePort: serverPort },
  },
  kernel: [],
})
