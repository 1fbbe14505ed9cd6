// Whatever way it came about, a configuration with a wrong server or zone is refused.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lan, wan } from '../../../test/support/network-samples.ts'
import { type Config, write } from '../../core/model/slots.ts'
import { createPlanner } from '../../core/plan/planner.ts'
import { connections } from '../network/config.ts'
import { forwardZones, masterZones, rootServers } from './config.ts'
import { dns } from './index.ts'

const base = write({}, connections, [lan, wan])
const server = { id: 's', enabled: true, type: 'ip' as const, object: '192.0.2.53', comment: '' }
const forward = { id: 'f', name: 'a.example', enabled: true, servers: ['192.0.2.53'], comment: '' }
const text = '@ SOA ns root.localhost. 1 1 1 1 1\n@ NS ns\nns A 192.0.2.1'
const master = { id: 'm', name: 'b.example', enabled: true, config: text, comment: '' }

describe('verification of DNS', () => {
  const { verify } = createPlanner([dns])
  const fieldsOf = (config: Config) => verify(config).map(({ field }) => field)

  it('accepts what belongs together', () => {
    const servers = [server, { ...server, id: 't', type: 'interface' as const, object: 'interface.id.2' }]
    const config = write(write(base, rootServers, servers), forwardZones, [forward])
    assert.deepEqual(fieldsOf(write(config, masterZones, [master])), [])
  })

  const rows: [title: string, config: Config, field: string][] = [
    ['itself as a server', write(base, rootServers, [{ ...server, object: '10.10.0.1' }]), 'root_servers[s].object'],
    [
      'servers of a missing connection',
      write(base, rootServers, [{ ...server, type: 'interface', object: 'interface.id.9' }]),
      'root_servers[s].object',
    ],
    [
      'servers of a local connection',
      write(base, rootServers, [{ ...server, type: 'interface', object: 'interface.id.1' }]),
      'root_servers[s].object',
    ],
    [
      'itself as the server of a zone',
      write(base, forwardZones, [{ ...forward, servers: ['192.0.2.1', '10.10.0.1'] }]),
      'forward_zones[f].servers[1]',
    ],
    [
      'two forward zones of a name',
      write(base, forwardZones, [forward, { ...forward, id: 'g', name: 'A.example' }]),
      'forward_zones[g].name',
    ],
    [
      'two authoritative zones of a name',
      write(base, masterZones, [master, { ...master, id: 'n', name: 'B.example' }]),
      'master_zones[n].name',
    ],
    ['a zone without SOA', write(base, masterZones, [{ ...master, config: '@ NS ns' }]), 'master_zones[m].config'],
  ]
  for (const [title, config, expected] of rows)
    it(`refuses ${title}`, () => assert.equal(fieldsOf(config)[0], `dns.${expected}`))
})

it('connections that external servers depend on are found', () => {
  const config = write(base, rootServers, [{ ...server, type: 'interface', object: 'interface.id.2' }])
  assert.deepEqual(
    (dns.references?.(config) ?? []).map(({ id, object, field }) => [id, `${object}.${field}`]),
    [['interface.id.2', 'dns.root_servers[s].object']],
  )
})
