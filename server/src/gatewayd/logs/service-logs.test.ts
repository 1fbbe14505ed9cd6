// Log files of the services: our JSON lines, and lines of other programs with and without times.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { logSources } from '../../core/engine/views.ts'
import { maxMessage } from '../../domain/logs/record.ts'
import { engines } from '../../engines/index.ts'
import { serviceFiles } from './service-logs.ts'

const files = serviceFiles('/logs', logSources(engines))
const fileOf = (name: string) => {
  const file = files.find(({ path }) => path === `/logs/${name}.log`)
  if (!file) throw new Error(`no log of ${name}`)
  return file
}

const written = Date.UTC(2027, 0, 1)
const stamped = Date.UTC(2026, 0, 1, 0, 0, 1, 500)
const line = (message: string, level = 'info') =>
  JSON.stringify({ time: new Date(stamped).toISOString(), level, message })
const told = (name: string, text: string) =>
  fileOf(name)
    .records(Buffer.from(text), written)
    .map(({ time, priority, message }) => [time / 1000, priority, message])

it('reads lines with their level and time, and those without a time as of the one before', () => {
  const text = `before any time\n${line('ready')}\n  at some place\n\n${line('tab\there', 'error')}\n`
  assert.deepEqual(told('gatewayd', text), [
    [written, 6, 'before any time'],
    [stamped, 6, 'ready'],
    [stamped, 6, '  at some place'],
    [stamped, 3, 'tab here'],
  ])
  assert.deepEqual(told('gatewayd', 'the next chunk\n'), [[stamped, 6, 'the next chunk']])
})

it('reads the words of engines, with the times they give or those of their files', () => {
  const unbound = '[1794742996] unbound[60:0] notice: init module 0: respip\n[1794742997] unbound[60:1] error: no\n'
  assert.deepEqual(told('dns', unbound), [
    [1794742996000, 5, 'init module 0: respip'],
    [1794742997000, 3, 'no'],
  ])
  const dhcp = 'dnsmasq-dhcp[115]: DHCPACK(lan0) 10.10.0.53\n'
  assert.deepEqual(told('dhcp', dhcp), [[written, 6, dhcp.trimEnd()]])
})

it('does not believe a time that lies after that of the file, or none at all', () => {
  const forged = [
    '{"time":"+275760-09-13T00:00:00.000Z","message":"a"}',
    '{"time":"-271821-04-20T00:00:00.000Z","message":"b"}',
    '{"time":"2030-01-01T00:00:00.000Z","message":"c"}',
    '[999999999999] unbound[60:0] notice: d',
    '{"time":{"toString":1},"message":"e"}',
  ]
  for (const text of forged) assert.deepEqual(told('dhcp', `${text}\n`)[0]?.[0], written, text)
})

it('takes a line whose JSON is not what services write as it is, and goes on', () => {
  const odd = [
    '{"message":{"toString":1}}',
    '{"level":{"toString":1},"message":["x"]}',
    '{"time":[],"level":7}',
    '{"__proto__":1}',
  ]
  assert.deepEqual(
    told('dhcp', `${odd.join('\n')}\n`),
    odd.map((text) => [written, 6, text]),
  )
})

it('names programs and units', () => {
  const named = (name: string) =>
    fileOf(name)
      .records(Buffer.from('x\n'), written)
      .map(({ kind, unit, syslogId }) => [kind, unit, syslogId])
  assert.deepEqual(named('gatewayd'), [['system', '{brand}-gatewayd', 'gatewayd']])
  assert.deepEqual(named('dns'), [['system', 'unbound', 'unbound']])
  assert.deepEqual(named('dhcp'), [['system', '{brand}-dhcp-server-backend', 'dnsmasq']])
})

it('keeps a hostile line on one line and within its limit', () => {
  const [record] = fileOf('dhcp').records(Buffer.from(`a\u2028b\u001b[2J${'x'.repeat(10_000)}\n`), written)
  assert.match(record?.message ?? '', /^a b \[2Jx+$/)
  assert.equal(record?.message.length, maxMessage)
})

it('has a level that no service names as information', () => {
  assert.deepEqual(told('gatewayd', `${line('odd', 'constructor')}\n`), [[stamped, 6, 'odd']])
})
