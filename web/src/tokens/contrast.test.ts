// Recomputes the contrast of every pair of colours that the design allows, from tokens.css itself.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

type Colour = readonly [number, number, number]

const source = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const one = String.raw`oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)`
const pattern = new RegExp(String.raw`--([\w-]+): light-dark\(${one}, ${one}\)`, 'g')

const tokens = new Map(
  [...source.matchAll(pattern)].map(([, name = '', ...numbers]) => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers.map(Number)
    return [name, { light: [a, b, c] as Colour, dark: [d, e, f] as Colour }]
  }),
)

/** Linear sRGB of an OKLCH colour. */
function linearOf([lightness, chroma, hue]: Colour): readonly number[] {
  const angle = (hue * Math.PI) / 180
  const a = chroma * Math.cos(angle)
  const b = chroma * Math.sin(angle)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function luminanceOf(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = linearOf(colour).map((part) => Math.min(1, Math.max(0, part)))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(a: Colour, b: Colour): number {
  const [dark = 0, light = 0] = [luminanceOf(a), luminanceOf(b)].toSorted((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

const surfaces = ['bg-0', 'bg-1', 'bg-2']
const tones = ['accent', 'ok', 'warn', 'bad', 'kept']

const pairs: readonly (readonly [string, string, number])[] = [
  ...surfaces.flatMap((bg): readonly (readonly [string, string, number])[] => [
    ['text-1', bg, 12.2],
    ['text-2', bg, 6.1],
    ['text-3', bg, 4.5],
    ...tones.map((tone) => [`${tone}-text`, bg, 4.5] as const),
    ['line-2', bg, 3],
    ['focus', bg, 3],
    ...['ok', 'warn', 'bad', 'kept'].map((tone) => [`${tone}-mark`, bg, 3] as const),
    ['accent-solid', bg, 3],
  ]),
  ['text-1', 'bg-3', 7],
  ['text-3', 'bg-3', 4.5],
  ...tones.map((tone) => [`${tone}-text`, `${tone}-soft`, 4.5] as const),
  ...tones.map((tone) => ['text-1', `${tone}-soft`, 7] as const),
  ['accent-on', 'accent-solid', 4.5],
  ['bad-on', 'bad-solid', 4.5],
  ['accent-solid', 'accent-soft', 3],
  ...[1, 2, 3, 4, 5, 6].map((index) => [`series-${index}`, 'bg-1', 3] as const),
]

describe('contrast of the tokens', () => {
  it('finds all colours of the design', () => {
    assert.equal(tokens.size, 34)
  })

  for (const [front, back, least] of pairs) {
    for (const theme of ['light', 'dark'] as const) {
      it(`${front} on ${back}, ${theme}: at least ${least}`, () => {
        const a = tokens.get(front)
        const b = tokens.get(back)
        assert.ok(a && b, `${front} and ${back} must be in tokens.css`)
        const contrast = contrastOf(a[theme], b[theme])
        assert.ok(contrast >= least, `it is ${contrast.toFixed(2)}`)
      })
    }
  }

  it('stays inside sRGB', () => {
    for (const [name, { light, dark }] of tokens) {
      for (const part of [...linearOf(light), ...linearOf(dark)]) {
        assert.ok(part > -0.003 && part < 1.003, `${name} leaves sRGB: ${part}`)
      }
    }
  })
})
