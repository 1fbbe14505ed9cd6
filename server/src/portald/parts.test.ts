// The small parts: cookies, languages, forms, colours, the settings file, pictures.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import decodeQR from 'qr/decode.js'
import { type PortalFile, parsePortalFile, printPortalFile } from '../engines/portal/settings-file.ts'
import { clearCookie, readCookie, setCookie } from './cookies.ts'
import { parseForm } from './forms.ts'
import { preferredLanguage } from './language.ts'
import { qrPicture } from './qr.ts'
import { inkOn, styleSheet } from './style.ts'
import { texts } from './texts.ts'

test('a cookie is read once or not at all', () => {
  assert.equal(readCookie('a=b; __Host-portal=abc; x', 'token'), 'abc')
  assert.equal(readCookie('__Host-portal-form=abc', 'token'), null)
  assert.equal(readCookie('__Host-portal=a; __Host-portal=b', 'token'), null)
  for (const value of ['', 'a b', 'a"b', 'ä', 'x'.repeat(513)])
    assert.equal(readCookie(`__Host-portal=${value}`, 'token'), null, value)
  assert.equal(readCookie(undefined, 'token'), null)
})

test('a cookie is set for this host alone, and a value never becomes an attribute', () => {
  assert.equal(setCookie('token', 'abc'), '__Host-portal=abc; Path=/; Secure; HttpOnly; SameSite=Strict')
  assert.equal(clearCookie('token'), '__Host-portal=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict')
  for (const value of ['a; Domain=x', 'a\r\nX: y', '']) assert.throws(() => setCookie('token', value), value)
})

test('the language is the first of the browser that the portal has', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', 'en'],
    ['ru-RU,ru;q=0.9,en;q=0.8', 'ru'],
    ['de, en;q=0.5, ru;q=0.7', 'ru'],
    ['ru;q=0, de', 'en'],
    ['*', 'en'],
    [`${'x,'.repeat(5000)}ru`, 'en'],
  ]
  for (const [header, language] of cases) assert.equal(preferredLanguage(header, 'en'), language, header)
})

test('every sentence exists in every language', () => {
  const shape = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shape(one)]))
      : typeof value === 'string'
        ? value.trim() !== ''
        : typeof value
  assert.deepEqual(shape(texts.ru), shape(texts.en))
  assert.doesNotMatch(JSON.stringify(shape(texts)), /false/)
})

test('a form has each field once', () => {
  const parse = (text: string) => parseForm(Buffer.from(text))
  assert.deepEqual(
    parse('a=1+2&b=%D1%8F&c'),
    new Map([
      ['a', '1 2'],
      ['b', 'я'],
      ['c', ''],
    ]),
  )
  assert.equal(parse('a=1&a=2'), 'malformed')
})

test('text on the colour of the administrator can be read', () => {
  assert.equal(inkOn('#ffffff'), '#000000')
  assert.equal(inkOn('#000000'), '#ffffff')
  assert.equal(inkOn('#ffee00'), '#000000')
  assert.equal(inkOn('#0a4f5a'), '#ffffff')
  assert.notEqual(styleSheet('#ffffff').path, styleSheet('#000000').path)
})

const file: PortalFile = {
  words: { ru: { text: 'x', title: '' }, en: { title: '"', text: '\n' } },
  language: 'en',
  accent: '#0a7f5a',
  host: 'portal.example',
  addresses: ['10.0.0.1'],
  timeZone: 'Etc/GMT+3',
}

test('the settings are read as they were printed, whatever the order of their fields', () => {
  assert.deepEqual(parsePortalFile(printPortalFile(file)), file)
  const { words, ...rest } = file
  assert.equal(printPortalFile({ ...rest, words: { en: words.en, ru: words.ru } }), printPortalFile(file))
})

test('settings of any other form are refused', () => {
  const others: readonly object[] = [
    { socket: '/run/x' },
    { accent: 'red' },
    { accent: '#fff;}' },
    { host: 'a/b' },
    { host: 'a:1' },
    { host: '-' },
    { addresses: ['::1'] },
    { addresses: '10.0.0.1' },
    { timeZone: '../etc' },
    { language: 'xx' },
    { words: { en: file.words.en } },
    { words: { ...file.words, de: file.words.en } },
    { words: [] },
    { words: { ...file.words, en: { title: 'x'.repeat(81), text: '' } } },
    { words: { ...file.words, en: 'x' } },
  ]
  for (const other of others)
    assert.equal(typeof parsePortalFile(JSON.stringify({ ...file, ...other })), 'string', JSON.stringify(other))
  for (const text of ['', 'null', '[]', '{', '{"language":"en"}']) assert.equal(typeof parsePortalFile(text), 'string')
})

test('the picture of a key holds the key, and nothing of it is in the markup', () => {
  const uri = 'otpauth://totp/Gateway:%D0%B0%22%3E?secret=JBSWY3DPEHPK3PXP&issuer=<b>'
  const picture = qrPicture(uri, 'a "title"')?.toString() ?? ''
  assert.doesNotMatch(picture, /otpauth|<b>/)
  assert.match(picture, /aria-label="a &quot;title&quot;"/)
  const size = Number(/viewBox="0 0 (\d+) /.exec(picture)?.[1])
  const scale = 4
  const data = new Uint8ClampedArray((size * scale) ** 2 * 4).fill(255)
  for (const [, x, y] of picture.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let dy = 0; dy < scale; dy++)
      for (let dx = 0; dx < scale; dx++) {
        const at = ((Number(y) * scale + dy) * size * scale + Number(x) * scale + dx) * 4
        data.fill(0, at, at + 3)
      }
  assert.equal(decodeQR({ width: size * scale, height: size * scale, data }), uri)
  assert.equal(qrPicture('x'.repeat(513), ''), null)
})
