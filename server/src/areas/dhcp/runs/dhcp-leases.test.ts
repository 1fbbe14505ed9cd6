// Leases as dnsmasq writes them down, and what someone on the network might make it write.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDhcpLeases, parseLeases } from './dhcp-leases.ts'

const lease = { address: 0x0a0a0033, mac: '02:00:00:00:00:aa', hostname: 'printer', expiresAt: 2000 }

test('leases are read in the order of their addresses, without those that ran out', () => {
  const text = [
    '2000 02:00:00:00:00:AA 10.10.0.51 printer 01:02:00:00:00:00:aa',
    '1000 02:00:00:00:00:bb 10.10.0.52 old *',
    '2000 02:00:00:00:00:cc 10.10.0.50 * ff:00:01',
    'duid 00:01:00:01',
    '',
  ].join('\n')
  assert.deepEqual(parseLeases(text, 1000), [
    { ...lease, address: 0x0a0a0032, mac: '02:00:00:00:00:cc', hostname: '' },
    lease,
  ])
})

test('what is not a lease is left out, what is not a name is not a name, and half a line is not read', () => {
  const bad = [
    'x 02:00:00:00:00:aa 10.10.0.51 a *',
    '2000 zz 10.10.0.51 a *',
    '2000 02:00:00:00:00:aa 1.2.3 a *',
    '2000',
  ]
  assert.deepEqual(parseLeases(`${bad.join('\n')}\n`, 0), [])
  const named = (name: string) => parseLeases(`2000 02:00:00:00:00:aa 10.10.0.51 ${name} *\n`, 0)[0]?.hostname
  assert.equal(named('<script>'), '')
  assert.equal(named('\u001b[2J'), '')
  assert.equal(named('a.b-c_d'), 'a.b-c_d')
  assert.deepEqual(parseLeases('2000 02:00:00:00:00:aa 10.10.0.51 prin', 0), [])
})

test('a file that is not there holds none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-dhcp-leases-'))
  const leases = createDhcpLeases(join(folder, 'leases'))
  assert.deepEqual(await leases.list(0), [])
  writeFileSync(join(folder, 'leases'), '2000 02:00:00:00:00:aa 10.10.0.51 printer *\n')
  assert.deepEqual(await leases.list(1000), [lease])
  rmSync(folder, { recursive: true })
})
