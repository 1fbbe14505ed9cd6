// Every row of the seed that this version serves exists with its method, path, fields and answer. Written by hand from the
// seed, so that a slip in a contract file cannot correct its own test.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestGateway } from '../support/test-gateway.ts'
import { find } from './contract.ts'
import { schemaOf } from './samples.ts'

interface SeedRow {
  readonly name: string
  /** Fields of the body; a question mark marks one that may be left out. */
  readonly body?: string
  readonly query?: string
  /** Parameters of the query that this gateway takes besides; without them it answers as the seed says. */
  readonly ours?: string
  /** Fields of the answer, of its items when it is a list; absent: 200 without a body. */
  readonly reply?: string
  readonly isList?: boolean
}

const administrator = 'id name enabled login role comment password_timestamp'
const administratorRule = 'id enabled role group_alias comment'
const optional = (fields: string): string => fields.replaceAll(/\w+/g, '$&?')
const mailGeneral = 'mail_domain mail_hostname mail_additional_domains mail_relay_domains'
const mailAdvanced = 'mail_relay sender_bcc recipient_bcc max_mailbox_size max_message_size autoexpunge_days'
const mailSecurity = 'smtpd_sasl_enabled smtpd_tls_only_auth dnsbl_enabled greylisting_enabled secure_encryption'

const rows: readonly SeedRow[] = [
  { name: 'POST /web/auth/login', body: 'login password rest_path' },
  { name: 'DELETE /web/auth/login' },
  { name: 'GET /gather_stat/settings', reply: 'enabled' },
  { name: 'PATCH /gather_stat/settings', body: 'enabled?' },
  { name: 'POST /license/register', body: 'token' },
  { name: 'GET /web/admins/local', query: 'format_type columns', reply: administrator, isList: true },
  { name: 'POST /web/admins/local', body: 'enabled name login password role comment', reply: 'id' },
  { name: 'PATCH /web/admins/local/:admin_id', body: 'enabled? name? login? password? role? comment?' },
  { name: 'GET /ad_backend/status', reply: 'msg' },
  { name: 'POST /ad_backend/domains', body: 'name computer_name dns_ips user password ldap_paths', reply: 'id' },
  { name: 'GET /ad_backend/domains', reply: 'id name computer_name dns_ips user ldap_paths', isList: true },
  { name: 'PUT /ad_backend/domains/:domain_id', body: 'computer_name user password ldap_paths' },
  { name: 'DELETE /ad_backend/domains/:domain_id' },
  { name: 'GET /web/admins/ad', query: 'format_type columns', reply: administratorRule, isList: true },
  { name: 'GET /ald_backend/domains', reply: 'id name computer_name dns_ips status error', isList: true },
  { name: 'POST /ald_backend/domains', body: 'name computer_name dns_ips user password', reply: 'id' },
  { name: 'DELETE /ald_backend/domains/:domain_name' },
  { name: 'GET /ald_backend/domains/:domain_name/security_groups', reply: 'name guid', isList: true },
  { name: 'GET /ald_backend/domains/:domain_name/tree', reply: 'name guid parent_guid', isList: true },
  { name: 'GET /web/admins/ald', query: 'format_type columns', reply: administratorRule, isList: true },
  { name: 'POST /web/admins/ald', body: 'enabled role group_alias comment', reply: 'id' },
  { name: 'PATCH /web/admins/ald/:rule_id', body: 'enabled? role? group_alias? comment?' },
  { name: 'POST /auth/rules', body: 'enabled ip mac user_id always_logged comment', reply: 'id' },
  { name: 'PATCH /auth/rules/:rule_id', body: 'enabled? ip? mac? user_id? always_logged? comment?' },
  { name: 'DELETE /auth/rules/:rule_id' },
  {
    name: 'GET /user_backend/users',
    isList: true,
    reply: 'id name login parent_id enabled domain_type domain_name ldap_guid phone_number comment',
  },
  { name: 'POST /user_backend/users', body: 'name login psw parent_id phone_number? comment', reply: 'id' },
  {
    name: 'PUT /user_backend/users/:user_id',
    body: 'name login parent_id enabled domain_type domain_name ldap_guid phone_number? comment',
  },
  { name: 'DELETE /user_backend/users/:user_id' },
  { name: 'PUT /user_backend/change_password/:user_id', body: 'password' },
  { name: 'GET /ips/status', reply: 'name status msg', isList: true },
  { name: 'GET /ips/state', reply: 'enabled' },
  { name: 'PATCH /ips/state', body: 'enabled?' },
  { name: 'GET /ips/signature_groups/table', reply: 'signature_groups' },
  { name: 'GET /ips/signature_groups/mitre', reply: 'signature_groups' },
  { name: 'GET /ips/signatures', query: 'filter', reply: 'signatures' },
  { name: 'GET /ips/profiles', reply: 'id name comment', isList: true },
  { name: 'POST /ips/profiles', body: 'name comment', reply: 'id' },
  { name: 'PATCH /ips/profiles/:profile_id', body: 'name? comment?' },
  { name: 'DELETE /ips/profiles/:profile_id' },
  { name: 'GET /ips/profiles/:profile_id/rules', reply: 'id filters action comment', isList: true },
  {
    name: 'POST /ips/profiles/:profile_id/rules',
    query: 'anchor_item_id insert_after',
    body: 'filters action comment',
    reply: 'id',
  },
  { name: 'GET /dns/status', reply: 'name status msg', isList: true },
  { name: 'GET /dns/settings', reply: 'intercept_enabled' },
  { name: 'PATCH /dns/settings', body: 'intercept_enabled?' },
  { name: 'GET /dns/safesearch', reply: 'enabled' },
  { name: 'PATCH /dns/safesearch', body: 'enabled?' },
  { name: 'GET /dns/zones/root', reply: 'id enabled type object comment', isList: true },
  { name: 'POST /dns/zones/root', body: 'enabled type object comment', reply: 'id' },
  { name: 'PATCH /dns/zones/root/:server_id', body: 'enabled? type? object? comment?' },
  { name: 'GET /mail/settings/general/status', reply: 'name status msg', isList: true },
  { name: 'GET /mail/settings/general', reply: mailGeneral },
  { name: 'PATCH /mail/settings/general', body: optional(mailGeneral) },
  { name: 'GET /mail/settings/general/server_access', reply: 'imap_enabled pop3_enabled webmail_enabled' },
  { name: 'PATCH /mail/settings/general/server_access', body: 'imap_enabled? pop3_enabled? webmail_enabled?' },
  { name: 'GET /mail/settings/general/ext_hdd/list', reply: 'id title', isList: true },
  { name: 'POST /mail/settings/general/ext_hdd', body: 'id' },
  {
    name: 'GET /mail/settings/general/ext_hdd',
    reply: 'disk_id title status fs_uuid free_size total_size error',
  },
  { name: 'DELETE /mail/settings/general/ext_hdd' },
  { name: 'GET /mail/settings/general/state', reply: 'enabled' },
  { name: 'PATCH /mail/settings/general/state', body: 'enabled?' },
  { name: 'GET /mail/settings/advanced/general', reply: mailAdvanced },
  { name: 'PUT /mail/settings/advanced/general', body: mailAdvanced },
  { name: 'GET /mail/settings/advanced/security/state', reply: mailSecurity },
  { name: 'PATCH /mail/settings/advanced/security/state', body: optional(mailSecurity) },
  { name: 'GET /mail/settings/advanced/security/network', reply: 'postfix_mynetworks' },
  { name: 'PUT /mail/settings/advanced/security/network', body: 'postfix_mynetworks' },
  { name: 'GET /mail/rules/alias', reply: 'id recipient map', isList: true },
  { name: 'POST /mail/rules/alias', body: 'recipient map', reply: 'id' },
  { name: 'PATCH /mail/rules/alias/:rule_id', body: 'recipient? map?' },
  { name: 'DELETE /mail/rules/alias/:rule_id' },
  { name: 'GET /mail/rules/whitelist', reply: 'id address comment type', isList: true },
  { name: 'POST /mail/rules/whitelist', body: 'address comment type?', reply: 'id' },
  { name: 'PATCH /mail/rules/whitelist/:rule_id', body: 'address? comment? type?' },
  { name: 'DELETE /mail/rules/whitelist/:rule_id' },
  { name: 'GET /mail/rules/blacklist', reply: 'id address comment type', isList: true },
  { name: 'GET /dhcp_server/status', reply: 'name status msg', isList: true },
  { name: 'GET /dhcp_server/settings', reply: 'id enabled interface relay server', isList: true },
  { name: 'POST /dhcp_server/settings', body: 'enabled interface relay server', reply: 'id' },
  { name: 'PATCH /dhcp_server/settings/:settings_id', body: 'enabled? interface? relay? server?' },
  { name: 'DELETE /dhcp_server/settings/:settings_id' },
  { name: 'GET /dhcp_server/static_leases', reply: 'id comment enabled ip_address mac', isList: true },
  { name: 'POST /dhcp_server/static_leases', body: 'comment enabled ip_address mac', reply: 'id' },
  { name: 'PATCH /dhcp_server/static_leases/:lease_id', body: 'comment? enabled? ip_address? mac?' },
  { name: 'DELETE /dhcp_server/static_leases/:lease_id' },
  { name: 'GET /central_console/settings', reply: 'cc_server last_connect last_sync root_ca' },
  { name: 'PATCH /central_console/settings', body: 'cc_server?' },
  { name: 'DELETE /central_console/settings' },
  { name: 'POST /central_console/root_ca' },
  { name: 'DELETE /central_console/root_ca' },
  { name: 'GET /servers/status', reply: 'name status msg' },
  { name: 'GET /servers/setting', reply: 'domain' },
  { name: 'PATCH /servers/setting', body: 'domain?' },
  { name: 'GET /servers/state', reply: 'enabled' },
  { name: 'PATCH /servers/state', body: 'enabled?' },
  { name: 'GET /servers/groups', reply: 'id name parent_id comment', isList: true },
  { name: 'POST /servers/groups', body: 'comment? name parent_id', reply: 'id' },
  { name: 'GET /logs_backend/remote_syslog/status', reply: 'name status msg', isList: true },
  { name: 'GET /logs_backend/remote_syslog/state', reply: 'enabled' },
  { name: 'PATCH /logs_backend/remote_syslog/state', body: 'enabled?' },
  { name: 'GET /logs_backend/remote_syslog', reply: 'host port protocol format' },
  { name: 'PATCH /logs_backend/remote_syslog', body: 'host? port? protocol? format?' },
  {
    name: 'GET /logs_backend/logs',
    query: 'limit offset sort search last_reboot_only format_type filter',
    ours: 'after',
    reply: 'meta data rows rows_before_limit_at_least?',
  },
  {
    name: 'GET /reports/traffic/sessions',
    query: 'limit offset sort',
    reply:
      'id source_ip src_aliases destination_ip dst_aliases source_proto destination_proto application duration bps_in bps_out pps_in pps_out in_iface_alias out_iface_alias',
    isList: true,
  },
  {
    name: 'GET /reports/traffic/top/sources',
    query: 'limit offset sort',
    reply: 'source_ip src_aliases bps_in bps_out pps_in pps_out sessions',
    isList: true,
  },
  { name: 'GET /backup/settings', reply: 'common ftp cifs' },
  { name: 'PATCH /backup/settings', body: 'common? ftp? cifs?' },
  { name: 'POST /backup/backups', body: 'comment', reply: 'id' },
  {
    name: 'GET /backup/backups',
    isList: true,
    reply: 'id version timestamp comment md5 size fast_restore_allowed',
  },
  { name: 'GET /firewall/status', reply: 'name status msg', isList: true },
  { name: 'GET /firewall/state', reply: 'enabled' },
  { name: 'GET /firewall/settings', reply: 'automatic_snat_enabled log_mode log_actions' },
  { name: 'PATCH /firewall/settings', body: 'automatic_snat_enabled? log_mode? log_actions?' },
  { name: 'GET /vpn_servers/status', reply: 'name status msg' },
  { name: 'GET /vpn_servers/settings', reply: 'pptp_enabled sstp network zone dns_suffix netflow_index' },
  { name: 'PATCH /vpn_servers/settings', body: 'pptp_enabled? sstp? network? zone? dns_suffix? netflow_index?' },
  { name: 'GET /vpn_servers/powershell/status', reply: 'sstp_available' },
  { name: 'GET /vpn_servers/powershell/sstp' },
  {
    name: 'GET /vpn_servers/access_rules',
    reply: 'id enabled title sources objects vpns action two_factor comment',
    isList: true,
  },
  { name: 'GET /agent_backend/agent-server/state', reply: 'enabled' },
  { name: 'PATCH /agent_backend/agent-server/state', body: 'enabled?' },
  { name: 'GET /agent_backend/agent-server/setting', reply: 'auth_domain local_tunnel device_vpn trusted_ca_cert' },
  {
    name: 'PATCH /agent_backend/agent-server/setting',
    body: 'auth_domain? local_tunnel? device_vpn? trusted_ca_cert?',
  },
  { name: 'GET /content-filter/state', reply: 'enabled' },
  { name: 'PATCH /content-filter/state', body: 'enabled?' },
  { name: 'GET /content-filter/settings', reply: 'enabled_extended_categorizer quic_reject_enabled' },
  { name: 'PATCH /content-filter/settings', body: 'enabled_extended_categorizer? quic_reject_enabled?' },
  { name: 'GET /proxy_backend/safe_search', reply: 'enabled' },
  { name: 'PATCH /proxy_backend/safe_search', body: 'enabled?' },
  { name: 'GET /content-filter/categories', reply: 'id type name comment', isList: true },
  { name: 'GET /content-filter/users_categories', reply: 'id name comment urls', isList: true },
  { name: 'POST /content-filter/users_categories', body: 'name comment? urls', reply: 'id' },
  {
    name: 'PUT /content-filter/users_categories/:category_id',
    body: 'name comment? description? urls',
    reply: 'id name comment urls',
  },
  {
    name: 'GET /application_control_backend/rules',
    reply: 'id parent_id name action comment aliases protocols enabled',
    isList: true,
  },
  {
    name: 'POST /application_control_backend/rules',
    query: 'anchor_item_id insert_after',
    body: 'parent_id? name action comment? aliases protocols enabled?',
    reply: 'id',
  },
  {
    name: 'PUT /application_control_backend/rules/:rule_id',
    body: 'parent_id? name action comment? aliases protocols enabled?',
  },
  { name: 'PATCH /application_control_backend/rules/move', body: 'params' },
  { name: 'DELETE /application_control_backend/rules/:rule_id' },
]

/** Rows the other parts of the specification add, with the same notation. */
const added: readonly SeedRow[] = [
  { name: 'POST /web/admins/ad', body: 'enabled role group_alias comment', reply: 'id' },
  { name: 'PATCH /web/admins/ad/:rule_id', body: 'enabled? role? group_alias? comment?' },
  { name: 'DELETE /web/admins/ad/:rule_id' },
  { name: 'DELETE /web/admins/ald/:rule_id' },
  { name: 'GET /admins-radius-auth/state', reply: 'enabled' },
  { name: 'PATCH /admins-radius-auth/state', body: 'enabled?' },
  { name: 'GET /admins-radius-auth/settings', reply: 'primary secondary' },
  { name: 'PATCH /admins-radius-auth/settings', body: 'primary? secondary? allow_external?' },
  { name: 'GET /ad_backend/settings', reply: 'authorization_by_logs' },
  { name: 'PATCH /ad_backend/settings', body: 'authorization_by_logs?' },
  { name: 'PATCH /ad_backend/security_group_import_settings', body: 'compatibility_mode?' },
  { name: 'GET /ad_backend/domains/:domain_name/security_groups', reply: 'name guid', isList: true },
  { name: 'GET /ad_backend/domains/:domain_name/tree', reply: 'name guid parent_guid', isList: true },
  { name: 'GET /ad_backend/forward_zones', reply: 'id name servers enabled comment', isList: true },
  {
    name: 'GET /ad_backend/group_settings',
    reply: 'id group_alias_id search_filter object_guid domain_name sync_type',
    isList: true,
  },
  {
    name: 'POST /ad_backend/group_settings',
    body: 'group_alias_id search_filter object_guid domain_name sync_type',
    reply: 'id',
  },
  {
    name: 'PUT /ad_backend/group_settings/:record_id',
    body: 'group_alias_id search_filter object_guid domain_name sync_type',
  },
  { name: 'DELETE /ad_backend/group_settings/:record_id' },
  { name: 'DELETE /dns/zones/root/:server_id' },
  { name: 'GET /dns/zones/forward', reply: 'id name enabled servers comment', isList: true },
  { name: 'POST /dns/zones/forward', body: 'name enabled servers comment', reply: 'id' },
  { name: 'PATCH /dns/zones/forward/:zone_id', body: 'name? enabled? servers? comment?' },
  { name: 'DELETE /dns/zones/forward/:zone_id' },
  { name: 'GET /dns/zones/master', reply: 'id name enabled config comment', isList: true },
  { name: 'POST /dns/zones/master', body: 'name enabled config comment', reply: 'id' },
  { name: 'PATCH /dns/zones/master/:zone_id', body: 'name? enabled? config? comment?' },
  { name: 'DELETE /dns/zones/master/:zone_id' },
  { name: 'GET /dns/ddns/state', reply: 'enabled' },
  { name: 'PATCH /dns/ddns/state', body: 'enabled?' },
  { name: 'GET /dns/ddns', reply: 'domain service_login service_password' },
  { name: 'PATCH /dns/ddns', body: 'domain? service_login? service_password?' },
  { name: 'PATCH /firewall/state', body: 'enabled?' },
  { name: 'DELETE /web/admins/local/:admin_id' },
  {
    name: 'GET /monitor_backend/admin_sessions',
    isList: true,
    reply:
      'id login name competence role_id role_name domain_name ip auth_type auth_rule_id admin_id login_timestamp country_code',
  },
  { name: 'DELETE /monitor_backend/admin_sessions/:session_id' },
  {
    name: 'GET /license/info',
    reply:
      'modules? general? license_type? license_id? server_name? last_update_time? company_id? server_id? registered unreliable? has_connection license_server',
  },
  { name: 'GET /auth/rules', isList: true, reply: 'id enabled ip mac user_id always_logged comment' },
  {
    name: 'GET /user_backend/groups',
    isList: true,
    reply: 'id name parent_id domain_type domain_name ldap_guid',
  },
  { name: 'POST /user_backend/groups', body: 'name parent_id', reply: 'id' },
  { name: 'PUT /user_backend/groups/:group_id', body: 'name parent_id domain_type domain_name ldap_guid' },
  { name: 'DELETE /user_backend/groups/:group_id' },
  { name: 'GET /netscan_backend/settings', reply: 'enabled group_id networks' },
  { name: 'PATCH /netscan_backend/settings', body: 'enabled? group_id? networks?' },
  { name: 'GET /web/whoami', reply: 'login name role_id role_name competence' },
]

function fieldsOf(schema: ReturnType<typeof schemaOf> | undefined): string {
  const names = Object.keys(schema?.properties ?? {})
  return names
    .map((name) => (schema?.required?.includes(name) ? name : `${name}?`))
    .sort()
    .join(' ')
}

const sorted = (fields = ''): string => fields.split(' ').filter(Boolean).sort().join(' ')

describe('the seed', () => {
  for (const row of [...rows, ...added]) {
    it(`${row.name} is served as it says`, () => {
      const endpoint = find(row.name)
      assert.equal(fieldsOf(endpoint.body ? schemaOf(endpoint.body) : undefined), sorted(row.body))
      assert.equal(
        sorted(Object.keys(endpoint.query.properties).join(' ')),
        sorted(`${row.query ?? ''} ${row.ours ?? ''}`),
      )
      const reply = endpoint.reply ? schemaOf(endpoint.reply) : undefined
      assert.equal(reply?.type === 'array', row.isList ?? false)
      assert.equal(fieldsOf(row.isList ? reply?.items : reply), sorted(row.reply))
    })
  }

  it('names the values of enumerations as they are', () => {
    const settings = schemaOf(find('GET /firewall/settings').reply ?? ({} as never)).properties ?? {}
    assert.deepEqual(settings.log_mode?.enum, ['nothing', 'all', 'selected'])
    assert.deepEqual(settings.log_actions?.items?.enum, ['accept', 'drop', 'dnat', 'snat', 'mark_log', 'mark_not_log'])
    const status = schemaOf(find('GET /firewall/status').reply ?? ({} as never)).items?.properties ?? {}
    assert.deepEqual(status.status?.enum, ['active', 'activating', 'deactivating', 'failed', 'inactive', 'reloading'])
    const created = schemaOf(find('POST /web/admins/local').body ?? ({} as never)).properties ?? {}
    assert.deepEqual(created.role?.enum, [
      'predefined_admin_write',
      'predefined_admin_readonly',
      'predefined_reports_view',
      'predefined_reports_change',
      'predefined_security_admin',
      'predefined_firewall_admin',
      'predefined_access_settings_admin',
    ])
    const limits = [created.name, created.login, created.password, created.comment].map((field) => [
      field?.minLength ?? 0,
      field?.maxLength,
    ])
    assert.deepEqual(limits, [
      [1, 42],
      [1, 42],
      [10, 42],
      [0, 255],
    ])
  })

  it('answers changes with 200 and no body', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const id = await gateway.addAdministrator('somebody', 'predefined_reports_view')
    for (const [method, url, body] of [
      ['PATCH', '/gather_stat/settings', { enabled: true }],
      ['PATCH', '/firewall/settings', { log_mode: 'selected', log_actions: ['drop'], automatic_snat_enabled: true }],
      ['PATCH', '/firewall/state', { enabled: false }],
      ['POST', '/license/register', { token: 'a'.repeat(32) }],
      ['PATCH', `/web/admins/local/${id}`, { name: 'x' }],
      ['DELETE', `/web/admins/local/${id}`, undefined],
      ['DELETE', '/web/auth/login', undefined],
    ] as const) {
      const answer = await admin(method, url, body)
      assert.equal(answer.status, 200, `${method} ${url}`)
      assert.equal(answer.text, '', `${method} ${url}`)
    }
    await gateway.close()
  })

  it('names rules-in-kernel and auto-snat in the firewall status', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    await gateway.engine.reconcile()
    const { body } = await admin('GET', '/firewall/status')
    assert.deepEqual(body, [
      { name: 'rules-in-kernel', status: 'active', msg: [] },
      { name: 'auto-snat', status: 'active', msg: [] },
    ])
    await gateway.close()
  })
})
