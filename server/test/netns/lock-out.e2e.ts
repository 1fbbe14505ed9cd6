// The host plane in its own namespace, administered over its own network: a change that would cut the administrator's
// connection is refused, and on probation it is made, cuts them off, and is reverted automatically.
// Requirement 61.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { ip, type Machine, runIn, startMachine } from '../support/machine.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const address = '10.99.0.1'
const listen = `${address}:18443`
/** So long a change on probation stays. */
const probationSeconds = 8

describe('an administrator on the network of the gateway', () => {
  const cleanUp = new AsyncDisposableStack()
  let desk: Machine
  let gateway: LabGateway
  let jar = ''
  let connection = 0

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-lockout-'))
    cleanUp.defer(() => rmSync(folder, { recursive: true }))
    jar = join(folder, 'jar')
    desk = await startMachine()
    cleanUp.defer(desk.leave)
    const machine = await startMachine()
    cleanUp.defer(machine.leave)
    ip(machine, 'link', 'add', 'lan0', 'type', 'veth', 'peer', 'name', 'lan0', 'netns', String(desk.pid))
    ip(machine, 'addr', 'add', `${address}/24`, 'dev', 'lan0')
    ip(desk, 'addr', 'add', '10.99.0.2/24', 'dev', 'lan0')
    for (const one of [machine, desk]) ip(one, 'link', 'set', 'lan0', 'up')
    gateway = await startGateway({
      adminPassword: password,
      dataplane: 'host',
      wrapper: machine.enter,
      env: { PORTCULLIS_LISTEN: listen },
    })
    cleanUp.use(gateway)
    // From here on the gateway itself holds its namespaces, so that its end shows whether anything else stays in them.
    await machine.leave()
    const signedIn = call('POST', '/web/auth/login', { login: 'admin', password, rest_path: '/' })
    assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
    connection = call('GET', '/network/connections').body[0].id
  })
  after(async () => {
    try {
      await gateway?.stop()
    } finally {
      await cleanUp.disposeAsync()
    }
  })

  type Request = readonly [method: string, path: string, body?: unknown, header?: string]

  const curl = ([method, path, body, header = 'x-none: 1']: Request): readonly string[] => [
    '/usr/bin/curl',
    '-sk',
    '-m',
    '120',
    '-c',
    jar,
    '-b',
    jar,
    '-X',
    method,
    '-H',
    header,
    '-w',
    '\n%{http_code}',
    `https://${listen}${path}`,
    ...(body === undefined ? [] : ['-d', JSON.stringify(body)]),
  ]

  function call(...request: Request) {
    const { stdout } = runIn(desk, curl(request))
    const [text = '', status = '0'] = stdout.split(/\n(?=\d{3}$)/)
    return { status: Number(status), body: text === '' ? null : JSON.parse(text) }
  }

  /** Sends without waiting for an answer, which a change that cuts the connection may never let through. */
  function send(request: Request): void {
    const [program = '', ...args] = [...desk.enter, ...curl(request)]
    const child = spawn(program, args, { stdio: 'ignore' })
    cleanUp.defer(() => {
      child.kill()
    })
  }

  /** The kernel of the gateway answers this by itself, however busy the machine is. */
  const canConnect = (): boolean =>
    runIn(desk, ['/usr/bin/timeout', '2', '/bin/bash', '-c', `exec 3<>/dev/tcp/${listen.replace(':', '/')}`]).status ===
    0

  const cuts: readonly [title: string, request: () => Request, words: RegExp][] = [
    [
      'switching off the interface',
      () => ['PATCH', `/network/connections/${connection}`, { enabled: false }],
      /removes the address 10\.99\.0\.1/,
    ],
    [
      'another address',
      () => ['PATCH', `/network/connections/${connection}`, { addresses: ['10.98.0.1/24'] }],
      /removes the address 10\.99\.0\.1/,
    ],
    [
      'an input rule that drops everything',
      () => ['POST', '/firewall/rules/input', { action: 'drop' }],
      /your own connection from 10\.99\.0\.2 to 10\.99\.0\.1 port 18443 would be dropped/,
    ],
  ]
  for (const [title, request, words] of cuts) {
    it(`${title} is refused, and on probation it is made and reverted`, async () => {
      const refused = call(...request())
      assert.equal(refused.status, 409, JSON.stringify(refused.body))
      assert.match(refused.body.message, words)
      assert.match(refused.body.message, /Portcullis-Confirm-Within/)
      const [before] = call('GET', '/config/revisions?limit=1').body
      const [method, path, body] = request()
      send([method, path, body, `Portcullis-Confirm-Within: ${probationSeconds}`])
      await until('no new connection gets in', () => !canConnect())
      await until('connections get in again', canConnect)
      const isPutBack = () => call('GET', '/config/revisions?limit=1').body[0].revision === before.revision + 2
      await until('it is put back', isPutBack)
      const [putBack, made] = call('GET', '/config/revisions?limit=2').body
      assert.deepEqual([made.revision, made.author], [before.revision + 1, 'admin'])
      assert.deepEqual([putBack.revision, putBack.author], [before.revision + 2, 'system'])
      assert.equal(putBack.reason, `Revision ${made.revision} was not confirmed within ${probationSeconds} s`)
    })
  }

  it('rules are tested with packets through a copy of this machine', async () => {
    const add = (path: string, fields: object): number | string => {
      const { status, body } = call('POST', path, fields)
      assert.equal(status, 200, JSON.stringify(body))
      return body.id
    }
    const refused = add('/aliases/ports', { title: 'refused', comment: '', value: 7 })
    const away = add('/aliases/ip_addresses', { title: 'away', comment: '', value: '10.99.0.77' })
    add('/firewall/rules/input', { action: 'drop', protocol: 'protocol.udp', destination_ports: [refused] })
    const rule = add('/firewall/rules/forward', { action: 'drop', destination_addresses: [away] })
    const packet = { incoming_interface: `interface.id.${connection}`, src_ip: '10.99.0.2', src_port: 50_000 }
    const test = (protocol: string, dst_ip: string, dst_port: number, expected_result: string) =>
      add('/firewall/checks_packets', { ...packet, protocol, dst_ip, dst_port, expected_result })
    const expected = {
      [test('udp', address, 7, 'drop')]: { result: 'drop', rule_id: 'inp.ngfw', verdict: true },
      [test('tcp', address, 18443, 'accept')]: { result: 'accept', rule_id: 'inp.sys.default', verdict: true },
      [test('tcp', '10.99.0.77', 80, 'drop')]: { result: 'drop', rule_id: `fwd.ngfw.${rule}`, verdict: true },
      [test('tcp', '10.99.0.78', 80, 'drop')]: { result: 'accept', rule_id: 'fwd.sys.default', verdict: false },
    }
    assert.equal(call('POST', '/firewall/checks_start').status, 200)
    await until('the run is over', () => !call('GET', '/firewall/checks_result').body.in_progress)
    assert.deepEqual(call('GET', '/firewall/checks_result').body.data, expected)
  })
})
