// Makes the fixture of a release: `node server/test/support/make-released.ts <new folder>`, run on the commit of the release.
// Drives a whole gateway through its API until every slot holds something, then keeps its state and a backup.
// Never run again for a published release: what it stored must stay readable.

import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { servers } from '../../src/areas/central-console/config.ts'
import { block } from '../../src/areas/firewall/config.ts'
import { addItem } from '../../src/core/model/list-edits.ts'
import { type Config, write } from '../../src/core/model/slots.ts'
import { makeCertificate } from '../../src/shared/certificates/certificate-maker.ts'
import { release as version } from '../../src/shared/version.ts'
import { download, make } from '../contract/backup-calls.ts'
import { createTestGateway } from './test-gateway.ts'

type Id = string | number

const comment = 'Part of the fixture of a release'
const mac = (last: number): string => `02:00:00:00:10:${last.toString(16).padStart(2, '0')}`

const folder = process.argv[2] ?? assert.fail('Missing argument: the folder to create.')
mkdirSync(folder, { recursive: true })
const disk = { id: 'naa.5000c500a1b2c3d4', title: 'Disk, sdb, 1.0 TB', bytes: 1_000_000_000_000 }
const gateway = await createTestGateway({ parts: { disks: { list: async () => [disk] } } })
await furnish()
keepState()
await keepBackup()
await gateway.close()

async function furnish(): Promise<void> {
  const admin = await gateway.client('predefined_admin_write')
  const send = async (method: string, path: string, body: unknown, headers = {}) => {
    const answer = await admin(method, path, body, headers)
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const add = async (path: string, body: object): Promise<Id> => (await send('POST', path, body)).id
  const set = (path: string, body: object): Promise<unknown> => send('PATCH', path, body)
  const put = (path: string, body: object): Promise<unknown> => send('PUT', path, body)

  const object = async (path: string, title: string, more: object): Promise<string> =>
    String(await add(`/aliases/${path}`, { title, comment, ...more }))
  const address = await object('ip_addresses', 'Mail server', { value: '10.20.0.25' })
  const range = await object('ip_ranges', 'Printers', { start: '10.20.0.100', end: '10.20.0.120' })
  const network = await object('networks', 'Office', { value: '10.20.0.0/24' })
  const domain = await object('domains', 'Vendor', { value: 'updates.example' })
  const port = await object('ports', 'HTTPS', { value: 443 })
  const portRange = await object('port_ranges', 'Media', { start: 16_384, end: 32_767 })
  const hours = await object('time_ranges', 'Office hours', { weekdays: [1, 2, 3, 4, 5], start: '08:00', end: '18:00' })
  const addresses = await object('lists/addresses', 'Servers', { values: [address, domain] })
  await object('ip_address_lists', 'Blocked', { values: ['198.51.100.7', '203.0.113.0/25'] })
  const ports = await object('lists/ports', 'Allowed ports', { values: [port, portRange] })
  await object('lists/times', 'Working time', { values: [hours] })
  const zone = await object('zones', 'Inside', {})
  await object('lists/iplists', 'Far away', { values: ['iplist.id.276'] })

  const connection = { type: 'lan', enabled: true, enable_dhcp: false }
  const lan = await add('/network/connections', {
    ...connection,
    title: 'Office',
    mac: mac(1),
    addresses: ['10.20.0.1/24'],
  })
  const guests = { ...connection, title: 'Guests', mac: mac(2), addresses: ['10.30.0.1/24'] }
  const guestLan = await add('/network/connections', guests)
  await add('/network/aggregated', { enabled: true, title: 'Two cards', comment, nics: [] })
  const wan = { ...connection, type: 'wan', title: 'Provider', mac: mac(3), addresses: ['198.51.100.2/24'] }
  const external = await add('/network/connections', { ...wan, gateway: '198.51.100.1' })
  const pppoe = { type: 'pppoe', title: 'Second provider', enabled: false, mac: mac(4), login: 'line-1' }
  await add('/network/connections', { ...pppoe, password: 'secret of the line' })
  await add('/network/tunnels', {
    title: 'Branch',
    enabled: true,
    comment,
    addresses: ['10.250.0.1/30'],
    gateway: '10.250.0.2',
    parent_interface: `interface.id.${external}`,
    server: '192.0.2.77',
    zone: null,
    netflow_index: 0,
  })
  await add('/network/vce_conns', { title: 'Guest system', vce_id: 'vce-1', mac: mac(5), vlan_tag: null, comment })
  const mirror = { title: 'Mirror', comment, enabled: true, mac: mac(6), direction: 'both' }
  await add('/network/span', { ...mirror, monitor_interfaces: [`interface.id.${lan}`] })

  const addGroup = (name: string): Promise<Id> => add('/user_backend/groups', { name, parent_id: 'group.id.1' })
  const groupNumber = await addGroup('Sales')
  const group = `group.id.${groupNumber}`
  const adGroup = `group.id.${await addGroup('From AD')}`
  const aldGroup = `group.id.${await addGroup('From ALD')}`
  const user = { name: 'Anna Example', login: 'anna', parent_id: group, phone_number: '+12025550123', comment }
  const user_id = await add('/user_backend/users', { ...user, psw: 'a long pass 7phrase' })
  await add('/auth/rules', { enabled: true, ip: '10.20.0.40', mac: mac(40), user_id, always_logged: true, comment })
  const localAdmin = { enabled: true, name: 'Second', login: 'second', role: 'predefined_admin_readonly', comment }
  await add('/web/admins/local', { ...localAdmin, password: 'another 8pass phrase' })
  const guid = '6f9619ff-8b86-d011-b42d-00cf4fc964ff'
  for (const kind of ['ad', 'ald'])
    await add(`/web/admins/${kind}`, { enabled: true, role: 1, group_alias: `security_group.guid.${guid}`, comment })
  await set('/admins-radius-auth/settings', {
    primary: { server: 'radius.example', port: 1812, secret: 'radius secret' },
    secondary: { server: '192.0.2.12', port: 1813, secret: 'other secret' },
  })
  await set('/admins-radius-auth/state', { enabled: true })
  const directory = { computer_name: 'gateway', dns_ips: ['10.20.0.10'], user: 'join', password: 'join pass' }
  await add('/ad_backend/domains', { ...directory, name: 'corp.example', ldap_paths: [] })
  await add('/ald_backend/domains', { ...directory, name: 'ald.example' })
  const filter = { search_filter: '(&(objectCategory=person)(objectClass=user))', object_guid: guid, sync_type: 'ldap' }
  await add('/ad_backend/group_settings', { ...filter, group_alias_id: adGroup, domain_name: 'corp.example' })
  await add('/ald_backend/group_settings', { ...filter, group_alias_id: aldGroup, domain_name: 'ald.example' })
  await set('/ad_backend/settings', { authorization_by_logs: true })
  await set('/ad_backend/security_group_import_settings', { compatibility_mode: true })
  await set('/netscan_backend/settings', { enabled: true, group_id: groupNumber, networks: ['10.20.0.0/24'] })

  const ips = await add('/ips/profiles', { name: 'Office', comment })
  const classes = [{ key: 'classtype', operator: 'equals', values: ['trojan-activity'] }]
  await send('POST', `/ips/profiles/${ips}/rules`, { filters: classes, action: 'drop', comment })
  const signature = 'alert tcp any any -> any 8080 (msg:"Own rule"; sid:900001;)'
  await add('/ips/custom', { comment, rule: signature })
  await add('/ips/nets', { address: '198.51.100.0/24' })
  await add('/ips/bypass', { aliases: [address], comment, enabled: true })
  await set('/ips/state', { enabled: true })
  const protocols = [{ id: 'id.l7.bittorrent', action: 'deny' }]
  const [applications] = await send('POST', '/api/application_control/profiles', { name: 'Office', comment, protocols })
  const control = { name: 'No transfers', action: 'drop', comment, aliases: [group], enabled: true }
  await add('/application_control_backend/rules', { ...control, protocols: ['id.l7.ftp_protocol'] })
  const waf = '/reverse_proxy_backend/waf/profiles'
  const site = { detection_only: false, disabled_categories: [], server_tokens: true, from_central_console: false }
  const webProfile = await add(waf, { ...site, name: 'Shop', comment })
  const webRule = { aliases: [network], aliases_negate: true, action: 'block', comment, enabled: true }
  await send('POST', `${waf}/${webProfile}/rules`, webRule)
  await send('POST', `${waf}/${webProfile}/exceptions`, { rule_id: 942_100, comment, enabled: true })

  const rule = { enabled: true, comment, source_addresses: [network], timetable: [hours] }
  const inspected = { dpi_enabled: true, dpi_profile: applications.id, ips_enabled: true, ips_profile: ips }
  const forward = { ...rule, protocol: 'protocol.tcp', destination_addresses: [addresses], destination_ports: [ports] }
  const rules = '/firewall/rules'
  const first = await add(`${rules}/forward`, { ...forward, ...inspected, action: 'accept' })
  const second = await add(`${rules}/forward`, { ...rule, source_addresses: [range], action: 'drop' })
  await set(`${rules}/forward/move`, { params: { id: second, anchor_item_id: first, insert_after: false } })
  await add(`${rules}/input`, { ...rule, source_addresses: ['any'], protocol: 'protocol.icmp', action: 'accept' })
  const inbound = { incoming_interface: `interface.id.${external}`, change_destination_address: address }
  const web = { enabled: true, comment, protocol: 'protocol.tcp', destination_ports: [port] }
  await add(`${rules}/dnat`, { ...web, ...inbound, change_destination_port: null, action: 'dnat' })
  await add(`${rules}/snat`, { ...rule, outgoing_interface: `interface.id.${external}`, action: 'accept' })
  await add(`${rules}/log`, { ...rule, action: 'mark_log' })
  await set('/firewall/settings', { automatic_snat_enabled: false, log_mode: 'selected', log_actions: ['drop'] })
  await add('/firewall/hw_rules_mac', { mac: mac(60), protocol: 6, enabled: true, comment })
  await add('/firewall/hw_rules_src_ip', { source_ip: '192.0.2.1', enabled: true, comment })
  await add('/firewall/hw_rules_dst_ip', { destination_ip: '192.0.2.2', enabled: true, comment })
  await add('/firewall/hw_rules_src_dst_ip', {
    source_ip: '192.0.2.3',
    destination_ip: '192.0.2.4',
    enabled: true,
    comment,
  })
  await set('/firewall/hw_settings', { mode: 'src-ip' })
  await set('/firewall/watch', { enabled: false })
  const destination = { saddr: '0.0.0.0/0', daddr: '192.0.2.1/32', proto: 'tcp', dport_min: 80, dport_max: 90 }
  const value = [{ ...destination, sport_min: 0, sport_max: 65_535, action: 'deny' }]
  const acl = await add('/acl/rules', { name: 'No web', value })
  await set('/acl/acl-order', { acl_ordered_list: [{ src: [group], hip: [], acl }] })
  await set('/acl/acl-state', { enabled: true, default_action: 'allow', logging_enabled: true })
  const packet = { protocol: 'tcp', src_ip: '10.20.0.40', dst_ip: '192.0.2.9', src_port: 40_000, dst_port: 443 }
  const inside = { incoming_interface: `interface.id.${lan}`, expected_result: 'accept' }
  await add('/firewall/checks_packets', { ...packet, ...inside, enabled: false, comment })
  await set('/firewall/checks_settings', { block_traffic: true })

  const urls = Array.from({ length: 150 }, (_, at) => `site-${at}.example`)
  const sites = await add('/content-filter/users_categories', { name: 'Partners', comment, urls })
  await put(`/content-filter/users_categories/${sites}`, { name: 'Partners', comment, urls: [...urls, 'last.example'] })
  const content = { comment, http_methods: [], content_types: [], redirect_url: null, enabled: true, access: 'deny' }
  const filtered = { ...content, aliases: [group], categories: [sites], timetable: [hours] }
  await add('/content-filter/rules', { ...filtered, name: 'No partners at work' })
  const words = [{ value: 'lottery', weight: 50 }]
  await add('/content-filter/morph_analysis_dicts', {
    title: 'Own words',
    comment,
    enabled: true,
    threshold: 100,
    words,
  })
  await set('/content-filter/settings', { enabled_extended_categorizer: false, quic_reject_enabled: true })
  await set('/content-filter/morph_analysis/state', { enabled: true })
  await set('/proxy_backend/safe_search', { enabled: true })
  await set('/content-filter/state', { enabled: true })

  await set('/vpn_servers/settings', { zone, pptp_enabled: true, netflow_index: 7, dns_suffix: 'corp.example' })
  const vpn = { enabled: true, title: 'Sales from home', comment, objects: [group] }
  await add('/vpn_servers/access_rules', {
    ...vpn,
    sources: ['any'],
    vpns: ['any'],
    action: 'allow',
    two_factor: 'not_required',
  })
  await add('/vpn_servers/lease_rules', { ...vpn, address: '10.128.0.9' })
  await put('/vpn_servers/dhcp', { mode: 'custom', networks: [network], excluded_networks: [] })
  await set('/agent_backend/agent-server/setting', { auth_domain: 'vpn.example', local_tunnel: true })
  await set('/agent_backend/agent-server/state', { enabled: true })

  await add('/dns/zones/root', { enabled: true, type: 'ip', object: '192.0.2.53', comment })
  await add('/dns/zones/forward', { name: 'corp.example', enabled: true, servers: ['10.20.0.10'], comment })
  const zoneText = '@ SOA ns root.localhost. 1 1 1 1 1\n@ NS ns\nns A 10.20.0.1'
  await add('/dns/zones/master', { name: 'office.example', enabled: true, config: zoneText, comment })
  await set('/dns/settings', { intercept_enabled: false })
  await set('/dns/safesearch', { enabled: true })
  await set('/dns/ddns', { domain: 'gateway.example', service_login: 'updater', service_password: 'update pass' })
  await set('/dns/ddns/state', { enabled: true })
  const leases = {
    dns: ['10.20.0.1'],
    domain: 'office.example',
    gateway: '',
    lease_time: 60,
    ranges: ['10.20.0.50-10.20.0.99'],
  }
  const options = { options: [], routes: [], tftp_filename: '', tftp_server: '', wins: [], wpad_enabled: false }
  const served = { enabled: true, interface: `interface.id.${lan}`, relay: null, server: { ...leases, ...options } }
  await add('/dhcp_server/settings', served)
  const relay = { external_servers: ['192.0.2.7'] }
  await add('/dhcp_server/settings', { enabled: true, interface: `interface.id.${guestLan}`, relay, server: null })
  await add('/dhcp_server/static_leases', { comment, enabled: true, ip_address: '10.20.0.40', mac: mac(40) })

  const mail = '/mail/settings'
  await set(`${mail}/general`, { mail_domain: 'corp.example', mail_hostname: 'mail.corp.example' })
  await set(`${mail}/general/state`, { enabled: true })
  await set(`${mail}/general/server_access`, { imap_enabled: true, pop3_enabled: false, webmail_enabled: true })
  await send('POST', `${mail}/general/ext_hdd`, { id: disk.id })
  const sizes = { max_mailbox_size: 2_000_000_000, max_message_size: 20_000_000, autoexpunge_days: 30 }
  await put(`${mail}/advanced/general`, {
    mail_relay: 'smtp.example:587',
    sender_bcc: null,
    recipient_bcc: null,
    ...sizes,
  })
  await set(`${mail}/advanced/security/state`, { smtpd_sasl_enabled: true, greylisting_enabled: true })
  await put(`${mail}/advanced/security/network`, { postfix_mynetworks: ['10.20.0.0/24'] })
  await put(`${mail}/advanced/dkim/state`, { opendkim_enabled: true })
  await set('/mail/klms/state', { enabled: true })
  await send('POST', '/mail/klms/license', Buffer.from('a licence'), { 'content-type': 'application/octet-stream' })
  await add('/mail/rules/alias', { recipient: 'info', map: ['anna@corp.example'] })
  await add('/mail/rules/whitelist', { address: 'partner.example', comment, type: 1 })
  await add('/mail/rules/blacklist', { address: '203.0.113.5', comment, type: 2 })

  const servedGroup = String(
    await add('/servers/groups', { name: 'Branches', parent_id: 'f3ffde22-a562-4f43-ac04-c40fcec6a88c', comment }),
  )
  for (const place of ['before', 'after']) {
    await add(`/content-filter/rules/${place}`, {
      ...filtered,
      aliases: ['any'],
      categories: [],
      name: `All, ${place}`,
      parent_id: servedGroup,
    })
    for (const table of ['forward', 'input'])
      await add(`${rules}/${table}/${place}`, { comment, enabled: true, action: 'drop', parent_id: servedGroup })
  }
  const [, certificate = ''] = (await makeCertificate(['console.example'], gateway.clock.now())).chain.split(
    /(?<=-----END CERTIFICATE-----\n)/,
  )
  await set('/central_console/settings', { cc_server: 'console.example' })
  await send('POST', '/central_console/root_ca', certificate)
  await set('/servers/setting', { domain: 'console.example' })
  await set('/servers/state', { enabled: true })
  await store((config) => addItem(config, servers, connectedGateway(servedGroup)))

  await set('/logs_backend/remote_syslog', { host: '192.0.2.14', port: 6514, protocol: 'tcp', format: 'syslog' })
  await set('/logs_backend/remote_syslog/state', { enabled: true })
  await set('/netflow-export/settings', {
    version: 9,
    exported_interfaces: ['interface.vpn_traffic'],
    destination_ip: '192.0.2.9',
  })
  await set('/netflow-export/state', { enabled: true })
  await set('/monitor_backend/snmp/settings', {
    version: 2,
    community: 'office',
    location: 'Cellar',
    hosts: ['10.20.0.30'],
  })
  await set('/monitor_backend/snmp/state', { enabled: true })
  await set('/monitor_backend/zabbix_agent', {
    enabled: true,
    active_mode_enabled: true,
    active_mode_servers: ['192.0.2.15:10051'],
    hostname: 'gateway',
    passive_mode_enabled: true,
    passive_mode_servers: ['192.0.2.15'],
    listen_port: 10_050,
  })
  const share = { enabled: true, login: 'backup', remote_dir: 'gateway' }
  await set('/backup/settings', {
    common: { hour: 4, rotate: 'monthly' },
    ftp: { ...share, server: 'ftp.example', password: 'ftp pass' },
    cifs: { ...share, server: 'share.example', password: 'share pass' },
  })
  await set('/gather_stat/settings', { enabled: true })
  await send('POST', '/license/register', { token: 'a-licence-token' })
  await set('/license/update-type', { update_type: 'auto' })
  await store((config) => write(config, block, { blocked: true }))
  await store((config) => write(config, block, { blocked: false }))
  await set('/firewall/state', { enabled: false })
}

/** For slots that no endpoint writes. */
function store(edit: (config: Config) => Config): Promise<unknown> {
  return gateway.engine.change({
    edit: (config) => [edit(config), null],
    actor: { login: 'system', address: '127.0.0.1' },
    reason: 'Fixture',
  })
}

function connectedGateway(parent_id: string) {
  const times = { last_sync: null, last_connect: 1_767_225_600 }
  return {
    id: 'gateway-1',
    parent_id,
    version,
    cl_tunnel_addr: 'fd00::1',
    title: 'Branch',
    approved: true,
    comment,
    ...times,
  }
}

/** The database as text, without sessions. */
function keepState(): void {
  gateway.services.audit.flush()
  const raw = new DatabaseSync(join(gateway.folder, 'gateway.db'), { readOnly: true })
  const stored = new Set(
    (raw.prepare('SELECT DISTINCT slot FROM items').all() as { slot: string }[]).map(({ slot }) => slot),
  )
  const missing = gateway.engine.slots.map(({ key }) => key).filter((key) => !stored.has(key))
  assert.deepEqual(missing, [], 'these slots hold nothing')
  const tables = raw
    .prepare(`SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name`)
    .all()
  const lines = tables.flatMap(({ name, type, sql }) => {
    const rows = type === 'table' && name !== 'sessions' ? raw.prepare(`SELECT * FROM ${name}`).all() : []
    return [
      `${sql};`,
      ...rows.map((row) => `INSERT INTO ${name} VALUES (${Object.values(row).map(literal).join(', ')});`),
    ]
  })
  const { user_version } = raw.prepare('PRAGMA user_version').get() as { user_version: number }
  raw.close()
  writeFileSync(join(folder, 'state.sql'), `${lines.join('\n')}\nPRAGMA user_version=${user_version};\n`)
  copyFileSync(join(gateway.folder, 'vault.key'), join(folder, 'vault.json'))
}

function literal(value: unknown): string {
  if (value === null || typeof value === 'number') return String(value)
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
  return `'${String(value).replaceAll("'", "''")}'`
}

async function keepBackup(): Promise<void> {
  const admin = await gateway.client('predefined_admin_write')
  const id = await make(admin, 'Backup of a release')
  writeFileSync(join(folder, 'gateway.backup'), await download(gateway, admin, id))
  const { key } = (await admin('GET', '/backup/recovery_key')).body as { key: string }
  writeFileSync(join(folder, 'recovery-key.txt'), `${key}\n`)
}
