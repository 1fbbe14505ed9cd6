// What applications say first, as they say it: `|` encloses bytes in hexadecimal. A datagram has only a request.

import { createCipheriv, createHmac } from 'node:crypto'

export interface Exchange {
  readonly application: string
  readonly protocol: 'tcp' | 'udp'
  readonly greeting?: Buffer
  readonly request: Buffer
  readonly answer?: Buffer
  readonly more?: Buffer
  /** Applications that the exchange is as well, such as the protocol that carries it. */
  readonly also?: readonly string[]
  /** Where names are read on the port of the protocol alone. */
  readonly port?: number
}

/** Bytes of a text in which `|` encloses hexadecimal. */
export const bytes = (text: string): Buffer =>
  Buffer.concat(
    text
      .split('|')
      .map((part, index) => (index % 2 ? Buffer.from(part.replaceAll(' ', ''), 'hex') : Buffer.from(part, 'latin1'))),
  )

const filled = (length: number, first = 7): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (first + index * 37) & 255))

const tcp = (application: string, request: string | Buffer, answer = '', more = ''): Exchange => ({
  application,
  protocol: 'tcp',
  answer: bytes(answer),
  more: bytes(more),
  request: typeof request === 'string' ? bytes(request) : request,
})
/** The server speaks first. */
const met = (application: string, greeting: string, request = '', answer = ''): Exchange => ({
  application,
  protocol: 'tcp',
  greeting: bytes(greeting),
  request: bytes(request),
  answer: bytes(answer),
})
const udp = (application: string, request: string | Buffer): Exchange => ({
  application,
  protocol: 'udp',
  request: typeof request === 'string' ? bytes(request) : request,
})
const as = (exchange: Exchange, ...also: string[]): Exchange => ({ ...exchange, also })

const on = (port: number, exchange: Exchange, ...also: string[]): Exchange => ({ ...exchange, port, also })

const sized = (size: number, content: Buffer | string): Buffer => {
  const data = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
  const length = Buffer.alloc(size)
  length.writeUIntBE(data.length, 0, size)
  return Buffer.concat([length, data])
}

/** The first message of a TLS client that asks for the name, without the record. */
function clientHello(name: string): Buffer {
  const serverName = Buffer.concat([
    bytes('|00 00|'),
    sized(2, sized(2, Buffer.concat([bytes('|00|'), sized(2, name)]))),
  ])
  const parts = [bytes('|03 03|'), filled(32), bytes('|00|'), sized(2, bytes('|c0 2f 00 2f|')), bytes('|01 00|')]
  return Buffer.concat([bytes('|01|'), sized(3, Buffer.concat([...parts, sized(2, serverName)]))])
}

export const hello = (name: string): Buffer => Buffer.concat([bytes('|16 03 01|'), sized(2, clientHello(name))])

/** The first datagram of a QUIC client (RFC 9001), sealed with the keys that follow from its connection id. */
export function quicInitial(name: string): Buffer {
  const connection = filled(8, 3)
  const label = (secret: Buffer, text: string, length: number): Buffer => {
    const info = Buffer.concat([bytes('|00|'), Buffer.from([length]), sized(1, `tls13 ${text}`), bytes('|00|')])
    return expand(secret, info, length)
  }
  const salt = Buffer.from('38762cf7f55934b34d179ae6a4c80cadccbb7f0a', 'hex')
  const initial = extract(connection, salt)
  const secret = label(initial, 'client in', 32)
  const [key, iv, mask] = [label(secret, 'quic key', 16), label(secret, 'quic iv', 12), label(secret, 'quic hp', 16)]
  const message = clientHello(name)
  const frame = Buffer.concat([
    bytes('|06 00|'),
    Buffer.from([0x40 | (message.length >> 8), message.length & 255]),
    message,
  ])
  const plain = Buffer.concat([frame, Buffer.alloc(1210 - frame.length)])
  const length = plain.length + 16 + 1
  const head = Buffer.concat([
    bytes('|c0 00 00 00 01|'),
    sized(1, connection),
    bytes('|00 00|'),
    Buffer.from([0x40 | (length >> 8), length & 255, 0]),
  ])
  const cipher = createCipheriv('aes-128-gcm', key, iv)
  cipher.setAAD(head)
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  const hide = createCipheriv('aes-128-ecb', mask, null).update(sealed.subarray(3, 19))
  head[0] = (head[0] ?? 0) ^ ((hide[0] ?? 0) & 15)
  head[head.length - 1] = (head.at(-1) ?? 0) ^ (hide[1] ?? 0)
  return Buffer.concat([head, sealed])
}

const extract = (secret: Buffer, salt: Buffer): Buffer => createHmac('sha256', salt).update(secret).digest()
const expand = (secret: Buffer, info: Buffer, length: number): Buffer =>
  createHmac('sha256', secret)
    .update(Buffer.concat([info, bytes('|01|')]))
    .digest()
    .subarray(0, length)

const labels = (name: string): string =>
  `${name
    .split('.')
    .map((part) => `|${part.length.toString(16).padStart(2, '0')}|${part}`)
    .join('')}|00|`
export const lookup = (name: string): string => `|12 34 01 00 00 01 00 00 00 00 00 00|${labels(name)}|00 01 00 01|`

export const request = (host: string, path = '/', more = '', method = 'GET', body = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: Mozilla/5.0\r\nAccept: */*\r\n${more}${body === '' ? '' : `Content-Length: ${body.length}\r\n`}\r\n${body}`
export const page = (content = 'ok', more = ''): string =>
  `HTTP/1.1 200 OK\r\nServer: x\r\n${more}Content-Length: ${content.length}\r\n\r\n${content}`
const web = (application: string, path: string, more = '', method = 'GET', body = '', answered = ''): Exchange =>
  as(tcp(application, request('www.example.org', path, more, method, body), page('ok', answered)), 'HTTP')

const zeros = (count: number): string => `|${'00'.repeat(count)}|`
const netbiosName = 'EKEDFDEBEEFAEBEHEFCACACACACACAAA'
const uuid = '|01 00 a0 de 97 6c d1 11 82 71 00 a0 24 42 df 7d|'

export const exchanges: readonly Exchange[] = [
  // Detected by the engine itself.
  met('SSH', 'SSH-2.0-OpenSSH_9.2p1\r\n', 'SSH-2.0-OpenSSH_9.2p1\r\n'),
  met('FTP_CONTROL', '220 (vsFTPd 3.0.3)\r\n', 'USER anonymous\r\n', '331 Please specify the password.\r\n'),
  as(met('FTPS', '220 (vsFTPd 3.0.3)\r\n', 'AUTH TLS\r\n', '234 Proceed.\r\n'), 'FTP_CONTROL'),
  met(
    'SMTP',
    '220 mail.example.org ESMTP Postfix\r\n',
    'EHLO client.example.org\r\n',
    '250-mail.example.org\r\n250 8BITMIME\r\n',
  ),
  tcp('TLS', hello('www.example.org')),
  tcp('HTTP', request('www.example.org'), page()),
  tcp('HTTP2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n|00 00 00 04 00 00 00 00 00|', '|00 00 00 04 00 00 00 00 00|'),
  tcp(
    'DCERPC',
    `|05 00 0b 03 10 00 00 00 48 00 00 00 01 00 00 00 b8 10 b8 10 00 00 00 00 01 00 00 00 00 00 01 00|${uuid}|01 00 00 00|${uuid}|02 00 00 00|`,
    '',
  ),
  // In HTTP.
  web('HTTP_Proxy', 'http://www.example.org/a'),
  as(
    tcp(
      'HTTP_Connect',
      'CONNECT www.example.org:443 HTTP/1.1\r\nHost: www.example.org:443\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\r\n',
    ),
    'HTTP',
  ),
  web('WebDAV', '/files/', 'Depth: 1\r\n', 'PROPFIND'),
  web('WebSocket', '/chat', 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n'),
  web('SOAP', '/service', 'SOAPAction: "x"\r\nContent-Type: text/xml\r\n', 'POST', '<Envelope/>'),
  web('MS-RPCH', '/rpc/rpcproxy.dll?mail:6001', '', 'RPC_IN_DATA'),
  web('HLS', '/live/index.m3u8'),
  web('MpegDash', '/live/manifest.mpd'),
  web('IceCast', '/stream', 'Icy-MetaData: 1\r\n'),
  web('OCSP', '/', 'Content-Type: application/ocsp-request\r\n', 'POST', 'xx'),
  web('IPP', '/printers/a', 'Content-Type: application/ipp\r\n', 'POST', 'xx'),
  web('Elasticsearch', '/logs/_doc', '', 'GET', '', 'X-elastic-product: Elasticsearch\r\n'),
  web('JSON-RPC', '/rpc', 'Content-Type: application/json\r\n', 'POST', '{"jsonrpc":"2.0","method":"a","id":1}'),
  tcp('JSON-RPC', '{"jsonrpc":"2.0","method":"sum","id":1}\n', '{"jsonrpc":"2.0","result":1,"id":1}\n'),
  web('Git', '/a.git/info/refs?service=git-upload-pack'),
  web('BitTorrent', '/announce?info_hash=%01%02&peer_id=-TR3000-abcdefghijkl&port=51413'),
  // Services, by name.
  as(tcp('YouTube', hello('www.youtube.com')), 'TLS'),
  on(443, udp('YouTube', quicInitial('www.youtube.com')), 'QUIC'),
  on(53, udp('YouTube', lookup('r1---sn-4g5e6nez.googlevideo.com')), 'DNS'),
  as(tcp('GMail', hello('mail.google.com')), 'TLS'),
  as(tcp('Google', hello('www.google.com')), 'TLS'),
  as(tcp('Google', hello('WWW.Google.Com')), 'TLS'),
  as(tcp('Telegram', hello('web.telegram.org')), 'TLS'),
  as(tcp('VK', request('vk.com'), page()), 'HTTP'),
  as(tcp('YandexMusic', hello('api.music.yandex.net')), 'TLS'),
  as(tcp('Yandex', hello('ya.ru')), 'TLS'),
  as(tcp('Teams', hello('teams.microsoft.com')), 'TLS'),
  as(tcp('WindowsUpdate', request('download.windowsupdate.com'), page()), 'HTTP'),
  as(tcp('Facebook', hello('static.xx.fbcdn.net')), 'TLS'),
  as(tcp('Netflix', hello('netflix.com')), 'TLS'),
  as(tcp('Tor', hello('www.torproject.org')), 'TLS'),
  on(53, udp('DoH_DoT', lookup('dns.google')), 'DNS'),
  on(53, udp('DNScrypt', lookup('2.dnscrypt-cert.example.org')), 'DNS'),
  as(tcp('IMAPS', hello('imap.example.org')), 'TLS'),
  as(tcp('SMTPS', hello('smtp.example.org')), 'TLS'),
  as(tcp('POPS', hello('pop.example.org')), 'TLS'),
  // Files.
  tcp('AFP', '|00 03 00 00 00 00 00 00 00 00 00 02 00 00 00 00 0f 00|'),
  tcp('BitTorrent', Buffer.concat([bytes(`|13|BitTorrent protocol${zeros(8)}`), filled(40)])),
  udp('BitTorrent', 'd1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe'),
  udp('BitTorrent', '|41 00 12 34 01 02 03 04 00 00 00 00 00 10 00 00 00 01 00 00|'),
  tcp('eDonkey', Buffer.concat([bytes('|e3 40 00 00 00 01 10|'), filled(60)])),
  tcp('Git', '0033git-upload-pack /project.git|00|host=example.org|00|', '003f'),
  tcp('Gnutella', 'GNUTELLA CONNECT/0.6\r\nUser-Agent: x\r\n\r\n', 'GNUTELLA/0.6 200 OK\r\n\r\n'),
  tcp('NFS', `|80 00 00 28 12 34 56 78 00 00 00 00 00 00 00 02 00 01 86 a3 00 00 00 04|${zeros(20)}`),
  met('RSYNC', '@RSYNCD: 31.0\n', '@RSYNCD: 31.0\n'),
  tcp('SMBv1', `|00 00 00 2f ff|SMB|72 00 00 00 00 18 01 28|${zeros(18)}|00 00 00 00 00 0c 00 02|NT LM 0.12|00|`),
  tcp(
    'SMBv23',
    `|00 00 00 6c fe|SMB|40 00 01 00 00 00 00 00 00 00 1f 00|${zeros(48)}|24 00 02 00 01 00 00 00 7f 00 00 00|${zeros(24)}|02 02 10 02|`,
  ),
  udp('Syncthing', '|2e a7 d9 0b 0a 20|abcdef'),
  udp('TFTP', '|00 01|boot/pxelinux.0|00|octet|00|'),
  met('Usenet', '200 news.example.org NNTP service ready\r\n', 'LIST\r\n'),
  // Databases.
  tcp('Cassandra', '|04 00 00 00 05 00 00 00 00|'),
  tcp('Cassandra', '|04 00 00 01 01 00 00 00 16 00 01 00 0b|CQL_VERSION|00 05|3.0.0'),
  met('Ceph', 'ceph v2|0a 10 00|', 'ceph v2|0a 10 00|'),
  tcp('ClickHouse', '|00 11|ClickHouse client|15 08|'),
  tcp('DRDA', '|00 29 d0 41 00 01 00 23 10 41 00 0d 11 5e|abcdefghijklmnopqrstuvwxyz0'),
  tcp('Memcached', 'set key 0 60 5\r\nhello\r\n', 'STORED\r\n'),
  tcp('Memcached', 'get key\r\n', 'END\r\n'),
  tcp('MongoDB', `|40 00 00 00 01 00 00 00 00 00 00 00 dd 07 00 00 00 00 00 00 00|${zeros(40)}`),
  tcp(
    'MsSQL-TDS',
    '|12 01 00 2f 00 00 01 00 00 00 1a 00 06 01 00 20 00 01 02 00 21 00 01 03 00 22 00 04 04 00 26 00 01 ff 11 00 00 00 00 00 00 00 00 00 00 00 00|',
  ),
  met('MySQL', '|4a 00 00 00 0a|8.0.36|00 01 00 00 00|abcdefgh|00 ff f7 21 02 00|', '|20 00 00 01 85 a2 3f 00|xx'),
  met(
    'MySQL',
    '|5a 00 00 00 0a|5.5.5-10.11.6-MariaDB|00 01 00 00 00|abcdefgh|00 ff f7 21 02 00|',
    '|20 00 00 01 85 a2 3f 00|xx',
  ),
  tcp('Oracle', '|00 9a 00 00 01 00 00 00 01 38 01 2c 00 00|(DESCRIPTION=(CONNECT_DATA=(SID=x)))'),
  tcp('PostgreSQL', '|00 00 00 08 04 d2 16 2f|', 'N'),
  tcp('PostgreSQL', '|00 00 00 16 00 03 00 00|user|00|postgres|00 00|'),
  tcp('RESP', '*1\r\n$4\r\nPING\r\n', '+PONG\r\n'),
  // Messages.
  tcp('AMQP', 'AMQP|00 00 09 01|'),
  udp('Discord', Buffer.concat([bytes('|00 01 00 46|'), filled(70)])),
  tcp('FIX', '8=FIX.4.2|01|9=65|01|35=A|01|'),
  met('IMAP', '* OK [CAPABILITY IMAP4rev1] Dovecot ready.\r\n', 'a1 LOGIN x y\r\n', 'a1 OK done\r\n'),
  tcp('IRC', 'NICK someone\r\nUSER someone 0 * :Some One\r\n', ':irc 001 someone :Welcome\r\n'),
  tcp(
    'Jabber',
    "<?xml version='1.0'?><stream:stream to='example.org' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>",
  ),
  tcp('Kafka', '|00 00 00 13 00 12 00 03 00 00 00 01 00 09|consumer1'),
  met('Nats', 'INFO {"server_id":"NA","version":"2.9"}\r\n', 'CONNECT {}\r\nPING\r\n'),
  tcp('OpenWire', '|00 00 00 20 01|ActiveMQ|00 00 00 0c|abc'),
  met('POP3', '+OK Dovecot ready.\r\n', 'USER x\r\n', '+OK\r\n'),
  tcp('SMPP', '|00 00 00 1f 00 00 00 09 00 00 00 00 00 00 00 01|user|00|pass|00 00 34 00 00 00|'),
  tcp('STOMP', 'CONNECT\naccept-version:1.2\nhost:example.org\n\n|00|', 'CONNECTED\n'),
  tcp('WhatsApp', Buffer.concat([bytes('WA|06 03 00 00 24|'), filled(36)])),
  tcp('ZeroMQ', '|ff 00 00 00 00 00 00 00 01 7f|'),
  tcp('MQTT', '|10 12 00 04|MQTT|04 02 00 3c 00 06|client', '|20 02 00 00|'),
  // Telephony.
  tcp('CiscoSkinny', '|78 00 00 00 00 00 00 00 01 00 00 00|SEP001122334455'),
  tcp('H323', '|03 00 00 40 08 02 12 34 05 04 03 88 93 a5|abcdef'),
  udp('IAX', '|80 01 00 00 00 00 00 03 00 00 06 01 0b 02 00 02|'),
  udp('MGCP', 'CRCX 1204 aaln/1@rgw.example.org MGCP 1.0\r\nC: A3C4\r\n'),
  udp('SIP', 'OPTIONS sip:a@example.org SIP/2.0\r\nVia: SIP/2.0/UDP 10.0.0.1\r\n\r\n'),
  tcp('SIP', 'REGISTER sip:example.org SIP/2.0\r\nVia: SIP/2.0/TCP 10.0.0.1\r\n\r\n'),
  udp('STUN', Buffer.concat([bytes('|00 01 00 00 21 12 a4 42|'), filled(12)])),
  udp('TeamSpeak', 'TS3INIT1|00 65 00 00 88 06 3b ec e9 00|'),
  // Remote access.
  met('Citrix', '|7f 7f|ICA|00 7f 7f|'),
  tcp('Radmin', '|01 00 00 00 01 00 00 00 08 08|'),
  tcp('RDP', '|03 00 00 2b 26 e0 00 00 00 00 00|Cookie: mstshash=user\r\n|01 00 08 00 03 00 00 00|'),
  tcp('RDP', '|03 00 00 13 0e e0 00 00 00 00 00 01 00 08 00 03 00 00 00|'),
  tcp('TeamViewer', '|17 24 0a 20 00 59 f5 11|abc'),
  met('Telnet', '|ff fd 18 ff fd 20 ff fd 23|', '|ff fb 18|'),
  met('VNC', 'RFB 003.008\n', 'RFB 003.008\n'),
  udp('XDMCP', '|00 01 00 02 00 01 00|'),
  // Tunnels.
  udp('IPSec', `|01 02 03 04 05 06 07 08 00 00 00 00 00 00 00 00 21 20 22 08 00 00 00 00 00 00 00 40|${zeros(36)}`),
  udp('OpenVPN', '|38 01 02 03 04 05 06 07 08 00 00 00 00 00|'),
  tcp('OpenVPN', '|00 0e 38 01 02 03 04 05 06 07 08 00 00 00 00 00|'),
  tcp('PPTP', `|00 9c 00 01 1a 2b 3c 4d 00 01 00 00 01 00 00 00|${zeros(140)}`),
  tcp('SOCKS', '|05 01 00|', '|05 00|'),
  tcp('SOCKS', '|04 01 00 50 c0 00 02 01|user|00|'),
  udp('Tailscale', Buffer.concat([bytes('TS|f0 9f 92 ac|'), filled(60)])),
  tcp('TINC', '0 node_a 17.7\n'),
  udp('VXLAN', `|08 00 00 00 00 00 64 00 02 00 00 00 00 01 02 00 00 00 00 02 08 00 45|${zeros(40)}`),
  udp('WireGuard', Buffer.concat([bytes('|01 00 00 00|'), filled(128), Buffer.alloc(16)])),
  // Networks.
  tcp('BGP', `|${'ff'.repeat(16)} 00 1d 01 04 fd e8 00 b4 0a 00 00 01 00|`),
  udp('DHCP', Buffer.concat([bytes('|01 01 06 00|'), Buffer.alloc(232), bytes('|63 82 53 63 35 01 01 ff|')])),
  tcp('Diameter', '|01 00 00 4c 80 00 01 01 00 00 00 00 12 34 56 78 12 34 56 78 00 00 01 08|'),
  udp('DNS', lookup('www.example.org')),
  tcp('DNS', sized(2, bytes(lookup('www.example.org')))),
  udp('DTLS', Buffer.concat([bytes('|16 fe fd 00 00 00 00 00 00 00 00 00 40 01 00 00 34|'), filled(52)])),
  tcp('HAProxy', 'PROXY TCP4 192.0.2.1 192.0.2.2 5000 80\r\n'),
  udp('MDNS', '|00 00 00 00 00 01 00 00 00 00 00 00 05|_http|04|_tcp|05|local|00 00 0c 00 01|'),
  udp('NetBIOS', `|12 34 01 10 00 01 00 00 00 00 00 00 20|${netbiosName}|00 00 20 00 01|`),
  udp('NetFlow', `|00 09 00 01 00 01 02 03 65 00 00 00 00 00 00 01 00 00 00 00|${zeros(12)}`),
  tcp('OpenFlow', '|04 00 00 08 00 00 00 01|'),
  udp('PFCP', '|20 01 00 0c 00 00 01 00 00 60 00 04 e1 00 00 00|'),
  udp('QUIC', quicInitial('www.example.org')),
  udp('RADIUS', Buffer.concat([bytes('|01 2a 00 1a|'), filled(16), bytes('|01 06|user')])),
  udp('Service_Location_Protocol', '|02 01 00 00 31 20 00 00 00 00 00 01 00 02|en|00 00 00 15|service:printer'),
  udp('sFlow', `|00 00 00 05 00 00 00 01 0a 00 00 01|${zeros(20)}`),
  udp('SSDP', 'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\n\r\n'),
  udp(
    'WSD',
    '<?xml version="1.0"?><soap:Envelope xmlns:wsd="http://schemas.xmlsoap.org/ws/2005/04/discovery"></soap:Envelope>',
  ),
  // Systems.
  met('CHECKMK', '<<<check_mk>>>\nVersion: 2.0\n'),
  udp('Collectd', '|00 00 00 0a|myhost|00 00 08 00 0c 15 00 00 00 00 00 00 00|'),
  udp('Kerberos', '|6a 81 b0 30 81 ad a1 03 02 01 05 a2 03 02 01 0a a3 0e|abcdef'),
  tcp('Kerberos', '|00 00 00 b3 6a 81 b0 30 81 ad a1 03 02 01 05 a2 03 02 01 0a a3 0e|abcdef'),
  tcp('LDAP', '|30 0c 02 01 01 60 07 02 01 03 04 00 80 00|', '|30 0c 02 01 01 61 07 0a 01 00 04 00 04 00|'),
  met('Munin', '# munin node at host.example.org\n', 'list\n'),
  udp('NTP', `|23 00 06 20|${zeros(36)}|e1 02 03 04 05 06 07 08|`),
  udp('PTPv2', `|01 02 00 2c 00 00 00 00|${zeros(12)}|00 11 22 ff fe 33 44 55 00 01 00 01 01 7f|${zeros(10)}`),
  udp(
    'SNMP',
    '|30 26 02 01 01 04 06|public|a0 19 02 01 01 02 01 00 02 01 00 30 0e 30 0c 06 08 2b 06 01 02 01 01 01 00 05 00|',
  ),
  udp('Syslog', '<34>Oct 11 22:14:15 host su: failed'),
  tcp('Syslog', '<34>1 2026-10-11T22:14:15Z host su - - - failed\n'),
  tcp('Whois-DAS', 'example.org\r\n', '% IANA WHOIS server\n% for more information\n'),
  tcp('Zabbix', 'ZBXD|01 0a 00 00 00 00 00 00 00|agent.ping'),
  // Calls, media, coins.
  tcp('AJP', '|12 34 00 05 02 02 02 00 08|'),
  tcp('Corba', 'GIOP|01 02 01 00 20 00 00 00|abc'),
  tcp('FastCGI', '|01 01 00 01 00 08 00 00 00 01 00 00 00 00 00 00|'),
  tcp('Gearman', '|00|REQ|00 00 00 01 00 00 00 04|test'),
  tcp('JRMI', 'JRMI|00 02 4b|'),
  tcp('Thrift', '|80 01 00 01 00 00 00 04|ping|00 00 00 00 00|'),
  udp('MPEG_TS', Buffer.concat([0, 1, 2, 3].map(() => Buffer.concat([bytes('|47 40 00 10|'), filled(184)])))),
  udp('RakNet', '|01 00 00 00 00 00 00 00 01 00 ff ff 00 fe fe fe fe fd fd fd fd 12 34 56 78 00 00 00 00 00 00 00 01|'),
  tcp('RTMP', Buffer.concat([bytes('|03 00 00 12 34 00 00 00 00|'), filled(1400)])),
  tcp('RTSP', 'DESCRIBE rtsp://example.org/a RTSP/1.0\r\nCSeq: 1\r\n\r\n', 'RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n'),
  udp('Source_Engine', '|ff ff ff ff|TSource Engine Query|00|'),
  tcp('BITCOIN', `|f9 be b4 d9|version|00 00 00 00 00 66 00 00 00|abcd${zeros(86)}`),
  tcp('Monero', `|01 21 01 01 01 01 01 01 e2 00 00 00 00 00 00 00 01|${zeros(16)}`),
  tcp('Mining', '{"id": 1, "method": "mining.subscribe", "params": ["x"]}\n'),
  tcp('Mining', '{"id":1,"jsonrpc":"2.0","method":"login","params":{"login":"x"}}\n'),
  // Machines.
  udp('BACnet', '|81 0b 00 0c 01 20 ff ff 00 ff 10 08|'),
  tcp(
    'BeckhoffADS',
    '|00 00 20 00 00 00 c0 a8 01 02 01 01 53 03 c0 a8 01 03 01 01 01 80 04 00 04 00 00 00 00 00 00 00 00 00|',
  ),
  udp('COAP', '|40 01 12 34 bb|.well-known|04|core'),
  tcp('DNP3', '|05 64 05 c9 01 00 00 04 e9 21|'),
  as(tcp('EthernetIP', `|65 00 04 00 00 00 00 00 00 00 00 00|${zeros(12)}|01 00 00 00|`)),
  tcp('FINS', 'FINS|00 00 00 0c 00 00 00 00 00 00 00 00 00 00 00 00|'),
  udp('HART-IP', '|01 00 00 00 00 01 00 0d 01 00 00 75 30|'),
  tcp('HiSLIP', 'HS|00 00 01 00|ZZ|00 00 00 00 00 00 00 07|hislip0'),
  tcp('HL7', '|0b|MSH|7c 5e 7e 5c|&|7c|A|7c|'),
  tcp('IEC60870', '|68 04 07 00 00 00|', '|68 04 0b 00 00 00|'),
  tcp('IEC62056', '/?!\r\n'),
  tcp('IEEE-C37118', '|aa 41 00 12 00 07 65 00 00 00 00 00 00 00 00 05 ab cd|'),
  udp('KNXnet_IP', '|06 10 02 01 00 0e 08 01 c0 a8 01 02 0e 57|'),
  tcp('Modbus', '|00 01 00 00 00 06 01 03 00 00 00 0a|', '|00 01 00 00 00 05 01 03 02 00 01|'),
  tcp('UMAS', '|00 01 00 00 00 04 00 5a 00 02|'),
  tcp(
    'OPC-UA',
    'HELF|38 00 00 00 00 00 00 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00 00 00 18 00 00 00|opc.tcp://localhost:4840',
  ),
  udp('RMCP', '|06 00 ff 07 00 00 00 00 00 00 00 00 00 09 20 18 c8 81 00 38 8e 04 b5|'),
  udp('RTPS', 'RTPS|02 03 01 0f 01 0f 45 d2 b3 f5 58 b9 01 00 00 00 09 01 08 00|'),
  tcp(
    'S7Comm',
    '|03 00 00 16 11 e0 00 00 00 01 00 c1 02 01 00 c2 02 01 02 c0 01 0a|',
    '|03 00 00 16 11 d0 00 01 00 01 00 c0 01 0a c1 02 01 00 c2 02 01 02|',
    '|03 00 00 19 02 f0 80 32 01 00 00 04 00 00 08 00 00 f0 00 00 01 00 01 01 e0|',
  ),
  udp('TPLINK_SHP', '|d0 f2 81 f8 8b ff 9a f7 d5 ef 94 b6 d1 b4 c0 9f|'),
  tcp('TuyaLP', '|00 00 55 aa 00 00 00 01 00 00 00 0a 00 00 00 08 12 34 56 78 00 00 aa 55|'),
]
