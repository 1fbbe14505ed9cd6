// Forms that newer clients of this interface send are accepted where they mean what this version means, and refused with a
// reason where they do not. Rules are shown in both forms, so that such a client finds what it sent.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

describe('newer forms', () => {
  let gateway: TestGateway
  let admin: Client
  let address = ''
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_firewall_admin')
    address = (await admin('POST', '/aliases/ip_addresses', { title: 'a', comment: '', value: '10.0.0.5' })).body.id
  })
  after(() => gateway.close())

  const problemsOf = ({ status, body, text }: Answer): Record<string, string> => {
    assert.equal(status, 422, text)
    const problems = body.problems as { field: string; message: string }[]
    return Object.fromEntries(problems.map(({ field, message }) => [field, message]))
  }
  const added = async (path: string, body: object) => {
    const answer = await admin('POST', path, body)
    assert.equal(answer.status, 200, answer.text)
    const rules = (await admin('GET', path)).body as Record<string, unknown>[]
    return rules.find(({ id }) => id === answer.body.id) ?? {}
  }

  describe('of firewall rules', () => {
    const tables = { forward: 'drop', input: 'drop', dnat: 'accept', snat: 'accept', log: 'mark_log' } as const

    for (const [table, action] of Object.entries(tables))
      it(`one block of sources and destinations is the same as the fields of a ${table} rule`, async () => {
        const path = `/firewall/rules/${table}`
        const blocks = {
          sources: [{ addresses: [address], addresses_negate: true }],
          destinations: [{ addresses: ['any'], addresses_negate: false }],
        }
        const fields = {
          source_addresses: [address],
          source_addresses_negate: true,
          destination_addresses: ['any'],
          destination_addresses_negate: false,
        }
        const { id: one, ...shown } = await added(path, { action, ...blocks })
        const { id: other, ...plain } = await added(path, { action, ...fields })
        assert.deepEqual(shown, plain)
        assert.equal((await admin('PATCH', `${path}/${one}`, { sources: [{ addresses: ['any'] }] })).status, 200)
        const rules = (await admin('GET', path)).body as Record<string, unknown>[]
        const changed = rules.find(({ id }) => id === one)
        assert.deepEqual([changed?.source_addresses, changed?.source_addresses_negate], [['any'], false])
        assert.equal((await admin('PUT', `${path}/${other}`, { action, ...blocks })).status, 200)
      })

    it('a whole FORWARD rule of a newer client is accepted, and shown without what this version does not have', async () => {
      const shown = await added('/firewall/rules/forward', {
        parent_id: 'f3ffde22-a562-4f43-ac04-c40fcec6a88c',
        enabled: true,
        logging: false,
        protocol: 'protocol.tcp',
        sources: [{ addresses: [address], addresses_negate: false }],
        source_ports: ['any'],
        incoming_interface: 'any',
        outgoing_interface: 'any',
        destination_ports: ['any'],
        destinations: [{ addresses: ['any'], addresses_negate: false }],
        hip_profiles: [],
        hip_profiles_negate: false,
        dpi_profile: '',
        dpi_enabled: false,
        ips_profile: '',
        ips_enabled: false,
        timetable: ['any'],
        comment: 'newer',
        action: 'reject',
      })
      const [any] = (await admin('GET', '/firewall/rules/input')).body as object[]
      assert.deepEqual(Object.keys(shown).sort(), Object.keys(any ?? {}).sort())
      assert.equal(shown.action, 'reject')
    })

    it('what this version does not have is refused with the reason', async () => {
      const path = '/firewall/rules/forward'
      const refused = async (body: object) => problemsOf(await admin('POST', path, { action: 'drop', ...body }))
      assert.match((await refused({ logging: true })).logging ?? '', /decided by LOG rules/)
      assert.match((await refused({ hip_profiles_negate: true })).hip_profiles_negate ?? '', /cannot exclude device/)
      const block = { addresses: ['any'], addresses_negate: false }
      assert.match((await refused({ sources: [block, block] })).sources ?? '', /exactly one block/)
      const both = { destinations: [block], destination_addresses: [address] }
      assert.match((await refused(both)).destinations ?? '', /either destinations or destination_addresses/)
      assert.deepEqual(Object.keys(await refused({ sources: [{ addresses: ['ip.id.999'] }] })), ['source_addresses[0]'])
      assert.deepEqual(Object.keys(await refused({ sources: [{ networks: [] }] })).sort(), [
        'sources[0].addresses',
        'sources[0].networks',
      ])
    })

    const blockOf = (addresses: readonly string[], addresses_negate = false) => [{ addresses, addresses_negate }]
    const fieldsOf = (addresses: readonly string[], negate = false) => ({
      source_addresses: addresses,
      source_addresses_negate: negate,
    })

    for (const [table, action] of Object.entries(tables))
      it(`a client of either line that sends back what it read of a ${table} rule changes what it changed`, async () => {
        const path = `/firewall/rules/${table}`
        const rule = await added(path, { action, sources: blockOf([address], true) })
        assert.deepEqual(rule.sources, blockOf([address], true))
        assert.deepEqual(rule.destinations, blockOf(['any']))
        const now = async () => ((await admin('GET', path)).body as { id: number }[]).find(({ id }) => id === rule.id)
        const [one, other] = [
          { sources: blockOf(['any']), ...fieldsOf(['any']) },
          { sources: blockOf([address]), ...fieldsOf([address]) },
        ]
        const cases: readonly [change: object, after: object][] = [
          [{}, { sources: blockOf([address], true), ...fieldsOf([address], true) }],
          [{ sources: blockOf(['any']) }, one],
          [{ source_addresses: [address] }, other],
          [{ ...one }, one],
          [{ sources: blockOf([address]), ...fieldsOf(['any']) }, other],
        ]
        for (const method of ['PATCH', 'PUT'] as const)
          for (const [change, after] of cases) {
            const { id, ...read } = { ...(await now()) } as Record<string, unknown>
            const answer = await admin(method, `${path}/${id}`, { ...read, ...change })
            assert.equal(answer.status, 200, `${JSON.stringify(change)} ${answer.text}`)
            if (method === 'PATCH' || change !== cases[0]?.[0])
              assert.deepEqual({ ...(await now()) }, { ...rule, ...read, ...after, id }, JSON.stringify(change))
          }
        const both = { sources: blockOf(['any'], true), ...fieldsOf([address], true) }
        assert.match(problemsOf(await admin('PATCH', `${path}/${rule.id}`, both)).sources ?? '', /either sources or/)
      })

    it('a client of the newer line runs twice and makes each rule once', async () => {
      const wanted = [blockOf([address]), blockOf(['any'], true)].map((sources, index) => ({
        comment: `newer ${index}`,
        action: 'drop',
        sources,
        destinations: blockOf(['any']),
      }))
      const path = '/firewall/rules/input'
      const isThere = (rules: readonly object[], rule: object) =>
        rules.some((one) => JSON.stringify({ ...one, ...rule }) === JSON.stringify(one))
      const made: number[] = []
      for (let run = 0; run < 2; run++) {
        const rules = (await admin('GET', path)).body as object[]
        const missing = wanted.filter((rule) => !isThere(rules, rule))
        for (const rule of missing) assert.equal((await admin('POST', path, rule)).status, 200)
        made.push(missing.length)
      }
      assert.deepEqual(made, [2, 0])
    })

    it('fields of FORWARD rules are unknown in other tables', async () => {
      const answer = await admin('POST', '/firewall/rules/dnat', { action: 'accept', logging: false })
      assert.deepEqual(problemsOf(answer), { logging: 'Unknown field.' })
    })
  })

  describe('of content filter rules', () => {
    const path = '/content-filter/rules'
    const neutral = {
      categories_negate: false,
      content_length: 0,
      content_length_mode: 'le',
      traffic_direction: 'both',
      uri_regex: [],
      av_profile: '',
    }
    const rule = { name: 'r', categories: ['special.id.1'], access: 'deny' }

    it('one block of aliases and neutral values are the same as a rule of this version', async () => {
      const src_aliases = [{ aliases: [address], negate: false }]
      const { id, ...shown } = await added(path, { ...rule, ...neutral, src_aliases })
      const { id: _, ...plain } = await added(path, { ...rule, aliases: [address] })
      assert.deepEqual(shown, plain)
      const patch = { src_aliases: [{ aliases: ['any'] }], ...neutral }
      assert.equal((await admin('PATCH', `${path}/${id}`, patch)).status, 200)
    })

    it('a rule without aliases in either form is refused', async () => {
      assert.deepEqual(Object.keys(problemsOf(await admin('POST', path, rule))), ['aliases'])
    })

    const others: readonly [field: string, value: unknown, reason: RegExp][] = [
      ['categories_negate', true, /cannot exclude categories/],
      ['content_length', 1_000, /length of the content is not checked/],
      ['content_length_mode', 'eq', /le or ge/],
      ['traffic_direction', 'upload', /both directions/],
      ['uri_regex', ['^/admin'], /matched by categories/],
      ['av_profile', 'f3ffde22-a562-4f43-ac04-c40fcec6a88c', /no antivirus profiles/],
    ]
    for (const [field, value, reason] of others)
      it(`${field} with another value is refused with the reason`, async () => {
        const answer = await admin('POST', path, { ...rule, aliases: ['any'], [field]: value })
        assert.match(problemsOf(answer)[field] ?? '', reason)
      })

    it('a negated block is refused with the reason', async () => {
      const answer = await admin('POST', path, { ...rule, src_aliases: [{ aliases: ['any'], negate: true }] })
      assert.match(problemsOf(answer)['src_aliases[0].negate'] ?? '', /cannot exclude users/)
    })
  })
})
