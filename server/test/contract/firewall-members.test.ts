// Rules that name users, with sessions: whose connections a change cuts, and what is explained. The evaluator decides.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ListedSessions } from '../support/listed-sessions.ts'
import { replaceServices } from '../support/provided.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

describe('rules that name users', () => {
  let gateway: TestGateway
  let admin: Client
  const sessions = new ListedSessions()
  let group = ''
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    group = `group.id.${(await admin('POST', '/user_backend/groups', { name: 'Sales', parent_id: 'group.id.1' })).body.id}`
    const user = (
      await admin('POST', '/user_backend/users', {
        name: 'Anna',
        login: 'anna',
        psw: 'open sesame',
        parent_id: group,
        comment: '',
      })
    ).body.id
    sessions.add(`user.id.${user}`, '10.10.0.5')
    replaceServices(gateway.services, { userSessions: sessions })
    const line = (host: string): string =>
      `ipv4     2 tcp      6 431999 ESTABLISHED src=${host} dst=198.51.100.10 sport=40000 dport=80 ` +
      `src=198.51.100.10 dst=203.0.113.2 sport=80 dport=40000 [ASSURED] mark=0 zone=0 use=2`
    gateway.applier.tracked = {
      text: ['10.10.0.5', '10.10.0.6'].map(line).join('\n'),
      isCut: false,
      isCounting: true,
      limitation: null,
    }
  })
  after(() => gateway.close())

  it('cut the connections of their sessions, and no others', async () => {
    const rule = { action: 'drop', source_addresses: [group] }
    const answer = await admin('POST', '/firewall/rules/forward?cut_connections=true', rule)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers['x-cut-connections'], '1')
    assert.deepEqual(
      gateway.applier.cuts.map((cut) => ('source' in cut ? cut.source : '')),
      ['10.10.0.5'],
    )
  })

  it('decide about the packet of a user, and the session is named', async () => {
    const packet = { destination: '198.51.100.10', protocol: 'tcp', destination_port: 80, incoming_interface: 'lan0' }
    const { body } = await admin('POST', '/firewall/explain', {
      packet: { ...packet, user: sessions.list()[0]?.userId },
    })
    assert.equal(body.verdict, 'drop')
    const step = body.outcomes[0].steps.find(({ stage }: { stage: string }) => stage === 'forward')
    assert.match(step.text, /"Anna" is in group\.id\.\d+ "Sales"\./)
    const other = await admin('POST', '/firewall/explain', { packet: { ...packet, source: '10.10.0.6' } })
    assert.equal(other.body.verdict, 'accept')
  })

  it('show the stage of authorization once it is enforced', async () => {
    const settings = { allow_internet_to_everyone: false, web_authorization: true, session_minutes: 15 }
    const changed = await admin('PATCH', '/auth/settings', settings)
    assert.equal(changed.status, 200, changed.text)
    const packet = { destination: '198.51.100.11', protocol: 'tcp', destination_port: 443, incoming_interface: 'lan0' }
    const ask = async (source: string) => {
      const { body } = await admin('POST', '/firewall/explain', { packet: { ...packet, source } })
      const step = body.outcomes[0].steps.find(({ stage }: { stage: string }) => stage === 'authorization')
      return [body.verdict, step?.text]
    }
    assert.deepEqual(await ask('10.10.0.6'), ['reject', 'Nothing authorizes 10.10.0.6.'])
    const [, text] = await ask('10.10.0.5')
    assert.match(String(text), /^A session of user\.id\.\d+ "Anna" authorizes 10\.10\.0\.5\.$/)
  })
})
