// Facts are read from what the kernel really prints.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noFacts } from '../plan/facts.ts'
import { createFactsReader, externalInterfaces } from './facts.ts'

const heading = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT'
const route = (name: string, destination: string, mask: string): string =>
  `${name}\t${destination}\t017100CB\t0003\t0\t0\t0\t${mask}\t0\t0\t0`

describe('external interfaces', () => {
  it('are those with a default route, each once and in order', () => {
    const table = [
      heading,
      route('wan1', '00000000', '00000000'),
      route('wan0', '00000000', '00000000'),
      route('wan0', '00000000', '00000000'),
      route('lan0', '00000A0A', '00FFFFFF'),
      // Half of the address space, as some VPN clients set it, is no default route.
      route('tun0', '00000000', '00000080'),
      '',
    ].join('\n')
    assert.deepEqual(externalInterfaces(table), ['wan0', 'wan1'])
  })

  it('are none without a table', () => {
    assert.deepEqual(externalInterfaces(''), [])
  })
})

it('facts keep their identity while nothing changes', () => {
  let external = ['wan0']
  const reader = createFactsReader(() => ({ ...noFacts, externalInterfaces: external }))
  const first = reader.current()
  assert.equal(reader.refresh(), false)
  assert.equal(reader.current(), first)
  external = ['wan0', 'wan1']
  assert.equal(reader.refresh(), true)
  assert.deepEqual(reader.current().externalInterfaces, ['wan0', 'wan1'])
})
