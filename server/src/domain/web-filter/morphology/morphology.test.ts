// What counts as a word of a dictionary on a page, in every form that a page can have it; and that a page costs time by its
// length alone.
// Requirement 69.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { CompiledDictionaries, type WordDictionary } from './dictionaries.ts'
import { HtmlText } from './html-text.ts'
import { canJudge, PageJudge } from './page-judge.ts'
import { stemOf } from './stems.ts'
import { WordReader, wordsOf } from './words.ts'

const compile = (...dictionaries: WordDictionary[]) =>
  CompiledDictionaries.compile(dictionaries, () => Promise.resolve())
const dictionary = (threshold: number, words: Readonly<Record<string, number>>, id = 'd1'): WordDictionary => ({
  id,
  title: id,
  threshold,
  words: Object.entries(words).map(([value, weight]) => ({ value, weight })),
})

interface Sent {
  readonly type?: string
  readonly encoding?: string | null
  readonly step?: number
}

/** The id of the dictionary that a page reaches; the body comes in pieces of `step` bytes. */
async function judge(all: readonly WordDictionary[], page: string | Buffer, sent: Sent = {}): Promise<string | null> {
  const head = { contentType: sent.type ?? 'text/html; charset=utf-8', contentEncoding: sent.encoding ?? null }
  const one = new PageJudge(await compile(...all), head)
  const body = Buffer.from(page)
  for (let at = 0; at < body.length; at += sent.step ?? 65_536)
    await one.push(body.subarray(at, at + (sent.step ?? 65_536)))
  await one.end()
  one.close()
  return one.reached?.id ?? null
}

const casino = [dictionary(100, { казино: 20, 'buy cocaine': 50 })]
const five = (text: string) => `${text} `.repeat(5)

/** Letters of the Russian alphabet as one byte each. */
const as1251 = (text: string) =>
  Buffer.from([...text].map((one) => (one.charCodeAt(0) < 128 ? one.charCodeAt(0) : one.charCodeAt(0) - 0x410 + 0xc0)))

describe('stems', () => {
  it('are those of Snowball', () => {
    // From the sample vocabularies of the Snowball project.
    const samples: Readonly<Record<string, string>> = {
      вавиловка: 'вавиловк',
      вагнера: 'вагнер',
      важная: 'важн',
      важнейшими: 'важн',
      важничал: 'важнича',
      вальсе: 'вальс',
      петербургского: 'петербургск',
      поверить: 'повер',
      подобострастие: 'подобостраст',
      приятельницы: 'приятельниц',
      consign: 'consign',
      consigned: 'consign',
      consistency: 'consist',
      consolations: 'consol',
      conspiracies: 'conspiraci',
      knavish: 'knavish',
      knees: 'knee',
      knightly: 'knight',
      knots: 'knot',
      generously: 'generous',
      skis: 'ski',
    }
    for (const [word, stem] of Object.entries(samples)) assert.equal(stemOf(word), stem, word)
  })
})

describe('words', () => {
  it('are read as a person sees them', () => {
    assert.deepEqual(wordsOf('Ёлка-ИГОЛКА'), ['елка', 'иголка'])
    assert.deepEqual(wordsOf('каз\u00adино ка\u200bзи\u2060но ка\u0301зино'), ['казино', 'казино', 'казино'])
    assert.deepEqual(wordsOf('\u0438\u0306од ＣＡＳＩＮＯ 𝐜𝐚𝐬𝐢𝐧𝐨 café'), ['йод', 'casino', 'casino', 'cafe'])
    assert.deepEqual(wordsOf("casino's don’t 'quoted'"), ["casino's", "don't", 'quoted'])
  })

  it('have letters of one alphabet where some only look alike', () => {
    assert.deepEqual(wordsOf('кaзинo KАЗИНO'), ['казино', 'казино'])
    assert.deepEqual(wordsOf('сosmic'), ['cosmic'])
    assert.deepEqual(wordsOf('жdи'), ['жdи'])
    assert.deepEqual(wordsOf('cop сор'), ['cop', 'сор'])
  })

  it('longer than any of a dictionary are not words', () => {
    assert.deepEqual(wordsOf(`${'a'.repeat(65)} b`), ['', 'b'])
  })
})

describe('scores', () => {
  it('add up over every form and every occurrence, until the threshold', async () => {
    assert.equal(await judge(casino, five('казино')), 'd1')
    assert.equal(await judge(casino, 'казино казином КАЗИНО казине'), null)
    assert.equal(await judge(casino, 'казино казина КАЗИНО казине казину'), 'd1')
  })

  it('of threshold 0 are reached by any word with a weight', async () => {
    const zero = [dictionary(0, { heavy: 1, free: 0 })]
    assert.equal(await judge(zero, 'a heavy page'), 'd1')
    assert.equal(await judge(zero, 'a free page'), null)
  })

  it('count phrases as runs of stems, inside of each other and over hyphens', async () => {
    const phrases = [dictionary(100, { 'drug dealer': 60, dealer: 20, 'small drug dealer': 20, 'онлайн-казино': 100 })]
    assert.equal(await judge(phrases, 'small drugs dealers'), 'd1')
    assert.equal(await judge(phrases, 'drug addict and dealer'), null)
    assert.equal(await judge(phrases, 'лучшие онлайн <b>казино</b>'), 'd1')
  })

  it('count two forms of one word in a dictionary once, with the larger weight', async () => {
    assert.equal(await judge([dictionary(60, { казино: 20, казина: 30 })], 'казино'), null)
    assert.equal(await judge([dictionary(60, { казино: 20, казина: 30 })], 'казино казино'), 'd1')
  })

  it('are separate for each dictionary', async () => {
    const two = [dictionary(100, { one: 99, two: 1 }, 'a'), dictionary(100, { one: 1, two: 100 }, 'b')]
    assert.equal(await judge(two, 'one'), null)
    assert.equal(await judge(two, 'two'), 'b')
    assert.equal(await judge(two, 'one one'), 'a')
  })

  it('agree with a plain count (property)', async () => {
    const word = fc.constantFrom('красный', 'красная', 'дом', 'дома', 'house', 'houses', 'big', 'мир')
    const phrase = fc.array(word, { minLength: 1, maxLength: 3 })
    const stems = (words: readonly string[]) => words.map(stemOf).join(' ')
    const property = fc.asyncProperty(
      fc.array(fc.tuple(phrase, fc.integer({ min: 0, max: 9 })), { maxLength: 6 }),
      fc.array(word, { maxLength: 30 }),
      fc.integer({ min: 0, max: 40 }),
      async (entries, page, threshold) => {
        const weights = new Map<string, number>()
        for (const [words, weight] of entries)
          weights.set(stems(words), Math.max(weight, weights.get(stems(words)) ?? 0))
        const sum = [...weights].reduce((total, [entry, weight]) => {
          const length = entry.split(' ').length
          const ends = page.filter(
            (_, at) => stems(page.slice(at, at + length)) === entry && at + length <= page.length,
          )
          return total + weight * ends.length
        }, 0)
        const one = {
          id: 'd',
          title: 'd',
          threshold,
          words: entries.map(([words, weight]) => ({ value: words.join(' '), weight })),
        }
        const reached = await judge([one], page.join('<br>'))
        assert.equal(reached !== null, threshold === 0 ? sum > 0 : sum >= threshold)
      },
    )
    await fc.assert(property, { numRuns: 300 })
  })
})

describe('the text of a page', () => {
  const textOf = (html: string, step = html.length) => {
    const words: string[] = []
    const attributes: string[] = []
    const reader = new HtmlText(new WordReader((one) => words.push(one)), new WordReader((one) => attributes.push(one)))
    for (let at = 0; at < html.length; at += step) reader.push(html.slice(at, at + step))
    reader.end()
    return [words.join(' '), attributes.join(' ')]
  }

  const cases: readonly (readonly [string, string, string])[] = [
    ['<p>one</p>two<br>three', 'one two three', ''],
    ['ca<b>si</b>no ca<!-- x -->si<span class="y">no</span>', 'casino casino', ''],
    ['a<script>var b = "</scr" + "ipt>"</script >c<style>p{}</style>d', 'a c d', ''],
    [
      '<img alt="one &amp; two" src="three"><meta name=description content=four><a title=\'five\'>six</a>',
      'six',
      'one two four five',
    ],
    ['&#1082;&#x430;&#x0000437;&icy;&ncy;&ocy; ca&shy;si&#8203no', 'казино casino', ''],
    ['<!DOCTYPE html><!-->a <!--->b <!-- > c --!>d <?x e>f </ g>h', 'a b d f h', ''],
    ['a < b <3 c', 'a b 3 c', ''],
    ['<a href="x>y">z</a> <a b = "c>d" e>f</a>', 'z f', ''],
    ['<svg><style></svg>seen', 'seen', ''],
    ['<plain', '', ''],
  ]
  it('leaves out tags, scripts, styles and comments', () => {
    for (const [html, text, attributes] of cases) assert.deepEqual(textOf(html), [text, attributes], html)
  })

  it('is the same in pieces of any size', () => {
    for (const [html] of cases)
      for (const step of [1, 2, 3, 7]) assert.deepEqual(textOf(html, step), textOf(html), html)
  })

  it('cannot be hidden behind elements whose content is not markup', () => {
    for (const name of ['title', 'textarea', 'noscript', 'iframe', 'noframes'])
      assert.match(textOf(`<${name}><script></${name}>seen`)[0] ?? '', /\bseen$/, name)
  })

  it('never fails on any text (property)', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('<', '>', '</', '<!--', '-->', '&', '&#x', '"', "'", '=', '<script>', '<svg>'),
    )
    fc.assert(fc.property(fc.array(part), (parts) => void textOf(parts.join(''))))
  })

  it('costs work by its length alone', () => {
    const cpu = (html: string) => {
      const start = process.cpuUsage()
      textOf(html)
      const { user, system } = process.cpuUsage(start)
      return user + system
    }
    for (const part of ['<', '&', '<!-', '<a b="', '&#0', '</script', '<script>', '-']) {
      const small = part.repeat(Math.ceil(50_000 / part.length))
      textOf(small)
      // Ten times the text; a quadratic reading would take a hundred times as long.
      assert.ok(cpu(small.repeat(10)) < 40 * Math.max(5_000, cpu(small)), part)
    }
  })
})

describe('encodings', () => {
  const page = `<html><body>${'<p>обычный текст</p>'.repeat(300)}${five('казино')}</body></html>`
  const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }

  it('of the content are undone, in pieces', async () => {
    for (const [encoding, encode] of Object.entries(codings))
      for (const step of [1, 100, 65_536])
        assert.equal(await judge(casino, encode(page), { encoding, step }), 'd1', encoding)
    assert.equal(await judge(casino, deflateRawSync(page), { encoding: 'deflate' }), 'd1')
    assert.equal(await judge(casino, brotliCompressSync(gzipSync(page)), { encoding: 'gzip, br' }), 'd1')
  })

  it('of characters are those of the header, the mark, the page or the bytes', async () => {
    const bytes = as1251(page)
    assert.equal(await judge(casino, bytes, { type: 'text/html; charset=windows-1251' }), 'd1')
    assert.equal(await judge(casino, bytes, { type: 'text/html' }), 'd1')
    assert.equal(await judge(casino, bytes, { type: 'text/html', step: 10 }), 'd1')
    assert.equal(await judge(casino, page, { type: 'text/html' }), 'd1')
    const meta = Buffer.concat([Buffer.from('<meta http-equiv=x content="text/html; charset=windows-1251">'), bytes])
    assert.equal(await judge(casino, meta, { type: 'text/html' }), 'd1')
    const koi = new Map([...'казино'].map((one, at) => [one, [0xcb, 0xc1, 0xda, 0xc9, 0xce, 0xcf][at] ?? 0]))
    const koiPage = Buffer.from([...five('казино')].map((one) => koi.get(one) ?? one.charCodeAt(0)))
    assert.equal(await judge(casino, koiPage, { type: 'text/html; charset="koi8-r"' }), 'd1')
    const wide = Buffer.from(`\ufeff${page}`, 'utf16le')
    for (const step of [7, 65_536]) assert.equal(await judge(casino, wide, { type: 'text/html', step }), 'd1')
    assert.equal(await judge(casino, wide.swap16(), { type: 'text/html' }), 'd1')
  })

  it('that unpack to gigabytes are cut at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
    const one = new PageJudge(await compile(...casino), { contentType: 'text/html', contentEncoding: 'gzip' }, 100_000)
    await one.push(bomb)
    assert.equal(one.isOver, true)
    assert.equal(one.reached, null)
  })

  it('that are damaged or unknown break nothing', async () => {
    assert.equal(await judge(casino, 'no gzip at all', { encoding: 'gzip' }), null)
    assert.equal(await judge(casino, gzipSync(page).subarray(0, 40), { encoding: 'gzip' }), null)
    assert.equal(await judge(casino, page, { type: 'text/html; charset=nonsense' }), 'd1')
    assert.equal(canJudge({ contentType: 'text/html', contentEncoding: 'rot13' }), false)
    assert.equal(canJudge({ contentType: 'image/png', contentEncoding: null }), false)
  })
})
