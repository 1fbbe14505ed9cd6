// Protocols that the engine does not know, or knows on their own port alone, by their first bytes on every port.

import {
  answers,
  byBytes,
  datagram,
  greets,
  ipProtocol,
  lengthAt,
  opens,
  type Recognised,
  replies,
  toUdpPort,
} from './pattern.ts'

const starts = (text: string): string => `content:"${text}"; startswith;`
const at = (offset: number, bytes: string): string => {
  const length = bytes
    .split('|')
    .reduce((sum, part, index) => sum + (index % 2 ? part.trim().split(' ').length : part.length), 0)
  return `content:"${bytes}"; offset:${offset}; depth:${length};`
}

const files = {
  AFP: byBytes(
    ...['03', '04'].map((command) =>
      opens(`${starts(`|00 ${command}|`)} ${at(4, '|00 00 00 00|')} ${at(12, '|00 00 00 00|')} ${lengthAt(4, 8, 16)}`),
    ),
  ),
  BitTorrent: byBytes(
    opens(starts('|13|BitTorrent protocol')),
    datagram(starts('d1|3a|ad2|3a|id20|3a|')),
    datagram(starts('d1|3a|rd2|3a|id20|3a|')),
    // The first packet of uTP, and the question to a tracker.
    datagram(`dsize:20; ${starts('|41 00|')} ${at(8, '|00 00 00 00|')} ${at(16, '|00 01 00 00|')}`),
    datagram(`dsize:16; ${starts('|00 00 04 17 27 10 19 80 00 00 00 00|')}`),
  ),
  eDonkey: byBytes(opens(`${starts('|e3|')} ${at(3, '|00 00 01 10|')}`)),
  Git: byBytes(...['upload-pack', 'receive-pack', 'upload-archive'].map((name) => opens(at(4, `git-${name} /`)))),
  Gnutella: byBytes(opens(starts('GNUTELLA CONNECT/'))),
  NFS: byBytes(
    replies(at(8, '|00 00 00 00 00 00 00 02 00 01 86 a3|')),
    datagram(at(4, '|00 00 00 00 00 00 00 02 00 01 86 a3|')),
  ),
  RSYNC: byBytes(greets(starts('@RSYNCD|3a| ')), opens(starts('@RSYNCD|3a| '))),
  // A client that offers version 2 in the old form is not held to speak version 1.
  SMBv1: byBytes(replies(`${starts('|00|')} ${at(4, '|ff|SMB')} content:!"SMB 2.";`)),
  SMBv23: byBytes(replies(`${starts('|00|')} ${at(4, '|fe|SMB')}`)),
  Syncthing: byBytes(datagram(starts('|2e a7 d9 0b|'))),
  TFTP: byBytes(
    ...['01', '02'].flatMap((code) =>
      ['octet', 'netascii'].map((mode) =>
        datagram(`dsize:<600; ${starts(`|00 ${code}|`)} content:"|00|${mode}|00|"; nocase; offset:3; depth:300;`),
      ),
    ),
  ),
  Usenet: byBytes(
    greets(`${starts('20')} content:"NNTP"; nocase; distance:2; within:120;`),
    replies(`${starts('MODE READER|0d 0a|')}`),
  ),
}

const databases = {
  Cassandra: byBytes(
    ...['03', '04', '05'].flatMap((version) => [
      opens(`dsize:9; ${starts(`|${version} 00|`)} ${at(4, '|05 00 00 00 00|')}`),
      opens(`${starts(`|${version} 00|`)} ${at(4, '|01|')} content:"|00 0b|CQL_VERSION"; offset:9; depth:100;`),
    ]),
  ),
  Ceph: byBytes(greets(starts('ceph v027')), greets(starts('ceph v2|0a|')), opens(starts('ceph v2|0a|'))),
  ClickHouse: byBytes(opens(`${starts('|00|')} ${at(2, 'ClickHouse')}`)),
  DRDA: byBytes(opens(`${at(2, '|d0|')} ${at(8, '|10 41|')}`)),
  Memcached: byBytes(
    opens('content:"get"; startswith; pcre:"/^gets? [^\\s]{1,250}\\r\\n$/";'),
    opens('content:"set "; startswith; pcre:"/^set [^\\s]{1,250} \\d{1,10} \\d{1,10} \\d{1,10}(?: noreply)?\\r\\n/";'),
    opens(`dsize:7; ${starts('stats|0d 0a|')}`),
    opens(`dsize:9; ${starts('version|0d 0a|')}`),
    opens(`dsize:24; ${starts('|80 0b 00 00 00 00 00 00 00 00 00 00|')}`),
    datagram(`${at(2, '|00 00 00 01 00 00|')} content:"stats"; offset:8; depth:5;`),
    datagram(`${at(2, '|00 00 00 01 00 00|')} content:"get "; offset:8; depth:4;`),
  ),
  MongoDB: byBytes(opens(at(8, '|00 00 00 00 dd 07 00 00|')), opens(at(8, '|00 00 00 00 d4 07 00 00|'))),
  'MsSQL-TDS': byBytes(opens(`${starts('|12 01|')} ${at(4, '|00 00|')} ${at(8, '|00|')} ${at(11, '|00 06|')}`)),
  MySQL: byBytes(
    greets(`${at(1, '|00 00 00 0a|')} content:"."; offset:6; depth:2; content:"|00|"; offset:9; depth:60;`),
  ),
  Oracle: byBytes(
    opens(`${at(2, '|00 00 01 00 00 00|')} content:"(DESCRIPTION"; nocase;`),
    opens(`${at(2, '|00 00 01 00 00 00|')} content:"(CONNECT_DATA"; nocase;`),
  ),
  PostgreSQL: byBytes(
    opens(`dsize:8; ${starts('|00 00 00 08 04 d2 16 2f|')}`),
    opens(`dsize:8; ${starts('|00 00 00 08 04 d2 16 30|')}`),
    opens(`${starts('|00 00|')} ${at(4, '|00 03 00 00|user|00|')}`),
  ),
  RESP: byBytes(
    opens(`${starts('*')} content:"|0d 0a 24|"; offset:2; depth:5; pcre:"/^\\*\\d{1,3}\\r\\n\\$\\d{1,3}\\r\\n/";`),
  ),
}

const messages = {
  AMQP: byBytes(opens(`${starts('AMQP')} byte_test:1,<,4,4; byte_test:1,<,2,5;`)),
  Discord: byBytes(datagram(`dsize:74; ${starts('|00 01 00 46|')}`)),
  FIX: byBytes(opens(`${starts('8=FIX')} content:"|01|9="; offset:7; depth:12;`)),
  IMAP: byBytes(greets(starts('* OK')), greets(starts('* PREAUTH'))),
  IRC: byBytes(
    replies(starts('CAP LS')),
    replies(`${starts('NICK ')} content:"|0d 0a|"; offset:6; depth:40;`),
    replies(`${starts('PASS ')} content:"|0a|NICK "; offset:6; depth:200;`),
  ),
  Jabber: byBytes(opens('content:"<stream|3a|stream"; depth:80; content:"jabber|3a|";')),
  Kafka: byBytes(
    opens(`${starts('|00 00|')} ${at(4, '|00 12 00|')} byte_test:1,<,6,6; byte_test:2,<,250,12; ${lengthAt(4, 0, 4)}`),
  ),
  Nats: byBytes(greets(`${starts('INFO {')} content:"server_id"; offset:6; depth:200;`)),
  OpenWire: byBytes(opens(at(4, '|01|ActiveMQ')), greets(at(4, '|01|ActiveMQ'))),
  POP3: byBytes(greets(starts('+OK'))),
  SMPP: byBytes(
    ...['01', '02', '09'].map((command) => opens(`${at(4, `|00 00 00 ${command} 00 00 00 00|`)} ${lengthAt(4, 0)}`)),
  ),
  SMTP: byBytes(greets(`${starts('220')} content:"SMTP"; nocase; distance:1; within:200;`)),
  STOMP: byBytes(
    ...['CONNECT', 'STOMP'].flatMap((command) =>
      ['|0a|', '|0d 0a|'].map((end) => opens(`${starts(command + end)} content:"accept-version|3a|"; depth:300;`)),
    ),
  ),
  WhatsApp: byBytes(
    opens(`${starts('WA|06|')} byte_test:1,<,8,3; dsize:<700;`),
    opens(`${starts('ED|00 01|')} content:"WA|06|"; offset:6; depth:200;`),
  ),
  ZeroMQ: byBytes(
    opens(`${starts('|ff 00 00 00 00 00 00 00|')} ${at(9, '|7f|')}`),
    greets(`${starts('|ff 00 00 00 00 00 00 00|')} ${at(9, '|7f|')}`),
  ),
}

const telephony = {
  CiscoSkinny: byBytes(opens(at(4, '|00 00 00 00 01 00 00 00|SEP'))),
  H323: byBytes(opens(`${starts('|03 00|')} ${at(4, '|08 02|')} ${at(8, '|05|')}`)),
  // A full frame of a new call, a registration or a poke.
  IAX: byBytes(
    ...['01', '0d', '1e'].map((kind) =>
      datagram(`byte_test:1,>,127,0; ${at(2, '|00 00|')} ${at(8, `|00 00 06 ${kind}|`)} dsize:11<>600;`),
    ),
  ),
  Megaco: byBytes(datagram(starts('MEGACO/1 [')), datagram(starts('!/1 ['))),
  MGCP: byBytes(
    datagram('content:" MGCP 1.0"; depth:200; pcre:"/^(?:AUEP|AUCX|CRCX|DLCX|EPCF|MDCX|NTFY|RQNT|RSIP) \\d{1,9} /";'),
  ),
  SIP: byBytes(
    ...[opens, datagram].map((form) =>
      form(
        'content:" SIP/2.0|0d 0a|"; depth:400; pcre:"/^(?:INVITE|REGISTER|OPTIONS|SUBSCRIBE|NOTIFY|MESSAGE|PUBLISH|BYE|CANCEL|ACK|INFO|REFER|UPDATE|PRACK) (?:sips?|tel):/";',
      ),
    ),
  ),
  STUN: byBytes(
    datagram(`${at(4, '|21 12 a4 42|')} byte_test:1,<,2,0; ${lengthAt(2, 2, 20)}`),
    opens(`${at(4, '|21 12 a4 42|')} byte_test:1,<,2,0; ${lengthAt(2, 2, 20)}`),
  ),
  TeamSpeak: byBytes(datagram(at(0, 'TS3INIT1'))),
}

const remote = {
  Citrix: byBytes(greets(starts('|7f 7f|ICA|00|')), opens(starts('|7f 7f|ICA|00|'))),
  NoMachine: byBytes(greets(starts('NXSH-')), opens(starts('NXSH-'))),
  Radmin: byBytes(opens(`dsize:10; ${starts('|01 00 00 00 01 00 00 00 08|')}`)),
  RDP: byBytes(
    opens(`${starts('|03 00|')} ${at(5, '|e0 00 00|')} content:"Cookie|3a| mstshash="; offset:11; depth:20;`),
    opens(`dsize:19; ${starts('|03 00 00 13 0e e0 00 00|')} ${at(11, '|01|')} ${at(13, '|08 00|')}`),
  ),
  TeamViewer: byBytes(
    opens(`dsize:<200; ${starts('|17 24|')} byte_test:1,<,64,2;`),
    datagram(`${starts('|00|')} ${at(11, '|17 24|')} dsize:>12;`),
  ),
  Telnet: byBytes(
    ...['fb', 'fd'].flatMap((command) =>
      [greets, opens].map((form) => form(`${starts(`|ff ${command}|`)} byte_test:1,<,50,2;`)),
    ),
  ),
  VNC: byBytes(greets(starts('RFB 00'))),
  XDMCP: byBytes(
    datagram(`dsize:7<>100; ${starts('|00 01 00 02 00|')}`),
    datagram(`dsize:7; ${starts('|00 01 00 02 00 01 00|')}`),
  ),
}

const tunnels = {
  IPSec: byBytes(
    ...[0, 4].flatMap((shift) =>
      ['|20 22|', '|10 02|', '|10 04|'].map((kind) =>
        datagram(
          `${shift === 0 ? '' : `${starts('|00 00 00 00|')} `}${at(shift + 8, '|00 00 00 00 00 00 00 00|')} ${at(shift + 17, kind)} ${lengthAt(4, shift + 24, shift)}`,
        ),
      ),
    ),
    ipProtocol(50),
  ),
  OpenVPN: byBytes(
    // The reset of a client: plain, with tls-auth (SHA-1, SHA-256), with tls-crypt; the same over TCP after a length.
    datagram(`dsize:14; ${starts('|38|')} ${at(9, '|00 00 00 00 00|')}`),
    datagram(`dsize:42; ${starts('|38|')} ${at(29, '|00 00 00 01|')} ${at(37, '|00 00 00 00 00|')}`),
    datagram(`dsize:54; ${starts('|38|')} ${at(41, '|00 00 00 01|')} ${at(49, '|00 00 00 00 00|')}`),
    datagram(`dsize:54; ${starts('|38|')} ${at(9, '|00 00 00 01|')}`),
    opens(`dsize:16; ${starts('|00 0e 38|')} ${at(11, '|00 00 00 00 00|')}`),
    opens(`dsize:44; ${starts('|00 2a 38|')} ${at(31, '|00 00 00 01|')}`),
    opens(`dsize:56; ${starts('|00 36 38|')}`),
  ),
  PPTP: byBytes(opens(`${at(2, '|00 01 1a 2b 3c 4d|')}`)),
  SOCKS: byBytes(
    ...['|05 01 00|', '|05 01 02|', '|05 02 00 01|', '|05 02 00 02|', '|05 03 00 01 02|'].map((hello) =>
      opens(`dsize:${(hello.length - 1) / 3}; ${starts(hello)}`),
    ),
    opens(`dsize:8<>280; ${starts('|04 01|')} content:"|00|"; endswith;`),
  ),
  Tailscale: byBytes(datagram(starts('TS|f0 9f 92 ac|'))),
  Teredo: byBytes(datagram(`${starts('|60|')} ${at(8, '|20 01 00 00|')}`)),
  TINC: byBytes(opens(`${starts('0 ')} pcre:"/^0 [A-Za-z0-9_]{1,60} 17(?:\\.\\d)?\\n/";`)),
  VXLAN: byBytes(
    ...['|08 00|', '|08 06|', '|86 dd|'].map((kind) =>
      datagram(`${starts('|08 00 00 00|')} ${at(7, '|00|')} ${at(20, kind)}`),
    ),
  ),
  WireGuard: byBytes(datagram(`dsize:148; ${starts('|01 00 00 00|')}`)),
}

const network = {
  BFD: byBytes(datagram(`dsize:24; byte_test:1,=,0x20,0,bitmask 0xe0; ${at(3, '|18|')} ${toUdpPort(3784)}`)),
  BGP: byBytes(replies(`${starts(`|${Array(16).fill('ff').join(' ')}|`)} ${at(18, '|01 04|')}`)),
  DHCP: byBytes(datagram(at(236, '|63 82 53 63|'))),
  DHCPV6: byBytes(
    datagram(`byte_test:1,<,14,0; content:"|00 01 00 0e 00 01 00 01|"; offset:4; depth:60; content:"|00 08 00 02|";`),
  ),
  Diameter: byBytes(opens(`${starts('|01 00|')} ${at(4, '|80 00 01 01 00 00 00 00|')}`)),
  DLEP: byBytes(datagram(starts('DLEP|00|'))),
  // A first label of 32 characters is a name of NetBIOS.
  DNS: byBytes(
    ...['01 00', '01 20'].flatMap((flags) => [
      datagram(
        `${at(2, `|${flags} 00 01 00 00 00 00 00|`)} byte_test:1,<,64,12; content:!"|20|"; offset:12; depth:1; content:"|00|"; offset:12;`,
      ),
      opens(`${at(4, `|${flags} 00 01 00 00 00 00 00|`)} byte_test:1,<,64,14; ${lengthAt(2, 0, 2)}`),
    ]),
  ),
  DTLS: byBytes(datagram(`${starts('|16 fe|')} ${at(3, '|00 00 00 00 00 00 00|')} ${at(13, '|01|')}`)),
  GTP_C: byBytes(
    datagram(`${starts('|48 20|')} ${lengthAt(2, 2, 4)}`),
    datagram(`dsize:8<>30; ${starts('|40 01|')} ${lengthAt(2, 2, 4)}`),
  ),
  GTP_U: byBytes(datagram(`${starts('|30 ff|')} ${at(8, '|45|')} ${lengthAt(2, 2, 8)}`)),
  HAProxy: byBytes(opens(starts('PROXY TCP')), opens(starts('|0d 0a 0d 0a 00 0d 0a|QUIT|0a|'))),
  ICMP: byBytes(ipProtocol(1)),
  ICMPV6: byBytes(ipProtocol(58)),
  LLMNR: byBytes(datagram(`${at(2, '|00 00 00 01 00 00 00 00 00 00|')} ${toUdpPort(5355)}`)),
  MDNS: byBytes(datagram(`${starts('|00 00 00 00|')} content:"|05|local|00|"; nocase; offset:12;`)),
  'NAT-PMP': byBytes(
    datagram(`dsize:2; ${starts('|00 00|')} ${toUdpPort(5351)}`),
    datagram(`dsize:12; ${starts('|00|')} ${at(2, '|00 00|')} ${toUdpPort(5351)}`),
  ),
  NetBIOS: byBytes(
    datagram(`${at(4, '|00 01 00 00 00 00|')} ${at(12, '|20|')} content:"|00 00|"; offset:45; depth:2; dsize:49<>120;`),
    opens(`dsize:72; ${starts('|81 00 00 44 20|')}`),
  ),
  NetFlow: byBytes(
    ...['|00 05 00|', '|00 09 00|'].map((version) =>
      datagram(
        `${starts(version)} byte_test:1,<,60,2; byte_test:4,>,1500000000,8; byte_test:4,<,3000000000,8; dsize:>23;`,
      ),
    ),
    datagram(`${starts('|00 0a|')} byte_test:4,>,1500000000,4; byte_test:4,<,3000000000,4; ${lengthAt(2, 2)}`),
  ),
  OpenFlow: byBytes(
    opens(`dsize:8; byte_test:1,>,0,0; byte_test:1,<,7,0; ${at(1, '|00 00 08|')}`),
    opens(`dsize:16; byte_test:1,>,3,0; byte_test:1,<,7,0; ${at(1, '|00 00 10|')} ${at(8, '|00 01 00 08|')}`),
  ),
  PFCP: byBytes(
    datagram(`${starts('|20 01|')} ${at(8, '|00 60 00 04|')} ${lengthAt(2, 2, 4)}`),
    datagram(`${starts('|20 05|')} ${at(8, '|00 3c|')} ${lengthAt(2, 2, 4)}`),
  ),
  QUIC: byBytes(
    ...['|00 00 00 01|', '|6b 33 43 cf|'].map((version) =>
      datagram(`dsize:>1199; byte_test:1,>,191,0; ${at(1, version)} byte_test:1,<,21,5;`),
    ),
  ),
  RADIUS: byBytes(
    datagram(`dsize:19<>4097; ${starts('|01|')} ${at(20, '|01|')} ${lengthAt(2, 2)}`),
    datagram(`dsize:19<>4097; ${starts('|04|')} content:"|28 06 00 00 00|"; offset:20; ${lengthAt(2, 2)}`),
  ),
  Roughtime: byBytes(datagram(starts('ROUGHTIM'))),
  SCTP: byBytes(ipProtocol(132)),
  Service_Location_Protocol: byBytes(datagram(`${starts('|02|')} byte_test:1,<,12,1; ${at(12, '|00 02|en')}`)),
  sFlow: byBytes(datagram(`dsize:>27; ${starts('|00 00 00 05 00 00 00 01|')}`)),
  SSDP: byBytes(datagram(starts('M-SEARCH * HTTP/1.')), datagram(starts('NOTIFY * HTTP/1.'))),
  WSD: byBytes(
    datagram('content:"<"; startswith; content:"/ws/2005/04/discovery"; depth:1200; content:"Envelope"; depth:200;'),
  ),
}

/** A name, `02 01`, a number of one byte, then the tag: the form in which LDAP starts a message of up to 64 KB. */
const ldap = [
  'pcre:"/^\\x30(?:[\\x00-\\x7f]|\\x81.|\\x82..|\\x84....)\\x02\\x01.\\x60(?:[\\x00-\\x7f]|\\x81.|\\x82..|\\x84....)\\x02\\x01[\\x02\\x03]\\x04/s";',
  'pcre:"/^\\x30(?:[\\x00-\\x7f]|\\x81.|\\x82..|\\x84....)\\x02\\x01.\\x63(?:[\\x00-\\x7f]|\\x81.|\\x82..|\\x84....)\\x04/s";',
  'content:"1.3.6.1.4.1.1466.20037"; depth:60;',
].map((form) => `${starts('|30|')} content:"|02 01|"; offset:2; depth:6; ${form}`)

const kerberos = (from: number): readonly string[] =>
  ['6a', '6c'].map(
    (tag) => `${at(from, `|${tag}|`)} content:"|a1 03 02 01 05 a2 03 02 01|"; offset:${from + 2}; depth:20;`,
  )

const syslog = 'pcre:"/^(?:\\d{1,5} )?<1?\\d{1,2}>(?:1 \\d{4}-|[A-Z][a-z]{2} [ \\d]\\d \\d\\d:)/";'

const system = {
  CHECKMK: byBytes(greets(starts('<<<check_mk>>>'))),
  Collectd: byBytes(
    datagram(
      `${starts('|00 00 00|')} pcre:"/^\\x00\\x00\\x00[\\x06-\\x80][\\x21-\\x7e]{1,120}\\x00\\x00[\\x01\\x08]\\x00\\x0c/";`,
    ),
  ),
  Kerberos: byBytes(...kerberos(0).map(datagram), ...kerberos(4).map(opens)),
  Kismet: byBytes(greets(starts('*KISMET|3a| '))),
  LDAP: byBytes(...ldap.flatMap((form) => [opens(form), datagram(form)])),
  Munin: byBytes(greets(starts('# munin node at '))),
  NTP: byBytes(
    datagram(
      `dsize:48; byte_test:1,=,3,0,bitmask 0x07; byte_test:1,>,2,0,bitmask 0x38; byte_test:1,<,5,0,bitmask 0x38; byte_test:1,<,17,1; byte_test:1,<,18,2; ${at(4, '|00|')} ${at(8, '|00|')}`,
    ),
  ),
  PTPv2: byBytes(
    datagram(
      `dsize:43<>70; byte_test:1,<,14,0,bitmask 0x0f; ${at(1, '|02|')} ${at(16, '|00 00 00 00|')} ${lengthAt(2, 2)}`,
    ),
  ),
  SNMP: byBytes(
    datagram(
      `${starts('|30|')} content:"|02 01|"; offset:2; depth:4; pcre:"/^\\x30(?:[\\x00-\\x7f]|\\x81.|\\x82..)\\x02\\x01[\\x00\\x01]\\x04[\\x00-\\x40][\\x20-\\x7e]{0,64}[\\xa0-\\xa8]/s";`,
    ),
    datagram(
      `${starts('|30|')} content:"|02 01 03 30|"; offset:2; depth:6; content:"|02 01 03 04|"; offset:10; depth:20;`,
    ),
  ),
  Syslog: byBytes(
    datagram(`content:"<"; startswith; ${syslog}`),
    opens(`content:"<"; depth:7; content:">"; depth:12; ${syslog}`),
  ),
  UBNTAC2: byBytes(datagram(`dsize:4; ${starts('|01 00 00 00|')} ${toUdpPort(10001)}`)),
  'Whois-DAS': byBytes(
    ...['% IANA WHOIS server', '% This is the ', '% By submitting a query', '% [whois.', '%rwhois '].map((text) =>
      answers(starts(text)),
    ),
    answers(`dsize:>20; content:"Domain Name|3a| "; nocase; depth:20; content:"Registr"; nocase; depth:400;`),
  ),
  Zabbix: byBytes(opens(`${starts('ZBXD')} byte_test:1,<,8,4;`)),
}

const calls = {
  AJP: byBytes(
    opens(`${starts('|12 34|')} ${at(4, '|02|')} ${lengthAt(2, 2, 4)}`),
    opens(`dsize:5; ${starts('|12 34 00 01 0a|')}`),
  ),
  Corba: byBytes(opens(`${starts('GIOP|01|')}`)),
  FastCGI: byBytes(opens(`${starts('|01 01|')} ${at(4, '|00 08 00 00 00 01|')}`)),
  Gearman: byBytes(opens(starts('|00|REQ|00 00 00|'))),
  JRMI: byBytes(opens(starts('JRMI|00 02|'))),
  Thrift: byBytes(opens(starts('|80 01 00 01 00 00 00|')), opens(at(4, '|80 01 00 01 00 00 00|'))),
}

const media = {
  BJNP: byBytes(datagram(starts('BJNP|01|'))),
  MPEG_TS: byBytes(datagram(`dsize:>563; ${starts('|47|')} ${at(188, '|47|')} ${at(376, '|47|')}`)),
  RakNet: byBytes(...[1, 9].map((place) => datagram(at(place, '|00 ff ff 00 fe fe fe fe fd fd fd fd 12 34 56 78|')))),
  RTMP: byBytes(opens(`dsize:>500; ${starts('|03|')} ${at(5, '|00 00 00 00|')}`)),
  RTSP: byBytes(
    opens('content:" RTSP/1.0|0d 0a|"; depth:600; pcre:"/^(?:OPTIONS|DESCRIBE|ANNOUNCE|SETUP|PLAY) (?:rtspu?:|\\*)/";'),
  ),
  Source_Engine: byBytes(datagram(starts('|ff ff ff ff|TSource Engine Query|00|'))),
}

const coins = {
  BITCOIN: byBytes(opens(starts('|f9 be b4 d9|version|00 00 00 00 00|'))),
  Monero: byBytes(opens(starts('|01 21 01 01 01 01 01 01|'))),
}

export const byteProtocols: Readonly<Record<string, Recognised>> = {
  ...files,
  ...databases,
  ...messages,
  ...telephony,
  ...remote,
  ...tunnels,
  ...network,
  ...system,
  ...calls,
  ...media,
  ...coins,
}
