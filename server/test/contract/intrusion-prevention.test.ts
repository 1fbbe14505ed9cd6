// Intrusion prevention: signatures of files and of administrators, groups and filters, profiles with their ordered rules
// and effective actions, protected networks.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createCatalogue } from '../../src/domain/signatures/catalogue.ts'
import { readRules } from '../../src/domain/signatures/rule-file.ts'
import { verbatim } from '../../src/shared/said.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const templateId = '__DEFAULT_IPS_PROFILE_ID__'

const line = (sid: number, classtype: string, tactic: string, action = 'alert'): string =>
  `${action} http any any -> $HOME_NET any (msg:"Signature ${sid}"; flow:to_server; classtype:${classtype}; sid:${sid}; ` +
  `metadata:mitre_tactic_id ${tactic}, signature_severity Major, updated_at 2025_0${sid % 9 || 9}_01;)`

const fileText = [
  line(2_000_001, 'trojan-activity', 'TA0011'),
  line(2_000_002, 'trojan-activity', 'TA0040'),
  line(2_000_003, 'misc-attack', 'TA0001', 'drop'),
  line(2_000_004, 'misc-attack', 'TA0001', 'reject'),
  line(2_000_005, 'network-scan', 'TA0043'),
  'alert udp any any -> any 53 (msg:"Without more"; sid:2000006;)',
].join('\n')

const catalogue = createCatalogue(
  [...readRules(fileText, 'standard')].flatMap((entry) => ('rule' in entry ? [entry.rule] : [])),
)

let refreshed = 0
const signatures = {
  refresh: async () => {
    refreshed++
  },
  current: () => catalogue,
  ownRules: () => [],
  state: () => ({
    folder: '/state/signatures',
    updatedAt: { standard: 1_700_000_000.5, advanced: null },
    messages: [verbatim('a.rules, line 3: "x" is no action.')],
    isReading: false,
    fault: '' as const,
  }),
}

describe('intrusion prevention', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway({ parts: { signatures } })
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const ok = async (method: string, url: string, body?: unknown): Promise<Answer['body']> => {
    const answer = await admin(method, url, body)
    assert.equal(answer.status, 200, `${method} ${url}: ${answer.text}`)
    return answer.body
  }

  const refused = async (status: number, method: string, url: string, body?: unknown): Promise<string[]> => {
    const { revision } = gateway.engine
    const answer = await admin(method, url, body)
    assert.equal(answer.status, status, `${method} ${url}: ${answer.text}`)
    assert.equal(gateway.engine.revision, revision)
    return (answer.body.problems ?? []).map((problem: { field: string }) => problem.field)
  }

  const filtered = async (filter: unknown): Promise<number[]> => {
    const body = await ok('GET', `/ips/signatures?filter=${encodeURIComponent(JSON.stringify(filter))}`)
    return body.signatures.map(({ sid }: { sid: number }) => sid - 2_000_000)
  }

  describe('the module', () => {
    it('is enabled and disabled, and reports that nothing is inspected', async () => {
      assert.deepEqual(await ok('GET', '/ips/state'), { enabled: false })
      const [off] = await ok('GET', '/ips/status')
      assert.deepEqual(off, { name: 'suricata', status: 'inactive', msg: ['Intrusion prevention is disabled.'] })
      await ok('PATCH', '/ips/state', { enabled: true })
      assert.deepEqual(await ok('GET', '/ips/state'), { enabled: true })
      const [engine, base] = await ok('GET', '/ips/status')
      assert.equal(engine.status, 'inactive')
      assert.match(engine.msg[0], /No enabled firewall rule inspects with a profile/)
      assert.deepEqual(base, {
        name: 'portcullis-suricata-backend',
        status: 'active',
        msg: ['6 signatures are loaded.', 'a.rules, line 3: "x" is no action.'],
      })
    })

    it('downloads nothing and says so; an update reads the files again', async () => {
      const standard = await ok('GET', '/ips/update')
      assert.equal(standard.status, 'up_to_date')
      assert.match(standard.msg, /not downloaded/)
      assert.equal(standard.last_update, 1_700_000_000.5)
      const advanced = await ok('GET', '/ips/update_advanced')
      assert.match(advanced.msg, /\/state\/signatures/)
      assert.equal(advanced.last_update, null)
      assert.equal(await ok('POST', '/ips/update'), '')
      assert.equal(refreshed, 1)
    })
  })

  describe('signatures', () => {
    it('are shown with all their fields', async () => {
      const { signatures: all } = await ok('GET', '/ips/signatures')
      assert.equal(all.length, 6)
      assert.deepEqual(all[3], {
        action: 'rejectsrc',
        protocol: 'http',
        flow: 'client2server',
        classtype: 'misc-attack',
        sid: 2_000_004,
        signature_severity: 'Major',
        mitre_tactic_id: 'TA0001',
        signature_source: 'standard',
        msg: 'Signature 2000004',
        source: 'any',
        source_ports: 'any',
        destination: '$HOME_NET',
        destination_ports: 'any',
        updated_at: '2025-06-01',
      })
    })

    it('are filtered by any column, with and between groups', async () => {
      const one = (column_name: string, operator: string, value: unknown[]) => ({ column_name, operator, value })
      const and = (...items: unknown[]) => ({ items, link_operator: 'and' })
      const or = (...items: unknown[]) => ({ items, link_operator: 'or' })
      assert.deepEqual(await filtered([and(one('classtype', 'equals', ['misc-attack', 'network-scan']))]), [3, 4, 5])
      assert.deepEqual(await filtered([and(one('classtype', 'not_equals', ['misc-attack']))]), [1, 2, 5, 6])
      assert.deepEqual(await filtered([and(one('msg', 'contains', ['WITHOUT']))]), [6])
      assert.deepEqual(await filtered([and(one('msg', 'not_contains', ['signature']))]), [6])
      assert.deepEqual(await filtered([and(one('sid', 'greater', [2_000_004]))]), [5, 6])
      assert.deepEqual(await filtered([and(one('sid', 'less_equal', [2_000_002]))]), [1, 2])
      assert.deepEqual(
        await filtered([or(one('action', 'equals', ['drop']), one('protocol', 'equals', ['udp']))]),
        [3, 6],
      )
      assert.deepEqual(
        await filtered([
          and(one('mitre_tactic_id', 'equals', ['TA0001'])),
          or(one('action', 'equals', ['rejectsrc']), one('action', 'equals', ['alert'])),
        ]),
        [4],
      )
      assert.deepEqual(await filtered([]), [1, 2, 3, 4, 5, 6])
      const wrong = [and(one('sid', 'greater', [1, 2]))]
      const url = `/ips/signatures?filter=${encodeURIComponent(JSON.stringify(wrong))}`
      assert.deepEqual(await refused(422, 'GET', url), ['filter[0].items[0].value'])
    })

    it('are shown in groups and in the matrix of tactics', async () => {
      const { signature_groups: table } = await ok('GET', '/ips/signature_groups/table')
      assert.deepEqual(
        table.find(({ classtype }: { classtype: string }) => classtype === 'trojan-activity'),
        {
          classtype: 'trojan-activity',
          classtype_name: 'Trojan activity',
          mitre_tactics: [
            { mitre_tactic_id: 'TA0011', mitre_tactic_name: 'Command and Control' },
            { mitre_tactic_id: 'TA0040', mitre_tactic_name: 'Impact' },
          ],
          count: 2,
        },
      )
      const { signature_groups: matrix } = await ok('GET', '/ips/signature_groups/mitre')
      assert.deepEqual(
        matrix.map(({ mitre_tactic_id }: { mitre_tactic_id: string }) => mitre_tactic_id),
        ['TA0043', 'TA0001', 'TA0011', 'TA0040', '-'],
      )
      assert.deepEqual(matrix[1], {
        mitre_tactic_id: 'TA0001',
        mitre_tactic_name: 'Initial Access',
        classtypes: [{ classtype: 'misc-attack', classtype_name: 'Attacks', count: 2 }],
      })
    })

    it('have their text, or do not exist', async () => {
      assert.deepEqual(await ok('GET', '/ips/signatures/2000003'), { signature: fileText.split('\n')[2] })
      for (const sid of ['1', 'x', '2000003x', '99999999999', '-1']) {
        await refused(404, 'GET', `/ips/signatures/${sid}`)
        await refused(404, 'GET', `/ips/signatures/${sid}/profiles`)
      }
    })
  })

  describe('custom signatures', () => {
    const rule = 'reject tcp any any -> any 4444 (msg:"Own"; sid:100; classtype:misc-attack;)'

    it('are added, changed, shown among all others and removed', async () => {
      assert.deepEqual(await ok('POST', '/ips/custom', { comment: 'mine', rule }), { id: '100' })
      const { signatures: own } = await ok('GET', '/ips/custom')
      assert.equal(own.length, 1)
      assert.equal(own[0].comment, 'mine')
      assert.equal(own[0].action, 'rejectsrc')
      assert.equal(own[0].signature_source, 'custom')
      assert.deepEqual(
        await filtered([{ items: [{ column_name: 'signature_source', operator: 'equals', value: ['custom'] }] }]),
        [100 - 2_000_000],
      )
      assert.deepEqual(await ok('GET', '/ips/signatures/100'), { signature: rule })
      const { signature_groups: table } = await ok('GET', '/ips/signature_groups/table')
      assert.equal(table.find(({ classtype }: { classtype: string }) => classtype === 'misc-attack').count, 3)
      await ok('PATCH', '/ips/custom/100', { comment: '' })
      await ok('PATCH', '/ips/custom/100', { rule: rule.replace('Own', 'Changed') })
      assert.deepEqual(
        (await ok('GET', '/ips/custom')).signatures.map(({ msg, comment }: Record<string, string>) => [msg, comment]),
        [['Changed', '']],
      )
      await ok('DELETE', '/ips/custom/100')
      assert.deepEqual(await ok('GET', '/ips/custom'), { signatures: [] })
      await refused(404, 'GET', '/ips/signatures/100')
    })

    it('are refused when their text, their sid or both are wrong', async () => {
      await ok('POST', '/ips/custom', { comment: '', rule })
      const texts = [
        'nonsense',
        rule.replace('sid:100', 'sid:0'),
        rule.replace('sid:100', 'sid:1000000'),
        rule.replace('sid:100', 'sid:2000001'),
        rule.replace('->', '<-'),
        `${rule}${rule}`,
      ]
      for (const text of texts) {
        assert.deepEqual(await refused(422, 'POST', '/ips/custom', { comment: '', rule: text }), ['rule'], text)
      }
      assert.deepEqual(await refused(409, 'POST', '/ips/custom', { comment: '', rule }), ['rule'])
      assert.deepEqual(await refused(422, 'PATCH', '/ips/custom/100', { rule: rule.replace('100', '101') }), ['rule'])
      assert.deepEqual(await refused(422, 'POST', '/ips/custom', { comment: '', rule: `${rule}\n` }), ['rule'])
      await refused(404, 'PATCH', '/ips/custom/101', { comment: '' })
      await refused(404, 'DELETE', '/ips/custom/101')
      await ok('DELETE', '/ips/custom/100')
    })

    it('come from a file: new ones are added, known ones replaced', async () => {
      await ok('POST', '/ips/custom', { comment: 'kept', rule })
      const file = `# mine\r\n\r\n${rule.replace('Own', 'From the file')}\r\n${rule.replace('100', '7')}\r\n`
      assert.deepEqual(await ok('POST', '/ips/custom_rules_file', file), { count: 2 })
      assert.deepEqual(
        (await ok('GET', '/ips/custom')).signatures.map((one: Record<string, unknown>) => [
          one.sid,
          one.msg,
          one.comment,
        ]),
        [
          [100, 'From the file', 'kept'],
          [7, 'Own', ''],
        ],
      )
    })

    it('of a bad file are refused all together, with the numbers of the lines', async () => {
      const file = [
        rule.replace('100', '8'),
        'nonsense',
        rule.replace('100', '8'),
        rule.replace('sid:100', 'sid:1000000'),
        rule.replace('sid:100', 'sid:2000001'),
        rule.replace('100', '9'),
      ].join('\n')
      const fields = await refused(422, 'POST', '/ips/custom_rules_file', file)
      assert.deepEqual(fields, ['line 2', 'line 3', 'line 4', 'line 5'])
      assert.deepEqual(await refused(422, 'POST', '/ips/custom_rules_file', '# nothing\n'), ['body'])
      assert.deepEqual(await refused(422, 'POST', '/ips/custom_rules_file', rule.replace('Own', 'x'.repeat(8_200))), [
        'line 1',
      ])
      assert.deepEqual(await refused(422, 'POST', '/ips/custom_rules_file', rule.replace('Own', 'a\u0001b')), [
        'line 1',
      ])
      await refused(400, 'POST', '/ips/custom_rules_file')
      await refused(400, 'POST', '/ips/custom_rules_file', Buffer.from([0x61, 0xff, 0xfe]))
      assert.equal((await ok('GET', '/ips/custom')).signatures.length, 2)
      await ok('DELETE', '/ips/custom/7')
      await ok('DELETE', '/ips/custom/100')
    })
  })

  describe('protected networks', () => {
    it('are the private ones first, and can be added and removed', async () => {
      const first = await ok('GET', '/ips/nets')
      assert.deepEqual(
        first.map(({ address }: { address: string }) => address),
        ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
      )
      const { id } = await ok('POST', '/ips/nets', { address: '203.0.113.0/24' })
      assert.deepEqual((await ok('GET', '/ips/nets')).at(-1), { id, address: '203.0.113.0/24' })
      await ok('DELETE', `/ips/nets/${id}`)
      assert.deepEqual(await ok('GET', '/ips/nets'), first)
    })

    it('are real networks, each once, and at least one', async () => {
      for (const address of ['203.0.113.5/24', '203.0.113.0', '0.0.0.0/0', '1.2.3.0/33', 'x', '::/8']) {
        assert.deepEqual(await refused(422, 'POST', '/ips/nets', { address }), ['address'], address)
      }
      assert.deepEqual(await refused(409, 'POST', '/ips/nets', { address: '10.0.0.0/8' }), ['address'])
      await refused(404, 'DELETE', '/ips/nets/nothing')
      const [first, second, last] = await ok('GET', '/ips/nets')
      await ok('DELETE', `/ips/nets/${first.id}`)
      await ok('DELETE', `/ips/nets/${second.id}`)
      await refused(409, 'DELETE', `/ips/nets/${last.id}`)
    })
  })

  describe('profiles', () => {
    const classes = (...values: unknown[]) => [{ key: 'classtype', operator: 'equals', values }]
    const ids = (values: { id: number }[]): number[] => values.map(({ id }) => id)
    let profile = ''
    let other = ''
    const rules = (id = profile) => ok('GET', `/ips/profiles/${id}/rules`)
    const add = async (filters: unknown, action: string, query = ''): Promise<number> =>
      (await ok('POST', `/ips/profiles/${profile}/rules${query}`, { filters, action, comment: 'c' })).id

    it('are added and changed, behind the template', async () => {
      profile = (await ok('POST', '/ips/profiles', { name: 'Servers', comment: 'x' })).id
      other = (await ok('POST', '/ips/profiles', { name: 'Servers', comment: '' })).id
      await ok('PATCH', `/ips/profiles/${profile}`, { comment: 'y' })
      const list = await ok('GET', '/ips/profiles')
      assert.equal(list[0].id, templateId)
      assert.deepEqual(list.slice(1), [
        { id: profile, name: 'Servers', comment: 'y' },
        { id: other, name: 'Servers', comment: '' },
      ])
      assert.deepEqual(await refused(422, 'POST', '/ips/profiles', { name: 'n'.repeat(43), comment: '' }), ['name'])
      assert.deepEqual(await refused(422, 'POST', '/ips/profiles', { name: '', comment: '' }), ['name'])
      assert.deepEqual(await refused(422, 'PATCH', `/ips/profiles/${profile}`, { comment: 'c'.repeat(256) }), [
        'comment',
      ])
    })

    it('have rules in the order they are given', async () => {
      const first = await add(classes('misc-attack'), 'drop')
      const third = await add(classes('network-scan'), 'pass')
      const second = await add(classes('trojan-activity', 'misc-attack'), 'alert', `?anchor_item_id=${first}`)
      const zeroth = await add(classes('unknown'), 'alert', `?anchor_item_id=${first}&insert_after=false`)
      assert.deepEqual(ids(await rules()), [zeroth, first, second, third])
      assert.deepEqual((await rules())[1], { id: first, filters: classes('misc-attack'), action: 'drop', comment: 'c' })
      const move = (rule_id: number, anchor_item_id: number, insert_after?: boolean) =>
        ok('PATCH', '/ips/profiles/rules/move', {
          params: { profile_id: profile, rule_id, anchor_item_id, insert_after },
        })
      await move(zeroth, third)
      assert.deepEqual(ids(await rules()), [first, second, third, zeroth])
      await move(zeroth, second, false)
      assert.deepEqual(ids(await rules()), [first, zeroth, second, third])
      await move(zeroth, zeroth, true)
      assert.deepEqual(ids(await rules()), [first, zeroth, second, third])
      await ok('DELETE', `/ips/profiles/${profile}/rules/${zeroth}`)
      await ok('PATCH', `/ips/profiles/${profile}/rules/${third}`, { comment: '', action: 'default' })
      assert.deepEqual(ids(await rules()), [first, second, third])
      assert.equal((await rules())[2].action, 'default')
      assert.ok((await add(classes('x'), 'pass')) > zeroth, 'an id came back')
    })

    it('refuse rules with wrong filters or places', async () => {
      const path = `/ips/profiles/${profile}/rules`
      const body = (filters: unknown) => ({ filters, action: 'drop', comment: '' })
      const cases: [unknown, string][] = [
        [[], 'filters'],
        [[{ key: 'sid', operator: 'equals', values: ['1'] }], 'filters[0].values[0]'],
        [[{ key: 'classtype', operator: 'equals', values: ['a', 1] }], 'filters[0].values[1]'],
        [[{ key: 'classtype', operator: 'equals', values: [] }], 'filters[0].values'],
        [[{ key: 'msg', operator: 'equals', values: ['a'] }], 'filters[0].key'],
        [[{ key: 'flow', operator: 'contains', values: ['a'] }], 'filters[0].operator'],
      ]
      const [first] = await rules()
      for (const [filters, field] of cases) {
        assert.deepEqual(await refused(422, 'POST', path, body(filters)), [field])
        assert.deepEqual(await refused(422, 'PATCH', `${path}/${first.id}`, { filters }), [field])
      }
      await ok('POST', `/ips/profiles/${other}/rules`, body(classes('a')))
      const [foreign] = await rules(other)
      assert.deepEqual(await refused(422, 'POST', `${path}?anchor_item_id=${foreign.id}`, body(classes('a'))), [
        'anchor_item_id',
      ])
      const params = { profile_id: profile, rule_id: first.id, anchor_item_id: foreign.id }
      assert.deepEqual(await refused(422, 'PATCH', '/ips/profiles/rules/move', { params }), ['params.anchor_item_id'])
      await refused(404, 'PATCH', '/ips/profiles/rules/move', { params: { ...params, rule_id: foreign.id } })
      await refused(404, 'PATCH', '/ips/profiles/rules/move', { params: { ...params, profile_id: 'none' } })
      await refused(404, 'PATCH', `${path}/${foreign.id}`, { comment: '' })
      await refused(404, 'DELETE', `${path}/${foreign.id}`)
      await refused(404, 'GET', '/ips/profiles/none/rules')
    })

    it('decide signatures by their topmost rule', async () => {
      const { signatures: decided } = await ok('GET', `/ips/profiles/${profile}/signatures`)
      assert.deepEqual(
        decided.map(({ sid, action }: { sid: number; action: string }) => `${sid - 2_000_000} ${action}`),
        ['1 alert', '2 alert', '3 drop', '4 drop', '5 alert'],
      )
      const counts = await ok('GET', '/ips/profiles/actions-counts')
      assert.deepEqual(counts[profile], { pass: 0, alert: 3, drop: 2, rejectsrc: 0, rejectdst: 0, rejectboth: 0 })
      assert.equal(counts[templateId].drop, 2)
      assert.deepEqual(Object.keys(counts).sort(), [templateId, profile, other].sort())
      const [first, second, third] = ids(await rules())
      const byRule = await ok('GET', `/ips/profiles/${profile}/actions-counts`)
      assert.equal(byRule[String(first)].drop, 2)
      assert.equal(byRule[String(second)].alert, 2)
      assert.equal(byRule[String(third)].alert, 1)
      assert.deepEqual(
        (await ok('GET', '/ips/signatures/2000003/profiles')).map(({ id }: { id: string }) => id),
        [templateId, profile],
      )
      assert.deepEqual(await ok('GET', '/ips/signatures/2000006/profiles'), [])
    })

    it('are copied with their rules, the template too', async () => {
      const { id } = await ok('POST', `/ips/profiles/${profile}/copy`)
      const copy = (await ok('GET', '/ips/profiles')).find((one: { id: string }) => one.id === id)
      assert.deepEqual(copy, { id, name: 'Servers', comment: '' })
      const bare = (list: Record<string, unknown>[]) => list.map(({ id: _, ...rest }) => rest)
      assert.deepEqual(bare(await rules(id)), bare(await rules()))
      assert.equal(new Set([...ids(await rules(id)), ...ids(await rules())]).size, 2 * ids(await rules()).length)
      const fromTemplate = (await ok('POST', `/ips/profiles/${templateId}/copy`)).id
      assert.deepEqual(bare(await rules(fromTemplate)), bare(await rules(templateId)))
      await ok('DELETE', `/ips/profiles/${fromTemplate}`)
      await ok('DELETE', `/ips/profiles/${id}`)
      await refused(404, 'GET', `/ips/profiles/${id}/rules`)
    })

    it('are made with their rules in one call', async () => {
      const made = [
        { filters: classes('a'), action: 'drop', comment: '1' },
        { filters: [{ key: 'sid', operator: 'equals', values: [5] }], action: 'pass', comment: '2' },
      ]
      const { id } = await ok('POST', '/ips/profiles-create-with-rules', { name: 'n', comment: '', rules: made })
      assert.deepEqual(
        (await rules(id)).map(({ comment }: { comment: string }) => comment),
        ['1', '2'],
      )
      const wrong = { filters: classes(1), action: 'drop', comment: '' }
      assert.deepEqual(
        await refused(422, 'POST', '/ips/profiles-create-with-rules', {
          name: 'n',
          comment: '',
          rules: [made[0], wrong],
        }),
        ['rules[1].filters[0].values[0]'],
      )
      await ok('DELETE', `/ips/profiles/${id}`)
    })

    it('never change the template', async () => {
      const path = `/ips/profiles/${templateId}`
      const rule = { filters: classes('a'), action: 'drop', comment: '' }
      await refused(409, 'PATCH', path, { name: 'x' })
      await refused(409, 'DELETE', path)
      await refused(409, 'POST', `${path}/rules`, rule)
      await refused(409, 'PATCH', `${path}/rules/1`, { comment: '' })
      await refused(409, 'DELETE', `${path}/rules/1`)
      const params = { profile_id: templateId, rule_id: 1, anchor_item_id: 2 }
      await refused(409, 'PATCH', '/ips/profiles/rules/move', { params })
      assert.equal((await ok('GET', `${path}/signatures`)).signatures.length, 5)
    })

    it('stay while a firewall rule uses them', async () => {
      const { id } = await ok('POST', '/firewall/rules/forward', {
        action: 'accept',
        ips_enabled: true,
        ips_profile: other,
      })
      assert.deepEqual(await refused(409, 'DELETE', `/ips/profiles/${other}`), [`firewall.forward[${id}].ips_profile`])
      await ok('DELETE', `/firewall/rules/forward/${id}`)
      const table = '/firewall/rules/input/after'
      const { id: ofConsole } = await ok('POST', table, { action: 'accept', ips_profile: other })
      assert.deepEqual(await refused(409, 'DELETE', `/ips/profiles/${other}`), [
        `central_console.input_after[${ofConsole}].ips_profile`,
      ])
      await ok('DELETE', `${table}/${ofConsole}`)
      await ok('DELETE', `/ips/profiles/${other}`)
    })

    it('are all there after a restart', async () => {
      const paths = ['/ips/profiles', `/ips/profiles/${profile}/rules`, '/ips/nets', '/ips/custom', '/ips/state']
      await ok('POST', '/ips/custom', { comment: 'k', rule: 'alert ip any any -> any any (sid:5;)' })
      const before = await Promise.all(paths.map((path) => ok('GET', path)))
      gateway = await gateway.restart()
      admin = await gateway.client('predefined_admin_write')
      assert.deepEqual(await Promise.all(paths.map((path) => ok('GET', path))), before)
    })
  })
})
