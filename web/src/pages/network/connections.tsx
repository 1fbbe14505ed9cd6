// Connections: what is stored, beside what the machine makes of it now. Which fields a connection has follows from its type.

import { type ConnectionType, connections, fieldsOf, setUpNetwork, showCards } from '@gateway/server/contract/network'
import { action, collectionPage, type FieldSpec, type Item } from '../../contract/define.ts'
import { msg } from '../../words.ts'
import { NoCards } from './cards.tsx'
import { AddressCell, DeviceCell, LinkCell, WayCell } from './state-cells.tsx'

const ruleOf = (item: Item) => fieldsOf[(item.type as ConnectionType | undefined) ?? 'lan']

/** Only connections of some types have the field; those that need it also send it empty. */
const byType = (name: string, spec: FieldSpec = {}): FieldSpec => ({
  ...spec,
  when: (item) => ruleOf(item).required.includes(name) || Object.hasOwn(ruleOf(item).defaults, name),
  isSent: (item) => ruleOf(item).required.includes(name),
})

export const types = {
  lan: msg('Local network'),
  wan: msg('Internet'),
  pppoe: msg('PPPoE'),
  pptp: msg('PPTP'),
  l2tp: msg('L2TP'),
  loopback: msg('Loopback'),
}

export const page = collectionPage({
  endpoints: connections,
  stored: 'network.connections',
  confirmWithin: 90,
  itemName: msg('connection'),
  lead: msg('Local networks and ways to the internet. The state is read from the machine.'),
  title: ({ title }) => title,
  columns: [
    'enabled',
    { id: 'title', width: 180 },
    { id: 'type', width: 130 },
    { id: 'link', title: msg('State'), width: 150, cell: ({ id, enabled }) => <LinkCell id={id} isOn={enabled} /> },
    { id: 'now', title: msg('Addresses now'), width: 'rest', cell: ({ id }) => <AddressCell id={id} /> },
    { id: 'way', title: msg('Gateway'), width: 130, cell: ({ id }) => <WayCell id={id} /> },
    { id: 'device', title: msg('Device'), width: 130, cell: ({ id }) => <DeviceCell id={id} /> },
    { id: 'zone', width: 120 },
  ],
  fields: {
    type: { label: msg('Kind'), options: types, isOnlyNew: true, initial: 'lan' },
    id: { isHidden: true },
    osdevname: { isHidden: true },
    mac: byType('mac', {
      label: msg('Card'),
      hint: msg('A card of this machine or an aggregated interface. The MAC of another card can be typed.'),
      help: () => <NoCards />,
    }),
    enable_dhcp: byType('enable_dhcp', { label: msg('Address by DHCP') }),
    addresses: byType('addresses', { widget: 'lines', placeholder: '192.0.2.1/24' }),
    gateway: byType('gateway'),
    dns: byType('dns', { label: msg('DNS servers'), widget: 'lines' }),
    server: byType('server'),
    login: byType('login'),
    password: byType('password', { widget: 'secret' }),
    service: byType('service', { label: msg('Service name') }),
    concentrator: byType('concentrator', { label: msg('Concentrator') }),
    comment: byType('comment'),
    vlan_tag: byType('vlan_tag', { label: msg('VLAN') }),
    zone: byType('zone', { refers: ['zone'] }),
    is_vce_vlan: byType('is_vce_vlan', { label: msg('On a VLAN of a virtual environment') }),
    netflow_index: byType('netflow_index', { label: msg('Index in flows') }),
  },
  groups: [
    { title: msg('Connection'), fields: ['enabled', 'title', 'type', 'zone', 'comment'] },
    { title: msg('Card'), fields: ['mac', 'vlan_tag', 'is_vce_vlan'] },
    { title: msg('Addresses'), fields: ['enable_dhcp', 'addresses', 'gateway', 'dns'] },
    { title: msg('Provider'), fields: ['server', 'login', 'password', 'service', 'concentrator'] },
    { title: msg('Flows'), fields: ['netflow_index'] },
  ],
  actions: [
    action({
      endpoint: setUpNetwork,
      title: msg('First set-up'),
      text: msg('The way to the internet and the local network, changed together as one revision.'),
      button: msg('Set up both cards'),
      confirm: msg('The connections of both cards are replaced. Without your confirmation they are restored.'),
      confirmWithin: 90,
      hidesReply: true,
      fields: {
        outside: {
          label: msg('Outside, to the provider'),
          fields: {
            mac: { label: msg('Card'), help: () => <NoCards /> },
            enable_dhcp: { label: msg('Address by DHCP') },
            addresses: { widget: 'lines', placeholder: '192.0.2.2/24' },
            dns: { label: msg('DNS servers'), widget: 'lines' },
          },
        },
        inside: {
          label: msg('Inside, the local network'),
          fields: {
            mac: { label: msg('Card') },
            addresses: { widget: 'lines', placeholder: '192.168.0.1/24' },
          },
        },
        keep_ssh_port: {
          label: msg('SSH port that stays open from outside'),
          hint: msg('Empty: no rule is added. Without a rule, new connections from outside are dropped.'),
        },
      },
      reads: [connections.list, showCards],
    }),
  ],
  empty: {
    text: msg('A connection gives a card an address: one for the local network and one for the way to the internet.'),
    example: {
      type: 'lan',
      title: 'Office',
      enabled: true,
      mac: '11:22:33:44:55:66',
      enable_dhcp: false,
      addresses: ['192.168.0.1/24'],
    },
  },
})
