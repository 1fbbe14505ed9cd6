import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rootServerAddresses } from '../lab/network.ts'
import { planNetwork } from './namespaces.ts'

test('the lab is laid out as documented', () => {
  const { create, inside, sysctls } = planNetwork()
  assert.deepEqual(create, ['netns add client', 'netns add gateway', 'netns add internet'])
  assert.deepEqual(inside, [
    {
      namespace: 'client',
      lines: [
        'link add lan0 address 02:00:0a:0a:00:02 type veth peer name lan0 address 02:00:0a:0a:00:01 netns gateway',
        'link set lo up',
        'address add 10.10.0.2/24 dev lan0',
        'link set lan0 up',
        'route add default via 10.10.0.1',
      ],
    },
    {
      namespace: 'gateway',
      lines: [
        'link add wan0 address 02:00:cb:00:71:02 type veth peer name gw1 address 02:00:cb:00:71:01 netns internet',
        'link add opt0 address 02:00:c6:12:00:02 type veth peer name gw2 address 02:00:c6:12:00:01 netns internet',
        'link set lo up',
        'address add 10.10.0.1/24 dev lan0',
        'link set lan0 up',
        'address add 203.0.113.2/24 dev wan0',
        'link set wan0 up',
        'route add default via 203.0.113.1',
      ],
    },
    {
      namespace: 'internet',
      lines: [
        'link set lo up',
        'address add 198.51.100.10/32 dev lo',
        'address add 198.51.100.53/32 dev lo',
        ...rootServerAddresses.map((address) => `address add ${address}/32 dev lo`),
        'address add 203.0.113.1/24 dev gw1',
        'link set gw1 up',
        'address add 198.18.0.1/24 dev gw2',
        'link set gw2 up',
        'route add 10.10.0.0/24 via 203.0.113.2',
      ],
    },
  ])
  assert.deepEqual(
    sysctls.map(({ namespace, path, value }) => `${namespace} ${path}=${value}`),
    ['internet ipv4/ip_unprivileged_port_start=0'],
  )
})
