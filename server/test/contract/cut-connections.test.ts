// cut_connections: what a change of the firewall refuses is cut once it is made, and a dry run lists it. The kernel and its table
// are the fake applier's.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { userSessionsService } from '../../src/areas/authorization/service.ts'
import { ListedSessions } from '../support/listed-sessions.ts'
import { replaceServices } from '../support/provided.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const tcp = (
  source: string,
  sourcePort: number,
  destination: string,
  port: number,
  more: Partial<Reply> = {},
): string => {
  const reply = { from: destination, port, to: source, ...more }
  return (
    `ipv4     2 tcp      6 431999 ESTABLISHED src=${source} dst=${destination} sport=${sourcePort} dport=${port} ` +
    `src=${reply.from} dst=${reply.to} sport=${reply.port} dport=${sourcePort} [ASSURED] mark=0 zone=0 use=2`
  )
}
interface Reply {
  readonly from: string
  readonly port: number
  readonly to: string
}
const ping =
  'ipv4     2 icmp     1 29 src=10.10.0.5 dst=198.51.100.10 type=8 code=0 id=77 src=198.51.100.10 dst=203.0.113.2 type=0 code=0 id=77 mark=0 use=2'

const web = tcp('10.10.0.5', 40_000, '198.51.100.10', 80, { to: '203.0.113.2' })
const other = tcp('10.10.0.5', 40_001, '198.51.100.11', 80, { to: '203.0.113.2' })
const management = tcp('10.10.0.6', 40_002, '10.10.0.1', 8443)
const published = tcp('8.8.8.8', 40_003, '203.0.113.2', 8080, { from: '10.10.0.9', port: 80 })

const target = (source: string, sourcePort: number, destination: string, destinationPort: number) => ({
  protocol: 'tcp',
  source,
  sourcePort,
  destination,
  destinationPort,
})
const webTarget = target('10.10.0.5', 40_000, '198.51.100.10', 80)

describe('cut_connections', () => {
  let gateway: TestGateway
  let admin: Client
  let server = ''
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    server = await address('198.51.100.10')
  })
  after(() => gateway.close())
  beforeEach(async () => {
    for (const table of ['forward', 'input', 'dnat']) {
      for (const { id } of (await admin('GET', `/firewall/rules/${table}`)).body as { id: number }[])
        await admin('DELETE', `/firewall/rules/${table}/${id}`)
    }
    gateway.applier.cuts.length = 0
    track(web, other, management, published)
  })

  const address = async (value: string): Promise<string> =>
    (await admin('POST', '/aliases/ip_addresses', { title: value, comment: '', value })).body.id
  const track = (...lines: string[]): void => {
    gateway.applier.tracked = { text: lines.join('\n'), isCut: false, isCounting: true, limitation: null }
  }
  const drop = (query = '', fields: object = {}): Promise<Answer> =>
    admin('POST', `/firewall/rules/forward${query}`, { action: 'drop', destination_addresses: [server], ...fields })
  const done = (answer: Answer): Answer => {
    assert.equal(answer.status, 200, answer.text)
    return answer
  }

  it('cuts what the change refuses and says how many, in the answer and in the audit trail', async () => {
    const answer = done(await drop('?cut_connections=true'))
    assert.deepEqual(Object.keys(answer.body), ['id'], 'the answer of the call is what it always is')
    assert.equal(answer.headers['x-cut-connections'], '1')
    assert.equal(answer.headers['x-cut-connections-warning'], undefined)
    assert.deepEqual(gateway.applier.cuts, [webTarget])
    const { revision } = gateway.engine
    const records = (await admin('GET', '/journal/records?limit=2')).body as { message: string }[]
    assert.ok(
      records.some(({ message }) => message === `Connections that revision ${revision} refuses were cut: 1.`),
      JSON.stringify(records),
    )
  })

  it('cuts nothing when it is not asked for', async () => {
    const answer = done(await drop())
    assert.equal(answer.headers['x-cut-connections'], undefined)
    assert.deepEqual(gateway.applier.cuts, [])
  })

  it('applies to every change: a rule that goes, moves or is disabled, state, settings and objects', async () => {
    const accept = done(await drop('', { action: 'accept' })).body.id
    const dropId = done(await drop()).body.id
    const cutBy = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      gateway.applier.cuts.length = 0
      const answer = done(await admin(method, `${path}?cut_connections=true`, body))
      assert.equal(answer.headers['x-cut-connections'], String(gateway.applier.cuts.length))
      return gateway.applier.cuts.map(({ ...cut }) => cut)
    }
    const move = (insert_after: boolean) => ({ params: { id: accept, anchor_item_id: dropId, insert_after } })
    assert.deepEqual(await cutBy('PATCH', '/firewall/rules/forward/move', move(true)), [webTarget])
    assert.deepEqual(await cutBy('PATCH', '/firewall/rules/forward/move', move(false)), [])
    assert.deepEqual(await cutBy('PATCH', `/firewall/rules/forward/${accept}`, { enabled: false }), [webTarget])
    assert.deepEqual(await cutBy('PATCH', '/firewall/state', { enabled: false }), [])
    assert.deepEqual(await cutBy('PATCH', '/firewall/state', { enabled: true }), [webTarget])
    assert.deepEqual(
      await cutBy('PATCH', `/aliases/ip_addresses/${server}`, { title: 'x', comment: '', value: '198.51.100.11' }),
      [target('10.10.0.5', 40_001, '198.51.100.11', 80)],
    )
    done(await admin('PATCH', `/aliases/ip_addresses/${server}`, { title: 'x', comment: '', value: '198.51.100.10' }))
    assert.deepEqual(await cutBy('PATCH', '/firewall/watch', { enabled: true }), [], 'nothing changed')
  })

  it('follows translated destinations and what is for the gateway itself', async () => {
    const inside = await address('10.10.0.9')
    const outside = await address('203.0.113.2')
    const fields = { action: 'dnat', protocol: 'protocol.tcp', destination_addresses: [outside] }
    const dnat = done(
      await admin('POST', '/firewall/rules/dnat', {
        ...fields,
        change_destination_address: inside,
        change_destination_port: '80',
      }),
    ).body.id
    done(await admin('DELETE', `/firewall/rules/dnat/${dnat}?cut_connections=true`))
    assert.deepEqual(gateway.applier.cuts, [target('8.8.8.8', 40_003, '203.0.113.2', 8080)])
    gateway.applier.cuts.length = 0
    const client = await address('10.10.0.6')
    const input = { action: 'drop', source_addresses: [client] }
    done(await admin('POST', '/firewall/rules/input?cut_connections=true', input))
    assert.deepEqual(gateway.applier.cuts, [target('10.10.0.6', 40_002, '10.10.0.1', 8443)])
  })

  it('lists in a dry run what would be cut, and cuts nothing', async () => {
    const sessions = new ListedSessions()
    const user = (
      await admin('POST', '/user_backend/users', {
        name: 'Anna',
        login: 'anna',
        psw: 'open sesame',
        parent_id: 1,
        comment: '',
      })
    ).body.id
    sessions.add(`user.id.${user}`, '10.10.0.5')
    const userSessions = gateway.services.of(userSessionsService)
    replaceServices(gateway.services, { userSessions: sessions })
    for (const query of ['?dry_run=true', '?dry_run=true&cut_connections=true']) {
      const { body, headers } = done(await drop(query))
      assert.equal(body.dry_run, true)
      assert.equal(headers['x-cut-connections'], undefined)
      const [{ rule, ...connection }] = body.connections
      assert.match(rule, /^firewall\.forward\[\d+\]$/)
      assert.deepEqual(connection, {
        protocol: 'tcp',
        source: '10.10.0.5',
        source_port: 40_000,
        destination: '198.51.100.10',
        destination_port: 80,
        user: `user.id.${user}`,
      })
      assert.equal(body.connections_total, 1)
      assert.equal(body.connections_note, null)
    }
    replaceServices(gateway.services, { userSessions })
    assert.deepEqual(gateway.applier.cuts, [])
    assert.deepEqual((await admin('GET', '/firewall/rules/forward')).body, [])
    const unrelated = done(await admin('POST', '/user_backend/groups?dry_run=true', { name: 'Sales', parent_id: 1 }))
    assert.deepEqual(unrelated.body.connections, [])
  })

  it('lists at most a thousand and says how many there are; a change cuts all of them', async () => {
    track(...Array.from({ length: 2_500 }, (_, at) => tcp('10.10.0.5', 20_000 + at, '198.51.100.10', 80)))
    const { body } = done(await drop('?dry_run=true'))
    assert.equal(body.connections.length, 1_000)
    assert.equal(body.connections_total, 2_500)
    const answer = done(await drop('?cut_connections=true'))
    assert.equal(answer.headers['x-cut-connections'], '2500')
    assert.equal(gateway.applier.cuts.length, 2_500)
  })

  it('says what it does not cover: connections without ports, and more than the table shows', async () => {
    track(web, ping)
    gateway.applier.tracked = { ...gateway.applier.tracked, isCut: true }
    const answer = done(await drop('?cut_connections=true'))
    assert.equal(answer.headers['x-cut-connections'], '1')
    const warning = String(answer.headers['x-cut-connections-warning'])
    assert.match(warning, /More connections are tracked than could be judged\. 1 refused connections without ports/)
    gateway.applier.tracked = { text: '', isCut: false, isCounting: false, limitation: 'No kernel here.' }
    const blind = done(await drop('?cut_connections=true', { destination_addresses: ['any'] }))
    assert.equal(blind.headers['x-cut-connections'], '0')
    assert.match(String(blind.headers['x-cut-connections-warning']), /cannot be read on this machine/)
    assert.match(done(await drop('?dry_run=true')).body.connections_note, /cannot be read/)
  })

  it('keeps the change when its connections cannot be cut, and says so', async () => {
    gateway.log.expect(/connections were not cut after a change/)
    const { cut } = gateway.applier
    gateway.applier.cut = () => Promise.reject(new Error('the kernel is busy\r\nx: y'))
    try {
      const answer = done(await drop('?cut_connections=true'))
      assert.equal(answer.headers['x-cut-connections'], '0')
      assert.match(String(answer.headers['x-cut-connections-warning']), /could not be cut/)
      const rules = (await admin('GET', '/firewall/rules/forward')).body as { id: number }[]
      assert.deepEqual(
        rules.map(({ id }) => id),
        [answer.body.id],
      )
    } finally {
      gateway.applier.cut = cut
    }
  })

  it('is refused where nothing is changed, and without a truth value', async () => {
    assert.equal((await admin('GET', '/firewall/rules/forward?cut_connections=true')).status, 422)
    assert.equal((await drop('?cut_connections=perhaps')).status, 422)
    assert.deepEqual(gateway.applier.cuts, [])
  })
})
