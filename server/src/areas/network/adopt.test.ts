// What is found on a new machine becomes configuration without changing it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { card, configOf, facts, freeMac, lan, lanMac, wan, wanMac } from '../../../test/support/network-samples.ts'
import type { NetworkLinks } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { createPlanner } from '../../core/plan/planner.ts'
import { adoptedConnections } from './adopt.ts'
import { network } from './index.ts'
import { render } from './render.ts'

describe('adoption', () => {
  const adopt = (given: Facts, gateways: [string, string][] = [['wan0', '203.0.113.1']]) => {
    let last = 0
    return adoptedConnections(given, new Map(gateways), () => ++last)
  }

  it('takes providers first, then local interfaces, and changes nothing by it', () => {
    const adopted = adopt(facts)
    assert.deepEqual(adopted, [
      { ...wan, id: 1, title: 'wan0' },
      { ...lan, id: 2, title: 'lan0' },
    ])
    const config = configOf({ connections: adopted })
    assert.deepEqual(createPlanner([network]).verify(config), [])
    const [artifact] = render(config, facts)
    for (const { device, addresses } of (artifact as NetworkLinks).links) {
      const found = facts.interfaces.find(({ name }) => name === device)
      assert.deepEqual(
        addresses,
        found?.addresses.filter((address) => address.includes('.')),
      )
    }
  })

  it('takes a card for the one of a provider when the only default route is its own of IPv6', () => {
    const types = (given: Partial<Facts>) =>
      adopt({ ...facts, externalIpv6Interfaces: ['lan0'], ...given }).map(({ title, type }) => `${title} ${type}`)
    assert.deepEqual(types({ externalInterfaces: [] }), ['lan0 wan', 'wan0 lan'])
    assert.deepEqual(types({}), ['wan0 wan', 'lan0 lan'])
  })

  it('leaves out what could not be configured by hand', () => {
    const odd: Facts = {
      ...facts,
      interfaces: [
        card('br0', '', { addresses: ['10.1.0.1/24'] }),
        card('a0', lanMac, { addresses: ['169.254.1.1/16', 'fe80::2/64'] }),
        card('b0', wanMac, { addresses: ['10.2.0.1/16'] }),
        card('c0', freeMac, { addresses: ['10.2.3.1/24'] }),
      ],
      externalInterfaces: ['b0'],
    }
    const adopted = adopt(odd, [['b0', '192.0.2.1']])
    assert.deepEqual(
      adopted.map(({ title, gateway }) => [title, gateway]),
      [['b0', null]],
    )
    assert.deepEqual(createPlanner([network]).verify(configOf({ connections: adopted })), [])
  })
})
