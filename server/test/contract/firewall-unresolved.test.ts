// A rule that names a domain without known addresses is not in the kernel. Status, explanation and hygiene say so, by rule and
// domain, and say what that means for a rule that drops and for one that accepts.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { DomainState } from '../../src/areas/objects/service.ts'
import type { Facts } from '../../src/core/plan/facts.ts'
import { type Client, createTestGateway, labFacts, type TestGateway } from '../support/test-gateway.ts'

const packet = {
  source: '10.10.0.5',
  destination: '198.51.100.10',
  protocol: 'tcp',
  destination_port: 80,
  incoming_interface: 'lan0',
}

interface Item {
  readonly name: string
  readonly status: string
  readonly msg: readonly string[]
}

describe('a rule that names a domain without known addresses', () => {
  let gateway: TestGateway
  let admin: Client
  let domain = ''
  let list = ''
  let dropping = 0
  let excepting = 0
  let facts: Facts = labFacts
  const states = new Map<string, DomainState>()

  const learn = (addresses: readonly string[], state: DomainState): void => {
    facts = { ...facts, addressBook: new Map([[domain, addresses]]) }
    states.set(domain, state)
  }
  const rule = async (fields: object): Promise<number> =>
    (await admin('POST', '/firewall/rules/forward', fields)).body.id
  const statusOf = async (): Promise<Item | undefined> =>
    (await admin('GET', '/firewall/status')).body.find(({ name }: Item) => name === 'unresolved-names')
  const explained = async (change: object = {}) =>
    (await admin('POST', '/firewall/explain', { packet: { ...packet, ...change } })).body
  const findings = async (): Promise<{ rule_id: number; severity: string; text: string }[]> =>
    (await admin('GET', '/firewall/hygiene')).body.filter(({ kind }: { kind: string }) => kind === 'unresolved')

  before(async () => {
    gateway = await createTestGateway({ parts: { facts: () => facts, domains: { status: () => states } } })
    admin = await gateway.client('predefined_firewall_admin')
    domain = (await admin('POST', '/aliases/domains', { title: 'Ads', comment: '', value: 'ads.example.com' })).body.id
    const host = await admin('POST', '/aliases/ip_addresses', { title: 'Host', comment: '', value: '203.0.113.77' })
    const values = [domain, host.body.id]
    list = (await admin('POST', '/aliases/lists/addresses', { title: 'Bad', comment: '', values })).body.id
    dropping = await rule({ action: 'drop', protocol: 'protocol.tcp', destination_addresses: [domain] })
    excepting = await rule({
      action: 'accept',
      protocol: 'protocol.udp',
      destination_addresses: [list],
      destination_addresses_negate: true,
    })
    learn([], { resolvedAt: null, error: null })
  })
  after(() => gateway.close())

  it('is activating in the status until DNS has answered', async () => {
    const item = await statusOf()
    assert.equal(item?.status, 'activating')
  })

  it('is reported by rule and domain, with the answer of DNS and never as active', async () => {
    learn([], { resolvedAt: null, error: 'The name does not exist.' })
    const item = await statusOf()
    assert.equal(item?.status, 'failed')
    assert.deepEqual(item?.msg, [
      `FORWARD rule ${dropping}: No address is known for ads.example.com. The rule is not in the kernel: it does not drop these connections, and later rules and the default decide about them.`,
      `FORWARD rule ${excepting}: No address is known for ads.example.com. The exception has no effect: the rule also accepts these connections.`,
      'ads.example.com: The name does not exist.',
    ])
  })

  it('makes the explanation of a packet that it could match incomplete, and says why', async () => {
    const body = await explained()
    assert.equal(body.verdict, 'accept')
    assert.equal(body.is_complete, false)
    assert.deepEqual(
      body.incomplete_because.map((reason: string) => reason.split(':')[0]),
      [`FORWARD rule ${dropping}`],
    )
  })

  it('leaves the explanation of a packet complete that it could not match', async () => {
    const body = await explained({ protocol: 'gre', destination_port: undefined })
    assert.equal(body.is_complete, true)
    assert.deepEqual(body.incomplete_because, [])
  })

  it('is uncertain as well when it matches because of an exception that cannot hold', async () => {
    const body = await explained({ protocol: 'udp' })
    assert.equal(body.outcomes[0].decided_by, `firewall.forward[${excepting}]`)
    assert.equal(body.is_complete, false)
  })

  it('is a finding of hygiene, severe where more passes than the rules say', async () => {
    assert.deepEqual(
      (await findings()).map(({ rule_id, severity }) => [rule_id, severity]),
      [
        [dropping, 'high'],
        [excepting, 'high'],
      ],
    )
  })

  it('is none of that once the domain has addresses', async () => {
    learn(['198.51.100.10'], { resolvedAt: 1, error: null })
    assert.equal(await statusOf(), undefined)
    const body = await explained()
    assert.deepEqual([body.verdict, body.is_complete], ['drop', true])
    assert.deepEqual(await findings(), [])
  })
})
