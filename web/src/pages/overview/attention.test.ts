// What needs the administrator.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedOnly } from '@gateway/server/core/fields'
import { verbatim } from '@gateway/server/shared/said'
import { findAttention, pathOfCheck, subjectOf } from './attention.ts'

const check = (id: string, state: 'ok' | 'warning' | 'failed' | 'unknown', since = 1) => ({
  id,
  title: id,
  state,
  since,
  message: `${id} is ${state}.`,
  advice: '',
})

test('failures come before warnings, newer before older, and good checks are absent', () => {
  const { needs } = findAttention(
    [check('disk', 'warning', 9), check('unit.dns', 'failed', 5), check('load', 'ok'), check('tables', 'failed', 7)],
    [],
  )
  assert.deepEqual(
    needs.map(({ key }) => key),
    ['tables', 'unit.dns', 'disk'],
  )
  assert.equal(needs[1]?.path, 'network/dns/servers')
})

test('an engine that a check speaks of is not told twice, what is stored only is told apart', () => {
  const { needs, stored } = findAttention(
    [check('unit.dns', 'failed')],
    [
      { path: '/dns/status', items: [{ name: 'dns', status: 'failed', msg: [verbatim('address in use')] }] },
      { path: '/dhcp_server/status', items: [{ name: 'dnsmasq', status: 'failed', msg: [verbatim('no range')] }] },
      { path: '/ips/status', items: [{ name: 'suricata', status: 'inactive', msg: [storedOnly('no engine yet.')] }] },
      { path: '/health/status', items: [{ name: 'checks', status: 'failed', msg: [verbatim('Two checks.')] }] },
      { path: '/backup/status', items: [{ name: 'backup', status: 'active', msg: [] }] },
    ],
  )
  assert.deepEqual(
    needs.map(({ title }) => title),
    ['unit.dns', 'DHCP: dnsmasq'],
  )
  assert.deepEqual(
    stored.map(({ title, message }) => [title, message]),
    [['Intrusion prevention', 'no engine yet.']],
  )
})

test('what is not known leads to the health page', () => {
  assert.equal(pathOfCheck('something.new'), 'overview/health')
  assert.equal(subjectOf('/new/status').path, 'overview/health')
})
