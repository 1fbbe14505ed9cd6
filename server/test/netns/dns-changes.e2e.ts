// The DNS server while things change: queries during changes, what is remembered, its death and its rest.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readAnswer } from '../support/dig.ts'
import { DnsLab, dnsSkip, freshName, type Item, zoneText } from '../support/dns-lab.ts'
import { startEcho } from '../support/dns-servers.ts'
import { until } from '../support/until.ts'

const [elsewhere, elsewhereSays] = ['198.51.100.60', '198.51.100.160']

describe('the DNS server while things change', { skip: dnsSkip }, () => {
  let lab: DnsLab

  before(async () => {
    lab = await DnsLab.start()
    await startEcho(lab.gateway, elsewhere, elsewhereSays)
  })
  after(() => lab.stop())

  it('keeps what it remembers over a change, and over one of another zone', async () => {
    const name = 'files.example.test'
    await lab.ask(name)
    const remembered = async () => ((await lab.ask(name)).ttl ?? 300) < 300
    await until('the answer comes from the cache', remembered)
    const id = await lab.add('/dns/zones/forward', { name: 'a.lan', enabled: true, servers: [elsewhere], comment: '' })
    assert.ok(await remembered())
    await lab.ok('DELETE', `/dns/zones/forward/${id}`)
    assert.ok(await remembered())
    await lab.ok('PATCH', '/dns/safesearch', { enabled: true })
    assert.ok(await remembered())
    await lab.ok('PATCH', '/dns/safesearch', { enabled: false })
  })

  it('loses none of 1,000 queries during 20 changes', async () => {
    const server = await lab.add('/dns/zones/root', { enabled: true, type: 'ip', object: elsewhere, comment: '' })
    const own = { name: 'own.example', enabled: true, config: zoneText(['* A 10.10.0.7']), comment: '' }
    const zone = await lab.add('/dns/zones/master', own)
    let isChanging = true
    let asked = 0
    const lost: string[] = []
    /** One dig with many names, half of them of the own zone; a name that no one asked before has to be fetched. */
    const askMany = async () => {
      const names = Array.from({ length: 50 }, (_, at) => freshName(at % 2 === 0 ? 'own.example' : 'any.example'))
      const { stdout } = await lab.gateway.exec('client', ['/usr/bin/dig', '@10.10.0.1', '-f', '-'], {
        input: `${names.join('\n')}\n`,
        timeoutMs: 60_000,
      })
      const answers = stdout.split('; <<>> DiG').slice(1).map(readAnswer)
      asked += names.length
      for (const [at, name] of names.entries()) {
        const expected = at % 2 === 0 ? 'A 10.10.0.7' : `A ${elsewhereSays}`
        if (answers[at]?.records[0] !== expected) lost.push(`${name}: ${JSON.stringify(answers[at])}`)
      }
    }
    const keepAsking = async () => {
      while (isChanging || asked < 1000) await askMany()
    }
    const clients = [keepAsking(), keepAsking()]
    for (let change = 0; change < 5; change++) {
      await lab.ok('PATCH', `/dns/zones/master/${zone}`, {
        config: zoneText(['* A 10.10.0.7', `c A 10.10.0.8`], change + 2),
      })
      const forward = { name: `f${change}.lan`, enabled: true, servers: [elsewhere], comment: '' }
      const id = await lab.add('/dns/zones/forward', forward)
      await lab.ok('PATCH', '/dns/settings', { intercept_enabled: change % 2 === 0 })
      await lab.ok('DELETE', `/dns/zones/forward/${id}`)
    }
    isChanging = false
    await Promise.all(clients)
    assert.ok(asked >= 1000)
    assert.deepEqual(lost, [])
    await lab.ok('PATCH', '/dns/settings', { intercept_enabled: false })
    await lab.ok('DELETE', `/dns/zones/master/${zone}`)
    await lab.ok('DELETE', `/dns/zones/root/${server}`)
  })

  it('comes back when it is killed, and the status shows it', async () => {
    lab.gateway.log.expect(/^error: applyd: dns ended with signal SIGKILL/)
    let dead: Item | null = null
    // The pauses between restarts grow, so the state in between is seen sooner or later.
    while (dead === null) {
      const pid = await lab.serverPid()
      await lab.gateway.exec('gateway', ['/usr/bin/kill', '-KILL', `${pid}`])
      await until('it is back', async () => {
        const item = await lab.item('unbound')
        if (item.status === 'failed') dead = item
        return item.status === 'active' && ![null, pid].includes(await lab.serverPid())
      })
    }
    await until('it answers again', async () => (await lab.ask('localhost')).status === 'NOERROR')
    assert.match((dead as Item).msg.join(' '), /dns ended with signal SIGKILL/)
    const [retry = ''] =
      /"message":"dns ended with signal SIGKILL[^\n]*/.exec(lab.gateway.logs()['applyd.log'] ?? '') ?? []
    assert.ok(Number(/"retryMs":(\d+)/.exec(retry)?.[1]) < 1000, retry)
  })

  it('has its words in the system journal', async () => {
    const items = [{ column_name: 'unit', operator: 'equals', value: ['unbound'] }]
    const filter = encodeURIComponent(JSON.stringify([{ items, link_operator: 'and' }]))
    await until('they are gathered', async () => (await lab.ok('GET', `/logs_backend/logs?filter=${filter}`)).rows > 0)
  })

  it('goes on while gatewayd and applyd are started again', async () => {
    const pid = await lab.serverPid()
    await lab.gateway.killGatewayd()
    await lab.gateway.killApplyd()
    assert.equal(await lab.serverPid(), pid)
    assert.equal((await lab.ask('www.example.test')).status, 'NOERROR')
    await lab.signIn()
  })

  it('runs as its own account', async () => {
    const pid = await lab.serverPid()
    const { stdout } = await lab.gateway.exec('gateway', ['/usr/bin/ps', '-o', 'user=', '-p', `${pid}`])
    assert.equal(stdout.trim(), process.getuid?.() === 0 ? 'unbound' : 'root')
  })

  it('is reported when it hangs, and rules can be changed all the same', async () => {
    const pid = await lab.serverPid()
    await lab.gateway.exec('gateway', ['/usr/bin/kill', '-STOP', `${pid}`])
    await until('the status says so', async () => /suspended/.test((await lab.item('unbound')).msg.join()))
    await lab.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
    await lab.ok('PATCH', '/firewall/settings', { automatic_snat_enabled: true })
    await lab.gateway.exec('gateway', ['/usr/bin/kill', '-CONT', `${pid}`])
    await until('it is well again', async () => (await lab.item('unbound')).status === 'active')
  })
})
