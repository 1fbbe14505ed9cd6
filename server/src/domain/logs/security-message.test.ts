// Events of intrusion prevention as lines for a collector: the documented values in their order, and no text of a packet gets out of its
// value.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type LineScope, linePrinter, maxLineBytes } from './forwarded-line.ts'
import type { KeptRecord } from './record.ts'

const scope: LineScope = { hostName: 'gate.example', timeZone: 'Europe/Berlin', brand: 'portcullis', version: '1.2.3' }

const event = {
  module: 'ips',
  result: 'blocked',
  blocked: 1,
  signature: 'WEB attack',
  classtype: 'web-application-attack',
  category: 'Web Application Attack',
  tactic: 'TA0001',
  sid: 2_000_001,
  gid: 2,
  revision: 4,
  severity: 1,
  protocol: 'TCP',
  source_ip: '10.0.0.7',
  source_port: 40_000,
  destination_ip: '192.0.2.9',
  destination_port: 80,
  direction: 'to_server',
  in_interface: 'lan0',
  src_user_id: 'user.id.5',
  src_user_login: 'ada',
  src_user_name: 'Ada L.',
  src_session: 's-1',
  src_location_name: '',
  src_location_code: '',
  dst_location_name: 'Germany',
  dst_location_code: 'DE',
  host: 'shop.test',
  url: '/evil',
  user_agent: 'curl/7',
  flow_id: '1614655747611428',
  packets_to_server: 3,
  packets_to_client: 1,
  bytes_to_server: 243,
  bytes_to_client: 60,
  flow_start: 1_767_323_044_000_000,
}

const record = (fields: KeptRecord['fields'] = {}): KeptRecord => ({
  place: 1,
  kind: 'security',
  time: 1_767_323_045_000_678,
  priority: 2,
  unit: '{brand}-suricata-event-syncer',
  syslogId: 'suricata',
  message: '[2:2000001:4] WEB attack {TCP} 10.0.0.7:40000 -> 192.0.2.9:80 blocked',
  fields: { ...event, ...fields },
})

const line = (form: 'syslog' | 'cef', fields?: KeptRecord['fields']): string =>
  linePrinter(form, scope)(record(fields)).toString()

/** Of the specification, in its order. */
const documented = [
  'flow_id',
  'in_iface',
  'sensor_name',
  'event_type',
  'src_ip',
  'src_ip_type',
  'src_port',
  'src_country',
  'src_country_code',
  'src_session_uuid',
  'src_user_id',
  'src_user_name',
  'dest_ip',
  'dest_ip_type',
  'dest_port',
  'dest_country',
  'dest_country_code',
  'dest_session_uuid',
  'dest_user_id',
  'dest_user_name',
  'proto',
  'alert.signature_id',
  'alert.signature',
  'alert.category',
  'alert.severity',
  'alert.gid',
  'alert.action',
  'http.hostname',
  'http.url',
  'http.http_user_agent',
  'flow.pkts_toserver',
  'flow.pkts_toclient',
  'flow.bytes_toserver',
  'flow.bytes_toclient',
  'flow.start',
  'flow.end',
  'flow.age',
  'flow.state',
  'flow.reason',
  'flow.alerted',
  'tcp.tcp_flags',
  'tcp.tcp_flags_ts',
  'tcp.tcp_flags_tc',
  'tcp.cwr',
  'tcp.ecn',
  'tcp.urg',
  'tcp.ack',
  'tcp.psh',
  'tcp.rst',
  'tcp.syn',
  'tcp.fin',
  'tcp.state',
]

const pairsOf = (text: string): string[][] => {
  const message = text.slice(text.indexOf(' - - - ') + 7)
  return message.split(',').map((pair) => [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)])
}

describe('an event of intrusion prevention for a collector', () => {
  it('has all documented pairs in their order', () => {
    const text = line('syslog')
    assert.ok(
      text.startsWith(
        '<26>1 2026-01-02T04:04:05.000678+01:00 gate.example portcullis-suricata-event-syncer - - - ' +
          'flow_id:1614655747611428,in_iface:lan0,sensor_name:gate.example,event_type:alert,src_ip:10.0.0.7,' +
          'src_ip_type:local,src_port:40000,src_country:,src_country_code:,src_session_uuid:s-1,src_user_id:5,' +
          'src_user_name:Ada L.,dest_ip:192.0.2.9,dest_ip_type:external,dest_port:80,dest_country:Germany,' +
          'dest_country_code:DE,dest_session_uuid:,dest_user_id:-1,dest_user_name:,proto:TCP,' +
          'alert.signature_id:2000001,alert.signature:WEB attack,alert.category:Web Application Attack,' +
          'alert.severity:1,alert.gid:2,alert.action:blocked,http.hostname:shop.test,http.url:/evil,' +
          'http.http_user_agent:curl/7,flow.pkts_toserver:3,flow.pkts_toclient:1,flow.bytes_toserver:243,' +
          'flow.bytes_toclient:60,flow.start:2026-01-02T04:04:04.000000+01:00,flow.end:,',
      ),
      text,
    )
    assert.deepEqual(
      pairsOf(text).map(([key]) => key),
      documented,
    )
  })

  it('has the documented keys of CEF, and the others as custom ones with their labels', () => {
    assert.equal(
      line('cef'),
      '<26>2026-01-02T04:04:05.000678+01:00 gate.example CEF:0|portcullis|gateway|1.2.3|2:2000001|WEB attack|9|' +
        'rt=1767323045000 src=10.0.0.7 spt=40000 dst=192.0.2.9 dpt=80 proto=TCP act=blocked suser=ada ' +
        'cat=Web Application Attack dhost=shop.test request=/evil requestClientApplication=curl/7 ' +
        'deviceReceiptTime=1767323045000 DeviceCustomString1=1614655747611428 DeviceCustomString1Label=flow_id ' +
        'DeviceInboundInterface=lan0 DeviceProcessName=gate.example DeviceCustomString5=alert ' +
        'DeviceCustomString5Label=event_type SourceAddress=10.0.0.7 DeviceCustomString2=local ' +
        'DeviceCustomString2Label=src_ip_type SourcePort=40000 DeviceCustomString4=s-1 ' +
        'DeviceCustomString4Label=src_session_uuid SourceUserID=5 SourceUserName=Ada L. DestinationAddress=192.0.2.9 ' +
        'DeviceCustomString6=external DeviceCustomString6Label=dest_ip_type DestinationPort=80 ' +
        'DestinationCountry=Germany DeviceCustomString7=DE DeviceCustomString7Label=dest_country_code ' +
        'DestinationUserID=-1 TransportProtocol=TCP DeviceEventClassID=2000001 Message=WEB attack ' +
        'DeviceEventCategory=Web Application Attack Severity=1 FlexNumber1=2 FlexNumber1Label=alert.gid ' +
        'DeviceCustomString9=blocked DeviceCustomString9Label=alert.action DestinationHostName=shop.test ' +
        'RequestUrl=/evil RequestClientApplication=curl/7 FlexNumber2=3 FlexNumber2Label=flow.pkts_toserver ' +
        'FlexNumber3=1 FlexNumber3Label=flow.pkts_toclient BytesIn=243 BytesOut=60 ' +
        'StartTime=2026-01-02T04:04:04.000000+01:00 DeviceCustomString12=true DeviceCustomString12Label=flow.alerted',
    )
  })

  it('has three levels, and 256 for every other', () => {
    for (const [severity, sent] of [...[1, 2, 3].map((same) => [same, same]), [4, 256], [255, 256]]) {
      const level = pairsOf(line('syslog', { severity: severity ?? 0 })).find(([key]) => key === 'alert.severity')
      assert.equal(level?.[1], String(sent))
      assert.ok(line('cef', { severity: severity ?? 0 }).includes(` Severity=${sent} `))
    }
  })

  it('says of addresses whether they are of a private network', () => {
    const typeOf = (source_ip: string) => pairsOf(line('syslog', { source_ip })).find(([key]) => key === 'src_ip_type')
    for (const address of ['10.1.1.1', '172.31.0.1', '192.168.0.1', 'fd00::1', 'fe80::1'])
      assert.equal(typeOf(address)?.[1], 'local', address)
    for (const address of ['11.1.1.1', '172.32.0.1', '192.169.0.1', '2001:db8::1'])
      assert.equal(typeOf(address)?.[1], 'external', address)
  })

  it('lets no text of a packet begin a pair, a key or a line', () => {
    const hostile = 'a,alert.action:allowed\n<30>1 x\r\0 Severity=3 msg=\\ \u2028|'
    const names = ['host', 'url', 'user_agent', 'signature', 'category', 'src_user_name'] as const
    const fields = Object.fromEntries(names.map((name) => [name, hostile]))
    const pairs = pairsOf(line('syslog', fields))
    assert.deepEqual(
      pairs.map(([key]) => key),
      documented,
    )
    assert.equal(
      pairs.find(([key]) => key === 'http.url')?.[1],
      'a%2Calert.action:allowed <30>1 x  Severity=3 msg=\\  |',
    )
    const cef = line('cef', fields)
    assert.ok(cef.includes(' RequestUrl=a,alert.action:allowed\\n<30>1 x\\r  Severity\\=3 msg\\=\\\\  | '), cef)
    for (const text of [cef, line('syslog', fields)]) assert.ok(!/[\p{Cc}\u2028]/u.test(text))
    const [, extension = ''] = /^CEF:0\|(?:(?:\\.|[^\\|])*\|){6}(.*)$/.exec(cef.slice(cef.indexOf('CEF:0'))) ?? []
    assert.equal(extension.match(/(?<!\\)Severity=/g)?.length, 1)
  })

  it('is bounded, whatever the packet says', () => {
    for (const form of ['syslog', 'cef'] as const)
      assert.ok(Buffer.byteLength(line(form, { url: '='.repeat(20_000) })) <= maxLineBytes)
  })

  it('of application control has the documented message', () => {
    const message = '10.0.0.7:5001 -> 192.0.2.9:6881 [BitTorrent] = DROP'
    const application = { ...record({ module: 'application' }), unit: '{brand}-app-stats', message }
    assert.ok(linePrinter('syslog', scope)(application).toString().endsWith(` portcullis-app-stats - - - ${message}`))
    assert.ok(
      linePrinter(
        'cef',
        scope,
      )(application)
        .toString()
        .endsWith(' DeviceProcessName=portcullis-app-stats msg=10.0.0.7:5001 -> 192.0.2.9:6881 [BitTorrent] \\= DROP'),
    )
  })
})
