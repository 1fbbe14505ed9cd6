// Log files of the services: our JSON lines, lines of other programs, and files that are cut or not there.

import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { createServiceLogs, parseLog } from './service-logs.ts'

const line = (message: string, level = 'info') => JSON.stringify({ time: '2026-01-01T00:00:01.500Z', level, message })

it('reads lines with their level, time and place', () => {
  const text = `before any time\n${line('ready')}\n  at some place\n\n${line('tab\there', 'error')}\nnot whole`
  const read = parseLog(Buffer.from(text), 'gatewayd', 0)
  const time = Date.UTC(2026, 0, 1, 0, 0, 1, 500)
  assert.deepEqual(
    read.map(({ position: _position, ...rest }) => rest),
    [
      { program: 'gatewayd', time, level: 'info', message: 'ready' },
      { program: 'gatewayd', time, level: 'info', message: '  at some place' },
      { program: 'gatewayd', time, level: 'error', message: 'tab here' },
    ],
  )
  assert.equal(new Set(read.map(({ position }) => position)).size, 3)
})

it('leaves out a first line that is cut', () => {
  const text = `cut off"}\n${line('whole')}\n`
  assert.deepEqual(
    parseLog(Buffer.from(text), 'applyd', 1000).map(({ message, position }) => [message, position]),
    [['whole', 1010]],
  )
})

it('reads the words of engines, with the times they give or those of their files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'))
  const unbound = '[1794742996] unbound[60:0] notice: init module 0: respip\n[1794742997] unbound[60:1] error: no\n'
  writeFileSync(join(folder, 'unbound.log'), unbound)
  writeFileSync(join(folder, 'dhcp.log'), 'dnsmasq-dhcp[115]: DHCPACK(lan0) 10.10.0.53\n')
  const written = Date.UTC(2026, 0, 1)
  utimesSync(join(folder, 'dhcp.log'), written / 1000, written / 1000)
  const logs = createServiceLogs(folder)
  const told = async (program: string) =>
    (await logs.readNews(program)).lines.map(({ time, level, message }) => [time, level, message])
  assert.deepEqual(await told('unbound'), [
    [1794742996000, 'notice', 'init module 0: respip'],
    [1794742997000, 'error', 'no'],
  ])
  assert.deepEqual(await told('dhcp'), [[written, 'info', 'dnsmasq-dhcp[115]: DHCPACK(lan0) 10.10.0.53']])
  rmSync(folder, { recursive: true })
})

it('reads the files that are there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'))
  writeFileSync(join(folder, 'applyd.log'), `${line('applied')}\n`)
  const logs = createServiceLogs(folder)
  const news = async (program: string, isForgotten = false) => {
    const { lines, isRestarted } = await logs.readNews(program, isForgotten)
    return [isRestarted, ...lines.map(({ message, position }) => `${position} ${message}`)]
  }
  assert.deepEqual(await news('gatewayd'), [true])
  assert.deepEqual(await news('applyd'), [true, '0 applied'])
  assert.deepEqual(await news('applyd'), [false])
  const first = line('applied').length + 1
  appendFileSync(join(folder, 'applyd.log'), `  at some place\nnot wh`)
  assert.deepEqual(await news('applyd'), [false, `${first}   at some place`])
  appendFileSync(join(folder, 'applyd.log'), 'ole\n')
  assert.deepEqual(await news('applyd'), [false, `${first + 16} not whole`])
  assert.equal((await news('applyd', true)).length, 4)
  writeFileSync(join(folder, 'applyd.log'), `${line('anew')}\n`)
  assert.deepEqual(await news('applyd'), [true, '0 anew'])
  rmSync(folder, { recursive: true })
})
