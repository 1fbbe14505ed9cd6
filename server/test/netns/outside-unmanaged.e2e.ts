// The host plane on a machine whose ways to the internet are devices that the gateway does not configure: a bridge with the
// default route of IPv4 and a card that has IPv6 alone. Both are outside all the same.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { startGateway } from '../support/lab-gateway.ts'
import { ip, type Machine, runIn, startMachine } from '../support/machine.ts'
import { until } from '../support/until.ts'

const service = 2223
const ways = { bridge: '203.0.113.5', 'card with IPv6 alone': '2001:db8:5::5', 'local card': '10.10.0.1' } as const

describe('an attacker behind a device that has no connection', () => {
  const cleanUp = new AsyncDisposableStack()
  let attacker: Machine
  let machine: Machine

  const canConnect = (address: string): boolean =>
    runIn(attacker, ['/usr/bin/timeout', '2', '/bin/bash', '-c', `exec 3<>/dev/tcp/${address}/${service}`]).status === 0

  const connect = (device: string, near: readonly string[], far: string): void => {
    const peer = `${device}p`
    ip(machine, 'link', 'add', device, 'type', 'veth', 'peer', 'name', peer, 'netns', String(attacker.pid))
    for (const one of near) ip(machine, 'addr', 'add', one, 'dev', device, ...(one.includes(':') ? ['nodad'] : []))
    ip(attacker, 'addr', 'add', far, 'dev', peer, ...(far.includes(':') ? ['nodad'] : []))
    ip(machine, 'link', 'set', device, 'up')
    ip(attacker, 'link', 'set', peer, 'up')
  }

  before(async () => {
    attacker = await startMachine()
    cleanUp.defer(attacker.leave)
    machine = await startMachine()
    cleanUp.defer(machine.leave)
    connect('lan0', [`${ways['local card']}/24`], '10.10.0.2/24')
    connect('six0', [`${ways['card with IPv6 alone']}/64`], '2001:db8:5::1/64')
    connect('port0', [], '203.0.113.1/24')
    ip(machine, 'link', 'add', 'br0', 'type', 'bridge')
    ip(machine, 'link', 'set', 'port0', 'master', 'br0')
    ip(machine, 'addr', 'add', `${ways.bridge}/24`, 'dev', 'br0')
    ip(machine, 'link', 'set', 'br0', 'up')
    ip(machine, 'route', 'add', 'default', 'via', '203.0.113.1')
    ip(machine, '-6', 'route', 'add', 'default', 'via', '2001:db8:5::1', 'dev', 'six0')
    const code = `require('node:net').createServer((socket) => socket.destroy()).listen(${service}, '::')`
    const [program = '', ...args] = [...machine.enter, runtimePath(appRoot), '-e', code]
    const child = spawn(program, args, { stdio: 'ignore' })
    cleanUp.defer(async () => {
      child.kill()
    })
    await until('the service answers on every way', () => Object.values(ways).every(canConnect))
    const env = { PORTCULLIS_LISTEN: `${ways['local card']}:18443` }
    cleanUp.use(
      await startGateway({ adminPassword: 'correct horse 9', dataplane: 'host', wrapper: machine.enter, env }),
    )
    await until('the rules are loaded', () =>
      runIn(machine, ['/usr/sbin/nft', 'list', 'tables']).stdout.includes('table inet portcullis\n'),
    )
  })
  after(() => cleanUp.disposeAsync())

  it('reaches nothing over a bridge with the default route', async () => {
    await until('the bridge is closed', () => !canConnect(ways.bridge))
  })

  it('reaches nothing over a card with a default route of IPv6', async () => {
    await until('the card is closed', () => !canConnect(ways['card with IPv6 alone']))
  })

  it('is welcome in a local network as before', () => {
    assert.equal(canConnect(ways['local card']), true)
  })
})
