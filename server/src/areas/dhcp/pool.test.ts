// Requirement 35.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lan, facts as sampleFacts } from '../../../test/support/network-samples.ts'
import { write } from '../../core/model/slots.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { connections } from '../network/config.ts'
import { entries } from './config.ts'
import { poolFindings } from './pool.ts'

const server = {
  dns: [],
  domain: '',
  gateway: '',
  lease_time: 60,
  ranges: ['10.10.0.50-10.10.0.57'],
  routes: [],
  options: [],
  tftp_filename: '',
  tftp_server: '',
  wins: [],
  wpad_enabled: false,
}
const config = write(write({}, connections, [lan]), entries, [
  { id: 'e', enabled: true, interface: 'interface.id.1', relay: null, server },
])
const leases = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    address: (parseAddress('10.10.0.50') ?? 0) + at,
    mac: `02:00:00:00:00:0${at}`,
    hostname: '<b>',
    expiresAt: 1_000 + at,
  }))

test('a range without a free address is a failure that names the newest leases, with their cards', () => {
  const [fine] = poolFindings(config, sampleFacts, leases(7))
  assert.equal(fine?.state, 'ok')
  const [found] = poolFindings(config, sampleFacts, leases(8))
  assert.equal(found?.state, 'failed')
  const text = JSON.stringify(found?.message)
  assert.match(text, /10\.10\.0\.57 \(02:00:00:00:00:07\), 10\.10\.0\.56 \(02:00:00:00:00:06\)/)
  assert.doesNotMatch(text, /02:00:00:00:00:00|<b>/)
})
