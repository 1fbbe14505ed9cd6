// What the writer of the agent's settings refuses.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canBeHost, hostName, number, printLines, servers } from './zabbix-agent.ts'

describe('the writer of the settings of the monitoring agent', () => {
  it('writes names with values', () => {
    const lines = [number('ListenPort', 10_050), servers('Server', ['192.0.2.1', 'a.example']), hostName('my gateway')]
    assert.equal(printLines(lines), 'ListenPort=10050\nServer=192.0.2.1,a.example\nHostname=my gateway\n')
  })

  it('refuses what could be another setting or another server', () => {
    for (const server of ['', 'a b', 'a,b', 'a;b', 'a\nUserParameter=x,id', 'a:0', '-a', '0.0.0.0/0'])
      assert.throws(() => servers('Server', [server]), server)
    assert.throws(() => servers('ServerActive', []))
    assert.throws(() => number('StartAgents', 1.5))
    for (const name of ['', ' a', "it's", 'a\nInclude=/etc']) assert.equal(canBeHost(name), false, name)
    assert.throws(() => hostName("it's"))
  })
})
