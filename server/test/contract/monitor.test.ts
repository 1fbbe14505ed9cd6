// Monitoring: sessions are those that are given, journals those that were written, and settings are kept, checked and not
// pretended to work.

import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { GatewayError } from '../../src/core/contract/error.ts'
import type { ClassifiedConnection, TrackedSession, TrafficReading } from '../../src/core/plan/facts.ts'
import { say } from '../../src/shared/said.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))

const fieldsOf = ({ body }: Answer): string[] => body.problems.map(({ field }: { field: string }) => field)

const session = (id: string, source: string, seconds: number, bytesIn: number): TrackedSession => ({
  id,
  protocol: 'TCP',
  source,
  sourcePort: 40_000,
  destination: '203.0.113.9',
  destinationPort: 443,
  calledAs: '203.0.113.9',
  seenAs: source,
  seconds,
  bytesIn,
  bytesOut: 1,
  packetsIn: 2,
  packetsOut: 3,
})

describe('the traffic monitor', () => {
  let gateway: TestGateway
  let admin: Client
  let tracked: readonly TrackedSession[] = []
  let told: Partial<TrafficReading> = {}
  const found = new Map<string, ClassifiedConnection>()
  const classified = { connections: async () => found, report: async () => null }
  before(async () => {
    gateway = await createTestGateway({ parts: { traffic: { read }, classified } })
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())
  const read = async (): Promise<TrafficReading> => ({
    sessions: tracked,
    isCut: false,
    isCounting: true,
    limitation: null,
    ...told,
  })
  const get = async (url: string) => {
    const answer = await admin('GET', url)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  it('shows nothing where nothing is tracked', async () => {
    for (const path of ['sessions', 'top/sources', 'top/applications'])
      assert.deepEqual(await get(`/reports/traffic/${path}`), [])
  })

  it('shows sessions with their objects and interfaces, longest first', async () => {
    const { body } = await admin('POST', '/aliases/ip_addresses', { title: 'host', value: '10.10.0.7' })
    const subnet = await admin('POST', '/aliases/networks', { title: 'net', value: '10.10.0.0/24' })
    const lan = await admin('POST', '/network/connections', {
      type: 'lan',
      title: 'LAN',
      enabled: true,
      mac: '02:00:00:00:00:01',
      enable_dhcp: false,
      addresses: ['10.10.0.1/24'],
      gateway: null,
      dns: [],
      vlan_tag: null,
      zone: null,
      netflow_index: 0,
    })
    assert.equal(lan.status, 200, lan.text)
    tracked = [
      session('A', '10.10.0.7', 5, 100),
      session('B', '10.10.0.8', 50, 10),
      { ...session('C', '10.10.0.7', 20, 300), protocol: 'ICMP', sourcePort: null, destinationPort: null },
    ]
    const sessions = await get('/reports/traffic/sessions')
    assert.deepEqual(
      sessions.map(({ id }: { id: string }) => id),
      ['B', 'C', 'A'],
    )
    assert.deepEqual(sessions[2], {
      id: 'A',
      source_ip: '10.10.0.7',
      src_aliases: [body.id, subnet.body.id],
      destination_ip: '203.0.113.9',
      dst_aliases: [],
      source_proto: 'TCP:40000',
      destination_proto: 'TCP:443',
      application: '',
      duration: 5,
      bps_in: 100,
      bps_out: 1,
      pps_in: 2,
      pps_out: 3,
      in_iface_alias: `interface.id.${lan.body.id}`,
      out_iface_alias: '',
    })
    assert.equal(sessions[1].source_proto, 'ICMP')
  })

  it('shows the applications that were recognised, while they are asked for', async () => {
    found.set('tcp 10.10.0.7:40000 203.0.113.9:443', { name: 'TLS.YouTube', server: 'www.youtube.com' })
    const ofA = async () => (await get('/reports/traffic/sessions')).find(({ id }: { id: string }) => id === 'A')
    assert.equal((await ofA()).application, '')
    assert.equal((await admin('PATCH', '/monitor/application_detection', { enabled: true })).status, 200)
    assert.partialDeepStrictEqual(await ofA(), {
      application: 'YouTube',
    })
    const [top, ...others] = await get('/reports/traffic/top/applications')
    assert.deepEqual([top.application, top.sessions, others], ['YouTube', 1, []])
    // Nothing runs here, so nothing claims to.
    assert.notEqual((await get('/monitor/application_detection/status'))[0].status, 'active')
    assert.equal((await admin('PATCH', '/monitor/application_detection', { enabled: false })).status, 200)
    assert.equal((await ofA()).application, '')
    found.clear()
  })

  it('sorts and cuts as asked', async () => {
    const ids = async (query: string) =>
      (await get(`/reports/traffic/sessions${query}`)).map(({ id }: { id: string }) => id)
    const sort = json([
      { field: 'source_ip', direction: 'desc' },
      { field: 'bps_in', direction: 'asc' },
    ])
    assert.deepEqual(await ids(`?sort=${sort}`), ['B', 'A', 'C'])
    assert.deepEqual(await ids(`?sort=${sort}&limit=1&offset=1`), ['A'])
    assert.equal((await admin('GET', '/reports/traffic/sessions?limit=0')).status, 422)
    assert.equal((await admin('GET', '/reports/traffic/sessions?offset=-1')).status, 422)
    const wrong = await admin('GET', `/reports/traffic/sessions?sort=${json([{ field: 'x', direction: 'asc' }])}`)
    assert.deepEqual(fieldsOf(wrong), ['sort[0].field'])
  })

  it('sums up by host, and knows no application', async () => {
    const sources = await get('/reports/traffic/top/sources')
    assert.deepEqual(
      sources.map(({ source_ip, sessions, bps_in, pps_out }: Record<string, unknown>) => [
        source_ip,
        sessions,
        bps_in,
        pps_out,
      ]),
      [
        ['10.10.0.7', 2, 400, 6],
        ['10.10.0.8', 1, 10, 3],
      ],
    )
    assert.deepEqual(await get('/reports/traffic/top/applications'), [])
  })

  it('counts a session for the local host also when the other side began it, and never for the gateway', async () => {
    const wan = await admin('POST', '/network/connections', {
      type: 'wan',
      title: 'WAN',
      enabled: true,
      mac: '02:00:00:00:00:02',
      enable_dhcp: false,
      addresses: ['203.0.113.2/24'],
      gateway: null,
      dns: [],
      vlan_tag: null,
      zone: null,
      netflow_index: 0,
    })
    assert.equal(wan.status, 200, wan.text)
    const published = { ...session('D', '192.0.2.7', 5, 100), destination: '10.10.0.9', calledAs: '203.0.113.2' }
    const hidden = { ...session('E', '10.10.0.7', 4, 10), destination: '192.0.2.80', seenAs: '203.0.113.2' }
    const ownTraffic = session('F', '203.0.113.2', 3, 10)
    tracked = [published, hidden, ownTraffic]
    const sessions = await get('/reports/traffic/sessions')
    const [lan, out] = [(await get('/network/connections'))[0].id, wan.body.id]
    assert.deepEqual(
      sessions.map((one: Record<string, string>) => [one.id, one.in_iface_alias, one.out_iface_alias]),
      [
        ['D', `interface.id.${out}`, `interface.id.${lan}`],
        ['E', `interface.id.${lan}`, `interface.id.${out}`],
        ['F', '', `interface.id.${out}`],
      ],
    )
    const sources = await get('/reports/traffic/top/sources')
    assert.deepEqual(
      sources.map(({ source_ip, bps_in, bps_out }: Record<string, unknown>) => [source_ip, bps_in, bps_out]),
      [
        ['10.10.0.9', 1, 100],
        ['10.10.0.7', 10, 1],
      ],
    )
  })

  it('says in its status what it cannot tell', async () => {
    const states = async () =>
      (await get('/reports/traffic/status')).map(({ name, status }: Record<string, string>) => `${name} ${status}`)
    assert.deepEqual(await states(), ['sessions active', 'rates active', 'applications inactive'])
    told = { isCut: true, isCounting: false }
    assert.deepEqual(await states(), ['sessions active', 'rates inactive', 'applications inactive'])
    assert.match((await get('/reports/traffic/status'))[0].msg[0], /more sessions than can be shown/)
    told = { sessions: [], limitation: 'Nothing is tracked here.' }
    assert.deepEqual((await get('/reports/traffic/status'))[0], {
      name: 'sessions',
      status: 'inactive',
      msg: ['Nothing is tracked here.'],
    })
    assert.deepEqual(await get('/reports/traffic/sessions'), [])
  })

  it('says so when the machine cannot be asked', async () => {
    const failing = await createTestGateway({
      parts: { traffic: { read: () => Promise.reject(new GatewayError('unavailable', say`No answer.`)) } },
    })
    const client = await failing.client('predefined_reports_view')
    assert.equal((await client('GET', '/reports/traffic/sessions')).status, 503)
    const { status, body } = await client('GET', '/reports/traffic/status')
    assert.deepEqual([status, body[0]], [200, { name: 'sessions', status: 'failed', msg: ['No answer.'] }])
    await failing.close()
  })
})

describe('journals', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    const hit = (second: number, prefix: string, protocol = 6) => ({
      'oob.prefix': prefix,
      'oob.in': 'lan0',
      'oob.out': 'wan0',
      'oob.time.sec': Date.UTC(2026, 0, 1) / 1000 + second,
      'ip.protocol': protocol,
      'ip.totlen': 60,
      src_ip: '10.10.0.7',
      dest_ip: '203.0.113.9',
      ...(protocol === 6 ? { src_port: 40_000, dest_port: 443 } : {}),
    })
    const hits = [hit(1, 'FWD 2 drop '), hit(2, 'INP 5 accept ', 1), hit(3, 'SNAT 9 snat '), hit(4, 'LOG 1 mark_log ')]
    appendFileSync(join(gateway.folder, 'hits.json'), hits.map((line) => `${JSON.stringify(line)}\n`).join(''))
  })
  after(() => gateway.close())
  const journal = async (query = '') => {
    const answer = await admin('GET', `/reports/report/firewall/journal${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  it('of traffic shows what the firewall logged, newest first', async () => {
    const { data, rows, rows_before_limit_at_least } = await journal()
    assert.deepEqual([rows, rows_before_limit_at_least], [3, 3])
    assert.equal(Object.keys(data[0]).length, 39)
    assert.deepEqual(
      data.map((row: Record<string, unknown>) => [
        row.date_time,
        row.table,
        row.rule_id,
        row.action,
        row.result,
        row.snat_rule_id,
        row.protocol,
        row.src_port,
      ]),
      [
        [20_260_101_000_003, 'absent', 0, 'absent', 'absent', 9, 'TCP', 40_000],
        [20_260_101_000_002, 'inp', 5, 'accept', 'accept', 0, 'ICMP', 0],
        [20_260_101_000_001, 'fwd', 2, 'drop', 'drop', 0, 'TCP', 40_000],
      ],
    )
  })

  it('of traffic is filtered, searched, cut and given as CSV', async () => {
    const drops = [{ items: [{ column_name: 'action', operator: 'equals', value: ['drop'] }] }]
    assert.equal((await journal(`?filter=${json(drops)}`)).rows, 1)
    assert.equal((await journal(`?search=${json([{ text: 'icmp', columns: 'protocol' }])}`)).rows, 1)
    const page = await journal('?limit=1&offset=2')
    assert.deepEqual([page.rows, page.rows_before_limit_at_least, page.data[0].table], [1, 3, 'fwd'])
    const { text, headers } = await admin('GET', '/reports/report/firewall/journal?format_type=CSV')
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
    assert.equal(text.split('\r\n').length, 5)
    assert.match(text, /^date_time,result,rule_id,table/)
  })

  it('of the personal portal is empty: there is no portal', async () => {
    const { body } = await admin('GET', '/user_cabinet_reports/auth_journal')
    assert.deepEqual([body.data, body.rows, 'rows_before_limit_at_least' in body], [[], 0, false])
    assert.equal(body.meta.length, 12)
    const page = (await admin('GET', '/user_cabinet_reports/auth_journal?limit=5')).body
    assert.equal(page.rows_before_limit_at_least, 0)
    const csv = await admin('GET', '/user_cabinet_reports/auth_journal?format_type=CSV')
    assert.equal(
      csv.text,
      'id,date_time,user_id,login,name,group_name,domain_type,ip,country_name,country_code,end,time_online\r\n',
    )
    const values = '/user_cabinet_reports/auth_journal/unique_values'
    assert.deepEqual((await admin('GET', `${values}/ip`)).body, {
      meta: [{ name: 'ip', type: 'String' }],
      data: [],
      rows: 0,
    })
    assert.deepEqual((await admin('GET', `${values}/country_name?limit=5&offset=0`)).body, {
      meta: [{ name: 'country_name', type: 'String' }],
      data: [],
      rows: 0,
      rows_before_limit_at_least: 0,
    })
    assert.equal((await admin('GET', `${values}/login`)).status, 404)
    const filter = [{ items: [{ column_name: 'end', operator: 'greater', value: [] }] }]
    assert.equal((await admin('GET', `/user_cabinet_reports/auth_journal?filter=${json(filter)}`)).status, 422)
  })
})

describe('settings of monitoring', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())
  const get = async (url: string) => (await admin('GET', url)).body
  const patch = async (url: string, body: object) => {
    const answer = await admin('PATCH', url, body)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, '')
  }
  const refused = async (url: string, body: object, ...fields: string[]) => {
    const answer = await admin('PATCH', url, body)
    assert.equal(answer.status, 422, JSON.stringify(body))
    assert.deepEqual(fieldsOf(answer), fields)
  }

  it('flow export is kept, under both paths', async () => {
    const url = '/api/netflow-export/settings'
    assert.deepEqual(await get(url), {
      version: 9,
      exported_interfaces: [],
      destination_ip: '',
      destination_port: 2055,
      active_flow_interval: 300,
      template_tx_counter: 20,
      template_tx_interval: 1800,
    })
    await patch(url, {
      destination_ip: '192.0.2.9',
      exported_interfaces: ['interface.vpn_traffic', 'interface.ipsec_any'],
      template_tx_counter: 50,
    })
    assert.equal((await get('/netflow-export/settings')).destination_ip, '192.0.2.9')
    await refused(url, { destination_ip: '0.0.0.0' }, 'destination_ip')
    await refused(url, { destination_ip: 'collector' }, 'destination_ip')
    for (const alias of ['interface.id.99', 'interface.local_any', 'interface.utm_outgoing', 'zone.id.1'])
      await refused(url, { exported_interfaces: [alias] }, 'exported_interfaces[0]')
    await refused(url, { version: 7 }, 'version')
    await refused(url, { version: 5, template_tx_counter: 20 }, 'template_tx_counter')
    await refused(url, { template_tx_interval: null }, 'template_tx_interval')
    await patch('/netflow-export/settings', { version: 5 })
    const five = await get(url)
    assert.deepEqual([five.version, five.template_tx_counter, five.template_tx_interval], [5, null, null])
    await patch(url, { version: 10 })
    assert.equal((await get(url)).template_tx_counter, 20)
    const item = { name: 'netflow-export', status: 'inactive' }
    assert.deepEqual(await get('/api/netflow-export/status'), [{ ...item, msg: ['The flow export is switched off.'] }])
    await patch('/api/netflow-export/state', { enabled: true })
    assert.deepEqual(await get('/netflow-export/state'), { enabled: true })
    assert.deepEqual(await get('/api/netflow-export/status'), [
      { name: 'netflow-export', status: 'active', msg: ['Nothing has been sent yet.'] },
    ])
    await patch(url, { destination_ip: '', exported_interfaces: [] })
    assert.deepEqual(await get('/api/netflow-export/status'), [
      {
        ...item,
        msg: [
          'Nothing is exported: the address of the collector is missing.',
          'Nothing is exported: no interface is selected.',
        ],
      },
    ])
  })

  it('SNMP keeps its secrets sealed and shows them to full administrators only', async () => {
    const url = '/monitor_backend/snmp/settings'
    const secrets = { community: 'tracer-community', password: 'tracer-password-1', private_key: 'tracer-key-1' }
    await patch(url, { ...secrets, version: '3', user: 'monitor', hosts: ['10.0.0.0/8'], location: 'rack' })
    const shown = await get(url)
    assert.deepEqual(
      [shown.community, shown.password, shown.private_key, shown.version, shown.hosts],
      [secrets.community, secrets.password, secrets.private_key, 3, ['10.0.0.0/8']],
    )
    const viewer = await gateway.client('predefined_admin_readonly')
    const masked = (await viewer('GET', url)).body
    assert.deepEqual([masked.community, masked.password, masked.private_key], ['***', '***', '***'])
    assert.match((await admin('GET', '/journal/records')).text, /Secrets of SNMP were shown/)
    for (const path of ['/journal/records', '/config/revisions', `/config/revisions/${gateway.engine.revision}`])
      assert.doesNotMatch((await admin('GET', path)).text, /tracer-/)
    await patch(url, { password: '***', private_key: null, hosts: '' })
    const kept = await get(url)
    assert.deepEqual([kept.password, kept.private_key, kept.hosts], [secrets.password, secrets.private_key, []])
    assert.equal((await admin('POST', '/config/keys/rotate')).status, 200)
    assert.equal((await get(url)).password, secrets.password, 'a new key seals them again')
    await patch(url, { password: '' })
    assert.equal((await get(url)).password, '')
    await refused(url, { password: 'short' }, 'password')
    await refused(url, { version: 1 }, 'version')
    await refused(url, { community: 'ж'.repeat(128) }, 'community')
    await refused(url, { hosts: ['a.example'] }, 'hosts[0]')
  })

  it('SNMP says why no one can read, and its secrets are open on the way to applyd only', async () => {
    assert.deepEqual(await get('/monitor_backend/snmp/status'), [
      { name: 'snmpd', status: 'inactive', msg: ['SNMP is switched off.'] },
    ])
    await patch('/monitor_backend/snmp/state', { enabled: true })
    const [item] = await get('/monitor_backend/snmp/status')
    assert.equal(item.status, 'failed')
    assert.deepEqual(item.msg.slice(0, 2), ['No trusted host is listed.', 'The password is missing.'])
    const change = { hosts: ['10.0.0.0/8'], password: 'tracer-password-2' }
    const tried = await admin('PATCH', '/monitor_backend/snmp/settings?dry_run=true', change)
    assert.match(tried.text, /createUser/)
    assert.doesNotMatch(tried.text, /tracer-|v1\./)
    await patch('/monitor_backend/snmp/settings', change)
    assert.equal((await get('/monitor_backend/snmp/status'))[0].status, 'active')
    const applied = gateway.applier.applied?.artifacts.find(({ name }) => name === 'snmpd.conf')
    assert.match(applied?.kind === 'file' ? applied.text : '', /"monitor" MD5 "tracer-password-2" AES "tracer-key-1"/)
    await patch('/monitor_backend/snmp/state', { enabled: false })
  })

  it('the monitoring agent needs what its modes need', async () => {
    const url = '/monitor_backend/zabbix_agent'
    await refused(url, { active_mode_enabled: true }, 'active_mode_servers', 'hostname')
    await refused(url, { passive_mode_enabled: true }, 'passive_mode_servers')
    await refused(url, { active_mode_servers: ['a b'] }, 'active_mode_servers[0]')
    for (const server of ['a:70000', '300.1.1.1', '10.0.0', '10.0.0.1.:5', 'host.7'])
      await refused(url, { active_mode_servers: [server] }, 'active_mode_servers[0]')
    await refused(url, { listen_port: 10_052 }, 'listen_port')
    await refused(url, { hostname: ' gateway' }, 'hostname')
    const wanted = {
      enabled: true,
      active_mode_enabled: true,
      active_mode_servers: ['192.0.2.1:10051', 'monitor.example', 'пример.рф:10051'],
      passive_mode_enabled: true,
      passive_mode_servers: ['192.0.2.1'],
      hostname: "gate way_1.a-b'c",
      listen_port: 10_051,
    }
    await patch(url, wanted)
    assert.deepEqual(await get(url), wanted)
    assert.deepEqual(await get(`${url}/status`), { enabled: true })
    await patch(url, { passive_mode_enabled: false, active_mode_enabled: false })
    assert.deepEqual(await get(`${url}/status`), { enabled: false }, 'in no mode it does not run')
    await patch(url, wanted)
  })

  it('are kept over a restart', async () => {
    const urls = [
      '/api/netflow-export/state',
      '/api/netflow-export/settings',
      '/monitor_backend/snmp/state',
      '/monitor_backend/snmp/settings',
      '/monitor_backend/zabbix_agent',
    ]
    const shown = await Promise.all(urls.map(get))
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await Promise.all(urls.map(get)), shown)
  })
})
