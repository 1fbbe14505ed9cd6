// The host plane on a machine that is administered from outside: SSH that is in use at the first start stays reachable, and
// with the state of an earlier release the management service too. Nothing else is.
// Requirement 61.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { ip, type Machine, runIn, startMachine } from '../support/machine.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const address = '203.0.113.5'
const management = 18_443
/** As an administrator uses SSH; one that no one is connected to; and a service that an attacker is connected to. */
const [inUse, unused, attacked] = [2222, 2223, 2224]

describe('a machine that is administered from outside', () => {
  const cleanUp = new AsyncDisposableStack()
  let desk: Machine
  let machine: Machine
  let gateway: LabGateway

  const start = (where: Machine, ...command: readonly string[]): void => {
    const [program = '', ...args] = [...where.enter, ...command]
    const child = spawn(program, args, { stdio: 'ignore' })
    cleanUp.defer(async () => {
      child.kill()
    })
  }
  const node = (code: string): readonly string[] => [runtimePath(appRoot), '-e', code]
  /** Who asks goes away without reading. */
  const greeter = (port: string, text: string): string =>
    `require('node:net').createServer((one) => one.on('error', () => {}).write('${text}')).listen(${port})`
  const canConnect = (port: number): boolean =>
    runIn(desk, ['/usr/bin/timeout', '2', '/bin/bash', '-c', `exec 3<>/dev/tcp/${address}/${port}`]).status === 0
  const connections = (): string => runIn(machine, ['/usr/bin/ss', '-Htn', 'state', 'established']).stdout

  before(async () => {
    desk = await startMachine()
    cleanUp.defer(desk.leave)
    machine = await startMachine()
    cleanUp.defer(machine.leave)
    ip(machine, 'link', 'add', 'wan0', 'type', 'veth', 'peer', 'name', 'out0', 'netns', String(desk.pid))
    ip(machine, 'addr', 'add', `${address}/24`, 'dev', 'wan0')
    ip(desk, 'addr', 'add', '203.0.113.1/24', 'dev', 'out0')
    ip(machine, 'link', 'set', 'wan0', 'up')
    ip(desk, 'link', 'set', 'out0', 'up')
    ip(machine, 'route', 'add', 'default', 'via', '203.0.113.1')
    for (const [port, greeting] of [
      [inUse, 'SSH-2.0-x'],
      [unused, 'SSH-2.0-x'],
      [attacked, '220 mail'],
    ])
      start(machine, ...node(greeter(`${port}`, `${greeting}\\r\\n`)))
    await until('all services answer', () => [inUse, unused, attacked].every(canConnect))
    for (const port of [inUse, attacked])
      start(desk, ...node(`require('node:net').connect(${port}, '${address}').resume()`))
    await until('both are connected', () => [inUse, attacked].every((port) => connections().includes(`:${port}`)))
    gateway = await startGateway({
      adminPassword: password,
      dataplane: 'host',
      wrapper: machine.enter,
      env: { PORTCULLIS_LISTEN: `${address}:${management}` },
    })
    cleanUp.use(gateway)
  })
  after(() => cleanUp.disposeAsync())

  it('keeps SSH that is in use reachable at the first start, and closes everything else', async () => {
    await until('the rules are loaded', () => !canConnect(unused))
    assert.equal(canConnect(inUse), true)
    assert.equal(canConnect(attacked), false, 'although someone is connected to it')
    assert.equal(canConnect(management), false, 'also where it listens on the external address')
  })

  it('keeps the management service reachable with the state of an earlier release', async () => {
    // What an earlier release has not written.
    rmSync(join(gateway.stateDir, 'gateway', 'outside-closed'))
    await gateway.killGatewayd()
    // On a busy machine the first plan can fail at an engine that is slow to answer; until it is tried again, nothing is closed.
    await until('the rules are loaded', () => canConnect(management) && !canConnect(unused))
    assert.equal(canConnect(inUse), true)
    assert.equal(canConnect(attacked), false)
  })
})
