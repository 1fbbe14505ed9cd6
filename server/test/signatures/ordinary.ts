// What people and programs do all day, more than 500 exchanges: no signature of the starter set may see anything in them.

import type { Traffic } from './capture.ts'
import {
  exchange,
  hello,
  http,
  inbound,
  lookup,
  outbound,
  type Parts,
  page,
  smbOpen,
  smbShare,
  talk,
  udp,
} from './traffic.ts'

const browsers = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
]
const programs = [
  'curl/8.5.0',
  'Wget/1.24.5',
  'python-requests/2.32.3',
  'Go-http-client/1.1',
  'okhttp/4.12.0',
  'apt/2.9',
  'git/2.47.0',
]

const token = (seed: number, length: number): string =>
  Array.from(
    { length },
    (_, at) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'[(seed * 7 + at * at * 3 + at) % 62],
  ).join('')

/** Words that look like parts of attacks. */
export const searches = [
  'union station selection',
  'credit union select committee',
  'select a country from the list',
  'student union',
  'how to use SQL union and select',
  'information_schema explained',
  'what is sleep(1) in C',
  'drop table tennis',
  "rock 'n' roll or 80s",
  'or 1=1 meaning',
  "d'or 2024",
  'waitfor the delay to end',
  'xp_cmdshell documentation',
  'javascript: the good parts',
  'how does onerror work',
  'wget or curl',
  '/bin/sh vs /bin/bash',
  '.env file example',
  'etc/passwd format',
  '<3 love',
  'a<b>c',
  'c++ templates {{ }}',
  '50% off & free shipping',
  'what is 169.254.169.254',
  'php filter_var',
  'jndi lookup java',
  `${'$'}{placeholder} syntax`,
  'order by price desc',
  'insert into the slot',
  '100%',
  'script font',
  'into outfile mysql permission',
  'pg_sleep manual',
  'cmd line',
  'eval function',
  'root and daemon',
  'мост через реку',
  'größe 42',
  '寿司 レストラン',
  'café near me',
  "O'Reilly books",
  'C:\\Windows path',
  'select * keyboard',
]

const paths = [
  '/',
  '/index.html',
  '/about',
  '/contact',
  '/news/2026/11/17/harbour-opens',
  '/products?category=12&page=3&sort=price',
  '/cart',
  '/account/orders/8812',
  '/images/logo.svg',
  '/static/app.9f3c2a.js',
  '/static/style.css?v=77',
  '/favicon.ico',
  '/robots.txt',
  '/sitemap.xml',
  '/feed.rss',
  '/wp-content/themes/a/style.css',
  '/wp-login.php',
  '/wp-admin/admin-ajax.php',
  '/login?next=%2Faccount%2Forders',
  '/share?url=https%3A%2F%2Fnews.example%2Fa%3Fb%3Dc',
  '/out?page=https://news.example/a',
  '/maps/@52.52,13.40,12z',
  '/wiki/C%2B%2B',
  '/files/annual%20report.pdf',
  '/photos/2026-11-17_10.22.31.jpg',
  '/path/with/../dots/in/it.html',
  '/a/./b',
  '/search/',
  '/tag/shell-scripts',
  '/docs/manager/html-guide',
  '/environment',
  '/scripts/main.js',
  '/git/config-help',
  '/run/schedule',
  '/backup-plans',
  '/server-statuses',
  '/index.php?cmd=_cart',
  '/index.php?cmd=show&id=4',
  '/article;jsessionid=AB12CD34',
  '/en-GB/help?topic=select&from=menu',
  '/player?onerror=ignore',
]

const inBrowser = (at: number, headers = ''): string =>
  `User-Agent: ${browsers[at % browsers.length]}\r\nAccept: text/html,*/*;q=0.8\r\nAccept-Language: en,de;q=0.7\r\n${headers}`

const html = (title: string): string =>
  page(
    `<!doctype html><html><head><title>${title}</title><script src="/static/app.js"></script></head><body><h1>${title}</h1>` +
      '<p>Index of topics: root canals, uid and gid explained, private keys of pianos.</p></body></html>',
    'Content-Type: text/html; charset=utf-8\r\nServer: nginx\r\n',
  )

const browsing = (): Traffic[] =>
  paths.flatMap((path, at) => [
    inbound(path, { headers: inBrowser(at) }, html(`Page ${at}`)),
    outbound(
      path,
      { host: `www${at}.example.org`, headers: inBrowser(at + 1, 'Connection: keep-alive\r\n') },
      html('News'),
    ),
  ])

const searching = (): Traffic[] =>
  searches.flatMap((words, at) => [
    inbound(`/search?q=${encodeURIComponent(words)}&page=${at}`, { headers: inBrowser(at) }, html('Results')),
    inbound('/search', form(`q=${encodeURIComponent(words).replaceAll('%20', '+')}&lang=en`, at), html('Results')),
    outbound(`/find?q=${encodeURIComponent(words)}`, { headers: inBrowser(at) }, html('Results')),
  ])

const form = (body: string, at: number): Parts => ({
  method: 'POST',
  body,
  headers: inBrowser(at, 'Content-Type: application/x-www-form-urlencoded\r\n'),
})

const json = (method: string, value: unknown, at: number): Parts => ({
  method,
  body: Buffer.from(JSON.stringify(value)).toString('latin1'),
  headers:
    `User-Agent: ${programs[at % programs.length]}\r\nContent-Type: application/json\r\nAccept: application/json\r\n` +
    `Authorization: Bearer ${token(at, 36)}.${token(at + 1, 120)}.${token(at + 2, 43)}\r\n`,
})

const jsonAnswer = page(
  '{"ok":true,"items":[{"id":1,"method":"card"},{"id":2,"method":"login"}]}',
  'Content-Type: application/json\r\n',
)

const bodies = (at: number): readonly unknown[] => [
  { id: at, name: `Anna ${at}`, tags: ['union', 'select'], note: 'Please select one from the list; thanks' },
  { query: `query Q${at} { user(id: ${at}) { name orders { id } } }`, variables: { from: '2026-01-01' } },
  { jsonrpc: '2.0', id: at, method: 'account.get', params: { login: `user${at}`, path: '/home/user' } },
  { events: [{ type: 'click', page: 'https://shop.example/a?b=c', at: 1_700_000_000 + at }], agent: 'web' },
  { text: 'The European Union will select members from all states.', html: '<p>a &lt; b</p>' },
]

const calling = (): Traffic[] =>
  ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method, row) =>
    Array.from({ length: 14 }, (_, column) => {
      const at = row * 14 + column
      const parts = json(method, method === 'GET' ? '' : bodies(at)[column % 5], at)
      const asked: Parts = method === 'GET' ? { method, headers: parts.headers ?? '' } : parts
      const path = `/api/v${1 + (at % 3)}/items/${at}?fields=id,name&filter=price%3E10%20and%20stock%20or%20new&limit=${at}`
      return column % 2 === 0 ? inbound(path, asked, jsonAnswer) : outbound(path, asked, jsonAnswer)
    }),
  )

const soap = (at: number): string =>
  `<?xml version="1.0"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><GetPrice>` +
  `<Item>${at}</Item><System>SYSTEM ${at}</System></GetPrice></soap:Body></soap:Envelope>`

const upload = (name: string, type: string, content: string): Parts => {
  const edge = '----FormEdge7MA4YWxkTrZu0gW'
  const body =
    `--${edge}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n` +
    `${content}\r\n--${edge}--\r\n`
  return { method: 'POST', headers: inBrowser(1, `Content-Type: multipart/form-data; boundary=${edge}\r\n`), body }
}

/** Bytes of a file that means nothing. */
const noise = (seed: number, length: number): string =>
  Array.from({ length }, (_, at) => String.fromCharCode((seed * 31 + at * 17 + ((at * at) % 251)) & 255)).join('')

const files: readonly (readonly [name: string, type: string, begin: string])[] = [
  ['report.pdf', 'application/pdf', '%PDF-1.7\n'],
  ['photo.jpg', 'image/jpeg', '\xff\xd8\xff\xe0\x00\x10JFIF'],
  ['photo.png', 'image/png', '\x89PNG\r\n\x1a\n'],
  ['all.zip', 'application/zip', 'PK\x03\x04'],
  ['setup.exe', 'application/octet-stream', `MZ${'\x00'.repeat(70)}This program cannot be run in DOS mode`],
  ['tool.bin', 'application/octet-stream', '\x7fELF'],
  ['table.csv', 'text/csv', 'id,name\n1,root\n2,daemon\n'],
  ['notes.txt', 'text/plain', 'Dear all,\nselect a date from the list, union rules apply.\n'],
  ['page.php.txt', 'text/plain', '<?php echo "hello"; ?>\n'],
  ['data.xml', 'application/xml', '<?xml version="1.0"?><!DOCTYPE note><note>SYSTEM</note>'],
  ['query.sql', 'application/sql', 'SELECT id FROM shops WHERE city = 1;\n'],
  ['script.sh', 'text/x-shellscript', '#!/bin/sh\necho hello\n'],
  ['video.mp4', 'video/mp4', '\x00\x00\x00\x18ftypmp42'],
  ['song.mp3', 'audio/mpeg', 'ID3\x03\x00'],
  ['sheet.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK\x03\x04\x14\x00\x06\x00'],
]

const moving = (): Traffic[] => [
  ...files.flatMap(([name, type, begin], at) => [
    inbound('/upload', upload(name, type, begin + noise(at, 900)), jsonAnswer),
    outbound('/upload', upload(name, type, begin + noise(at + 50, 3_000)), jsonAnswer),
    outbound(`/files/${name}`, { headers: inBrowser(at) }, page(begin + noise(at, 4_000), `Content-Type: ${type}\r\n`)),
    inbound(
      `/files/${name}`,
      { headers: inBrowser(at, 'Range: bytes=0-999\r\n') },
      page(begin, `Content-Type: ${type}\r\n`, '206 Partial Content'),
    ),
  ]),
  ...Array.from({ length: 10 }, (_, at) =>
    inbound(
      '/soap',
      { method: 'POST', headers: 'Content-Type: text/xml\r\nSOAPAction: "GetPrice"\r\n', body: soap(at) },
      page(soap(at + 1)),
    ),
  ),
]

const longOnes = (): Traffic[] =>
  Array.from({ length: 30 }, (_, at) => {
    const headers = inBrowser(
      at,
      `Cookie: sid=${token(at, 32)}; prefs=theme%3Ddark%7Clang%3Den; _ga=GA1.2.${at}.17; cart=${token(at + 9, 200)}\r\nReferer: https://shop.example/?q=a%20or%20b\r\n`,
    )
    const path = `/track?d=${token(at, 400 + 40 * at)}&utm_source=mail&utm_campaign=union-sale&r=https%3A%2F%2Fshop.example%2F`
    return at % 2 === 0 ? inbound(path, { headers }, html('Long')) : outbound(path, { headers }, html('Long'))
  })

const answers = (): Traffic[] =>
  [
    '301 Moved Permanently',
    '302 Found',
    '304 Not Modified',
    '400 Bad Request',
    '403 Forbidden',
    '404 Not Found',
    '500 Internal Server Error',
    '503 Service Unavailable',
  ].flatMap((status, at) => [
    inbound(`/old/${at}`, { headers: inBrowser(at) }, page('', 'Location: /new\r\n', status)),
    outbound(`/old/${at}`, { method: 'HEAD', headers: inBrowser(at) }, page('', '', status)),
    inbound(
      `/api/${at}`,
      { method: 'OPTIONS', headers: 'Origin: https://shop.example\r\nAccess-Control-Request-Method: POST\r\n' },
      page('', '', '204 No Content'),
    ),
  ])

const domains = [
  'www.example.org',
  'mail.example.com',
  'api.shop.example',
  'cdn.example.net',
  'www.wikipedia.org',
  'www.debian.org',
  'deb.debian.org',
  'github.com',
  'api.github.com',
  'registry.npmjs.org',
  'pypi.org',
  'files.pythonhosted.org',
  'www.google.com',
  'fonts.gstatic.com',
  'www.youtube.com',
  'outlook.office365.com',
  'login.microsoftonline.com',
  'update.microsoft.com',
  'time.windows.com',
  'www.apple.com',
  'gateway.icloud.com',
  's3.amazonaws.com',
  'aws.amazon.com',
  'www.cloudflare.com',
  'cdnjs.cloudflare.com',
  'www.mozilla.org',
  'addons.mozilla.org',
  'telegram.org',
  'web.whatsapp.com',
  'slack.com',
  'zoom.us',
  'meet.example.org',
  'profile.io',
  'myfile.io.example',
  'notfile.io',
  'amega.nz',
  'transfer.shop',
  'onion.recipes',
  'www.onions.example',
  'ipify.example',
  'pool.ntp.org',
  'swimming-pool.example',
  'dynamic.example',
  'google.dns.example',
  'anydesk.example',
  'teamviewers.example',
  'ngrok.example',
  'duckduckgo.com',
  'no-ip.example',
]

const naming = (): Traffic[] => [
  ...domains.map((name) => lookup(name)),
  ...domains.slice(0, 20).map((name) => lookup(name, 'aaaa')),
  ...domains.slice(0, 6).map((name) => lookup(name, 'mx')),
  ...domains.slice(0, 6).map((name) => lookup(`_dmarc.${name}`, 'txt')),
  ...domains.map((name) => hello(name)),
]

const mail = (at: number): readonly string[] => [
  '<220 mail.example ESMTP',
  'EHLO pc.example',
  '<250-mail.example\r\n250 STARTTLS',
  `MAIL FROM:<a${at}@shop.example>`,
  '<250 ok',
  `RCPT TO:<b${at}@home.example>`,
  '<250 ok',
  'DATA',
  '<354 go on',
  `From: a${at}@shop.example\r\nSubject: Order ${at}\r\nContent-Disposition: attachment; filename="order${at}.pdf"\r\n\r\n${token(at, 300)}\r\n.`,
  '<250 queued',
  'QUIT',
  '<221 bye',
]

const talking = (): Traffic[] => [
  ...Array.from({ length: 8 }, (_, at) => talk(at % 2 === 0, at % 2 === 0 ? 587 : 25, mail(at))),
  ...Array.from({ length: 6 }, (_, at) =>
    talk(at % 2 === 0, 143, [
      '<* OK ready',
      `a1 LOGIN user${at} secret`,
      '<a1 OK done',
      'a2 SELECT INBOX',
      `<* ${at} EXISTS\r\na2 OK done`,
      'a3 FETCH 1 BODY[]',
      `<* 1 FETCH (BODY[] {5}\r\nhello)\r\na3 OK done`,
      'a4 LOGOUT',
      '<* BYE\r\na4 OK bye',
    ]),
  ),
  ...Array.from({ length: 4 }, (_, at) =>
    talk(true, 110, ['<+OK ready', `USER u${at}`, '<+OK', 'PASS secret', '<+OK', 'STAT', '<+OK 2 320', 'QUIT', '<+OK']),
  ),
  ...Array.from({ length: 5 }, (_, at) =>
    talk(true, 21, [
      '<220 files',
      `USER u${at}`,
      '<331 Password',
      'PASS secret',
      '<230 ok',
      'STOR notes.txt',
      '<150 go',
      'QUIT',
      '<221 bye',
    ]),
  ),
  ...Array.from({ length: 6 }, (_, at) => talk(at % 2 === 0, 22, ['<SSH-2.0-OpenSSH_9.6', 'SSH-2.0-OpenSSH_9.9'])),
  ...Array.from({ length: 6 }, (_, at) =>
    udp(true, 123, `\x23${'\x00'.repeat(39)}12345${at}78`, `\x24\x02${'\x00'.repeat(46)}`),
  ),
  ...Array.from({ length: 4 }, (_, at) =>
    udp(
      true,
      3_478,
      `\x00\x01\x00\x00\x21\x12\xa4\x42abcdefghijk${at}`,
      `\x01\x01\x00\x00\x21\x12\xa4\x42abcdefghijk${at}`,
    ),
  ),
  ...Array.from({ length: 4 }, (_, at) =>
    udp(false, 5_060, `OPTIONS sip:${at}@a.example SIP/2.0\r\nUser-Agent: Phone 1\r\n\r\n`, 'SIP/2.0 200 OK\r\n\r\n'),
  ),
  ...['report.docx', 'plans\\2026.xlsx', 'photos', 'srvsvc'].map((name) => smbOpen(name)),
  ...['\\\\10.10.0.5\\public', '\\\\10.10.0.5\\users', '\\\\10.10.0.5\\PUBLIC$x'].map((name) => smbShare(name)),
  exchange(
    false,
    3_389,
    '\x03\x00\x00\x13\x0e\xe0\x00\x00\x00\x00\x00\x01\x00\x08\x00\x03\x00\x00\x00',
    '\x03\x00\x00\x13\x0e\xd0\x00\x00\x12\x34\x00\x02\x1f\x08\x00\x02\x00\x00\x00',
  ),
  exchange(true, 1_883, '\x10\x10\x00\x04MQTT\x04\x02\x00\x3c\x00\x04abcd', '\x20\x02\x00\x00'),
  exchange(
    true,
    389,
    '0\x0c\x02\x01\x01`\x07\x02\x01\x03\x04\x00\x80\x00',
    '0\x0c\x02\x01\x01a\x07\x0a\x01\x00\x04\x00\x04\x00',
  ),
  exchange(true, 6_667, 'NICK anna\r\nUSER anna 0 * :Anna\r\n', ':irc.example 001 anna :hi\r\n'),
  exchange(true, 8_080, http('/status', { host: 'app.example:8080' }), page('up')),
]

export const ordinary: readonly Traffic[] = [
  ...browsing(),
  ...searching(),
  ...calling(),
  ...moving(),
  ...longOnes(),
  ...answers(),
  ...naming(),
  ...talking(),
]
