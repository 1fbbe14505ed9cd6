// Which rule decides: on the running configuration, on a past revision and on a change that is only thought of. And which
// rules do nothing good.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const packet = {
  source: '10.10.0.5',
  destination: '198.51.100.10',
  protocol: 'tcp',
  destination_port: 80,
  incoming_interface: 'lan0',
}

describe('the explanation of a packet', () => {
  let gateway: TestGateway
  let admin: Client
  let reader: Client
  let object = ''
  let rule = 0
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_firewall_admin')
    reader = await gateway.client('predefined_admin_readonly')
    const made = await admin('POST', '/aliases/ip_addresses', { title: 'Web', comment: '', value: '198.51.100.10' })
    object = made.body.id
    await admin('POST', '/firewall/rules/forward', { action: 'accept', protocol: 'protocol.udp' })
    rule = (await admin('POST', '/firewall/rules/forward', { action: 'drop', destination_addresses: [object] })).body.id
  })
  after(() => gateway.close())

  const ask = async (fields: object = {}) => {
    const { revision } = gateway.engine
    const answer = await reader('POST', '/firewall/explain', { packet, ...fields })
    assert.equal(gateway.engine.revision, revision, 'nothing is changed by asking')
    return answer
  }

  it('names the rule that decides and why earlier ones did not match', async () => {
    const { status, body, text } = await ask()
    assert.equal(status, 200, text)
    assert.equal(body.verdict, 'drop')
    const [outcome] = body.outcomes
    assert.equal(outcome.path, 'forward')
    assert.equal(outcome.outgoing_interface, 'wan0')
    assert.equal(outcome.decided_by, `firewall.forward[${rule}]`)
    const step = outcome.steps.find(({ stage }: { stage: string }) => stage === 'forward')
    assert.deepEqual(step.rule, { table: 'forward', id: rule, origin: `firewall.forward[${rule}]` })
    assert.equal(step.passed.length, 1)
    assert.equal(step.passed[0].field, 'protocol')
  })

  it('names objects by their titles', async () => {
    const other = { ...packet, destination: '198.51.100.11' }
    const { body } = await ask({ packet: other })
    assert.equal(body.verdict, 'accept')
    const step = body.outcomes[0].steps.find(({ stage }: { stage: string }) => stage === 'forward')
    assert.match(step.passed.at(-1).reason, new RegExp(`${object.replaceAll('.', '\\.')} "Web"`))
  })

  it('is given for a past revision', async () => {
    const { revision } = gateway.engine
    await admin('PATCH', `/firewall/rules/forward/${rule}`, { enabled: false })
    assert.equal((await ask()).body.verdict, 'accept')
    assert.equal((await ask({ revision })).body.verdict, 'drop')
    await admin('PATCH', `/firewall/rules/forward/${rule}`, { enabled: true })
    assert.equal((await ask({ revision: 999_999 })).status, 404)
  })

  it('is given for a change that is only thought of, to those who may make it', async () => {
    const change = { method: 'DELETE', path: `/firewall/rules/forward/${rule}` }
    assert.equal((await ask({ change })).status, 403)
    const { revision } = gateway.engine
    const answer = await admin('POST', '/firewall/explain', { packet, change })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.verdict, 'accept')
    assert.equal(gateway.engine.revision, revision)
    assert.equal((await ask()).body.verdict, 'drop')
    const refused = await admin('POST', '/firewall/explain', {
      packet,
      change: {
        method: 'POST',
        path: '/firewall/rules/forward',
        body: { action: 'drop', source_addresses: ['ip.id.99'] },
      },
    })
    assert.equal(refused.status, 422)
  })

  it('follows interfaces by their ids, and the gateway itself', async () => {
    assert.equal((await ask({ packet: { ...packet, incoming_interface: 'interface.local_any' } })).body.verdict, 'drop')
    const own = await ask({ packet: { ...packet, incoming_interface: null } })
    assert.equal(own.body.outcomes[0].path, 'output')
  })

  it('takes IPv6 and protocols without ports', async () => {
    const v6 = { ...packet, source: '2001:DB8::5', destination: '2001:db8:0:0::7' }
    assert.equal((await ask({ packet: v6 })).status, 200)
    const { destination_port: _, ...ping } = { ...packet, protocol: 'icmp' }
    assert.equal((await ask({ packet: ping })).body.verdict, 'drop')
  })

  const faults: [title: string, fields: object, field: string][] = [
    ['a port where none belongs', { packet: { ...packet, protocol: 'icmp' } }, 'packet.destination_port'],
    ['no port where one belongs', { packet: { ...packet, destination_port: undefined } }, 'packet.destination_port'],
    ['no address', { packet: { ...packet, source: '10.0.0' } }, 'packet.source'],
    ['half an IPv6 address', { packet: { ...packet, destination: '2001:db8' } }, 'packet.destination'],
    ['addresses of two kinds', { packet: { ...packet, destination: '2001:db8::1' } }, 'packet.destination'],
    ['an unknown interface', { packet: { ...packet, incoming_interface: 'eth9' } }, 'packet.incoming_interface'],
    ['a change and a revision', { revision: 1, change: { method: 'DELETE', path: '/x' } }, 'change'],
    ['a change that is not a call', { change: { method: 'DELETE', path: '/x' } }, 'change.path'],
    ['a change that only reads', { change: { method: 'POST', path: '/firewall/explain' } }, 'change.path'],
  ]
  for (const [title, fields, field] of faults) {
    it(`is refused for ${title}`, async () => {
      const { status, body } = await ask(fields)
      assert.equal(status, 422)
      assert.equal(body.problems[0].field, field)
    })
  }

  it('follows schedules at the time of the packet, however far away', async () => {
    const time = (
      await admin('POST', '/aliases/time_ranges', {
        title: 'Mondays',
        comment: '',
        weekdays: [1],
        start: '09:00',
        end: '18:00',
        period: null,
      })
    ).body.id
    await admin('PATCH', `/firewall/rules/forward/${rule}`, { timetable: [time] })
    const at = async (text: string): Promise<string> =>
      (await ask({ packet: { ...packet, time: Date.parse(text) / 1000 } })).body.verdict
    assert.equal(await at('2026-01-05T10:00:00Z'), 'drop')
    assert.equal(await at('2026-01-06T10:00:00Z'), 'accept')
    assert.equal(await at('2031-01-06T10:00:00Z'), 'drop')
    assert.equal(await at('2031-01-07T10:00:00Z'), 'accept')
    assert.equal(await at('2019-01-07T10:00:00Z'), 'drop')
    await admin('PATCH', `/firewall/rules/forward/${rule}`, { timetable: ['any'] })
  })
})

describe('the hygiene of rules', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_firewall_admin')
  })
  after(() => gateway.close())

  it('finds rules that never decide, were never hit, have expired or are too wide, each with its proof', async () => {
    const add = async (fields: object): Promise<number> =>
      (await admin('POST', '/firewall/rules/forward', fields)).body.id
    const past = (
      await admin('POST', '/aliases/time_ranges', {
        title: 'Past',
        comment: '',
        weekdays: [1, 2, 3, 4, 5, 6, 7],
        start: '00:00',
        end: '23:59',
        period: { first: 20240101000000, last: 20240131235959 },
      })
    ).body.id
    const expired = await add({ action: 'drop', protocol: 'protocol.gre', timetable: [past] })
    const wide = await add({ action: 'accept' })
    const shadowed = await add({ action: 'drop', protocol: 'protocol.udp' })
    gateway.applier.hitCounts.set(`firewall.forward[${wide}]`, 5)
    gateway.clock.advance(5)
    const reader = await gateway.client('predefined_admin_readonly')
    const { status, body, text } = await reader('GET', '/firewall/hygiene')
    assert.equal(status, 200, text)
    const of = (id: number): string[] =>
      body.filter((one: { rule_id: number }) => one.rule_id === id).map(({ kind }: { kind: string }) => kind)
    assert.deepEqual(of(expired).sort(), ['expired', 'never_hit'])
    assert.deepEqual(of(wide), ['too_wide'])
    assert.deepEqual(of(shadowed).sort(), ['never_hit', 'shadowed'])
    const proof = body.find((one: { kind: string }) => one.kind === 'shadowed').proof
    assert.deepEqual(proof.rules, [wide])
  })

  it('does not judge hits when they are not counted', async () => {
    await admin('PATCH', '/firewall/watch', { enabled: false })
    const { body } = await admin('GET', '/firewall/hygiene')
    assert.ok(!body.some(({ kind }: { kind: string }) => kind === 'never_hit'))
  })
})
