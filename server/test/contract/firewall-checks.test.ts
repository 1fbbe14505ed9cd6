// Rule tests: stored, copied and removed, run with packets, judged, and blocking the traffic when that is wanted.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decidingRule, localStamp } from '../../src/areas/firewall/jobs.ts'
import { render } from '../../src/areas/firewall/render.ts'
import type { TrialPacket } from '../../src/core/plan/artifacts.ts'
import { type Client, createTestGateway, labFacts, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const path = '/firewall/checks_packets'
const check = {
  enabled: true,
  protocol: 'tcp',
  src_ip: '10.10.0.5',
  dst_ip: '198.51.100.10',
  src_port: 50_000,
  dst_port: 80,
  incoming_interface: 'interface.external_any',
  expected_result: 'accept',
  comment: '',
} as const

describe('rule tests', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_firewall_admin')
  })
  after(() => gateway.close())
  beforeEach(async () => {
    for (const { id } of (await admin('GET', path)).body) await admin('DELETE', `${path}/${id}`)
    await admin('PATCH', '/firewall/checks_settings', { block_traffic: false })
    gateway.applier.tryPacket = () => ({ passed: true, origins: [] })
  })

  const add = async (fields: object = {}): Promise<string> => {
    const answer = await admin('POST', path, { ...check, ...fields })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }
  const results = async () => (await admin('GET', '/firewall/checks_result')).body
  const run = async () => {
    assert.equal((await admin('POST', '/firewall/checks_start')).status, 200)
    await until('the run is over', async () => !(await results()).in_progress)
    return results()
  }

  it('are made, shown, changed, copied and removed', async () => {
    const { enabled: _, comment: __, ...least } = check
    const id = (await admin('POST', path, least)).body.id
    assert.match(id, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.deepEqual((await admin('GET', path)).body, [{ ...check, id }])
    assert.equal((await admin('PATCH', `${path}/${id}`, { dst_port: 443, comment: 'c' })).status, 200)
    const copy = (await admin('POST', `${path}/${id}/copy`)).body.id
    assert.notEqual(copy, id)
    const changed = { ...check, dst_port: 443, comment: 'c' }
    assert.deepEqual((await admin('GET', path)).body, [
      { ...changed, id },
      { ...changed, id: copy },
    ])
    assert.equal((await admin('DELETE', `${path}/${id}`)).status, 200)
    assert.equal((await admin('DELETE', `${path}/${id}`)).status, 404)
    assert.equal((await admin('POST', `${path}/${id}/copy`)).status, 404)
  })

  it('are also removed by a PATCH without any body', async () => {
    const id = await add()
    assert.equal((await admin('PATCH', `${path}/${id}`, {})).status, 200)
    assert.equal((await admin('GET', path)).body.length, 1)
    assert.equal((await admin('PATCH', `${path}/${id}`)).status, 200)
    assert.deepEqual((await admin('GET', path)).body, [])
    assert.equal((await admin('PATCH', `${path}/${id}`)).status, 404)
  })

  const faults: [field: string, value: unknown][] = [
    ['protocol', 'icmp'],
    ['src_ip', '10.0.0.0/8'],
    ['dst_ip', 'example.com'],
    ['src_port', 0],
    ['dst_port', 65_536],
    ['incoming_interface', 'interface.id.99'],
    ['incoming_interface', 'ip.id.1'],
    ['incoming_interface', 'any'],
    ['expected_result', 'reject'],
    ['comment', 'x'.repeat(256)],
  ]
  for (const [field, value] of faults) {
    it(`with ${field} ${String(value).slice(0, 20)} are refused`, async () => {
      const answer = await admin('POST', path, { ...check, [field]: value })
      assert.equal(answer.status, 422)
      assert.equal(answer.body.problems[0].field, field)
    })
  }

  it('send the packets of those switched on and tell what became of each', async () => {
    const sent: TrialPacket[] = []
    gateway.applier.tryPacket = (packet) => {
      sent.push(packet)
      return packet.destinationPort === 80
        ? { passed: false, origins: ['firewall.log[1]', 'firewall.forward[7]'] }
        : { passed: true, origins: ['firewall.input[2]'] }
    }
    const failing = await add()
    const fine = await add({ dst_port: 22, protocol: 'udp' })
    await add({ enabled: false, dst_port: 81 })
    const gone = await add({ incoming_interface: 'interface.tunnel_any', expected_result: 'drop' })
    gateway.clock.advance(5)
    const answer = await run()
    assert.deepEqual(sent, [
      {
        device: 'wan0',
        protocol: 'tcp',
        source: '10.10.0.5',
        sourcePort: 50_000,
        destination: '198.51.100.10',
        destinationPort: 80,
      },
      {
        device: 'wan0',
        protocol: 'udp',
        source: '10.10.0.5',
        sourcePort: 50_000,
        destination: '198.51.100.10',
        destinationPort: 22,
      },
    ])
    assert.equal(answer.check_datetime, localStamp(gateway.clock.now(), labFacts.timeZone))
    assert.deepEqual(answer.data, {
      [failing]: { result: 'drop', rule_id: 'fwd.ngfw.7', verdict: false },
      [fine]: { result: 'accept', rule_id: 'inp.ngfw', verdict: true },
      [gone]: { result: 'drop', rule_id: 'fwd.sys.no_interface', verdict: true },
    })
    assert.equal(answer.block_status, false)
  })

  it('are not run twice at the same time, and say that they are running', async () => {
    await add()
    let release = (): void => {}
    const { trial } = gateway.applier
    gateway.applier.trial = async (packets) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return trial.call(gateway.applier, packets)
    }
    assert.equal((await admin('POST', '/firewall/checks_start')).status, 200)
    const during = await results()
    assert.deepEqual([during.in_progress, during.data], [true, {}])
    assert.equal((await admin('POST', '/firewall/checks_start')).status, 409)
    release()
    await until('the run is over', async () => !(await results()).in_progress)
    gateway.applier.trial = trial
  })

  it('block all traffic when one fails and that is wanted, until a run without failures', async () => {
    const rendered = (): string => JSON.stringify(render(gateway.engine.config, labFacts))
    const open = rendered()
    await add()
    await add({ dst_port: 81 })
    await admin('PATCH', '/firewall/checks_settings', { block_traffic: true })
    assert.deepEqual((await admin('GET', '/firewall/checks_settings')).body, { block_traffic: true })
    gateway.applier.tryPacket = ({ destinationPort }) => ({ passed: destinationPort === 80, origins: [] })
    assert.equal((await run()).block_status, true)
    assert.notEqual(rendered(), open)
    const status = (await admin('GET', '/firewall/status')).body
    assert.equal(status.find((item: { name: string }) => item.name === 'rule-tests').status, 'failed')

    gateway = await gateway.restart()
    admin = await gateway.client('predefined_firewall_admin')
    assert.deepEqual(await results(), { block_status: true, in_progress: false, check_datetime: 0, data: {} })
    await admin('PATCH', '/firewall/checks_settings', { block_traffic: false })
    assert.equal((await results()).block_status, true, 'switching the option off does not lift it')
    assert.equal((await run()).block_status, true, 'neither does a run with a failure')
    gateway.applier.tryPacket = () => ({ passed: true, origins: [] })
    assert.equal((await run()).block_status, false)
    assert.equal(rendered(), open)
  })

  it('leave the block as it is when the packets cannot be sent, and the audit trail says why', async () => {
    const reader = await gateway.client('predefined_admin_readonly')
    await add()
    gateway.applier.failWith = new Error('The copy of the rules could not be made.')
    const answer = await run()
    gateway.applier.failWith = null
    const status = (await admin('GET', '/firewall/status')).body
    assert.deepEqual(
      status.find((item: { name: string }) => item.name === 'rule-tests'),
      {
        name: 'rule-tests',
        status: 'failed',
        msg: ['The last run of the rule tests failed: The copy of the rules could not be made.'],
      },
    )
    assert.deepEqual([answer.data, answer.block_status], [{}, false])
    gateway.services.audit.flush()
    const records = (await reader('GET', '/journal/records?limit=5')).body
    assert.ok(
      records.some(({ message }: { message: string }) => message === 'The copy of the rules could not be made.'),
    )
  })
})

describe('the rule that decided about a test', () => {
  const own = { ...check, id: 'x', dst_ip: '203.0.113.2' }
  const rows: [title: string, packet: typeof own, origins: string[], rule: string][] = [
    ['a FORWARD rule', own, ['firewall.log[3]', 'firewall.dnat[1]', 'firewall.forward[12]'], 'fwd.ngfw.12'],
    ['an INPUT rule', own, ['firewall.input[12]'], 'inp.ngfw'],
    ['an access control list', own, ['firewall.acl[abc]'], 'fwd.sys.acl'],
    ['a system rule', own, ['inp.sys.loopback'], 'inp.sys.loopback'],
    ['the block', own, ['firewall.acl[abc]', 'fwd.sys.blocked'], 'fwd.sys.blocked'],
    ['the default of access control lists', own, ['firewall.acl_state'], 'fwd.sys.acl'],
    ['no rule, to the gateway', own, [], 'inp.sys.default'],
    ['no rule, through the gateway', { ...own, dst_ip: '198.51.100.1' }, ['fwd.sys.established'], 'fwd.sys.default'],
    ['no rule, translated to elsewhere', own, ['firewall.dnat[1]'], 'fwd.sys.default'],
  ]
  for (const [title, packet, origins, rule] of rows) {
    it(`is ${rule} for ${title}`, () =>
      assert.equal(decidingRule({}, labFacts, packet, { passed: true, origins }), rule))
  }

  it('is shown in the time zone of the gateway', () => {
    const date = new Date('2026-07-01T22:30:05Z')
    assert.equal(localStamp(date, 'Europe/Berlin'), 20260702003005)
    assert.equal(localStamp(date, 'UTC'), 20260701223005)
  })
})
