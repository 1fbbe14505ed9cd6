// Colours are in tokens.css alone, and every pair of them that meets on a page can be read: contrast is computed again here from
// the values themselves, in both themes.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listSources, readSource, withoutComments } from './sources.ts'

const tokensFile = 'tokens/tokens.css'
const literal =
  /#[0-9a-f]{3,8}\b(?!-)|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(|:\s*(?:white|black|red|green|blue|gray|grey|orange|yellow|purple|silver)\b/i

type Colour = readonly [lightness: number, chroma: number, hue: number]
type Theme = 'light' | 'dark'

function readTokens(): ReadonlyMap<string, Readonly<Record<Theme, Colour>>> {
  const value = String.raw`oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)`
  const form = new RegExp(String.raw`--([a-z0-9-]+):\s*light-dark\(\s*${value},\s*${value}\s*\)`, 'g')
  return new Map(
    [...readSource(tokensFile).matchAll(form)].map(([, name = '', ...numbers]) => {
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers.map(Number)
      return [name, { light: [a, b, c], dark: [d, e, f] }] as const
    }),
  )
}

/** Linear light of sRGB (the matrices of the CSS Color specification). */
function linear([lightness, chroma, hue]: Colour): readonly [number, number, number] {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function luminance(colour: Colour): number {
  const [red, green, blue] = linear(colour)
  const clip = (part: number): number => Math.min(1, Math.max(0, part))
  return 0.2126 * clip(red) + 0.7152 * clip(green) + 0.0722 * clip(blue)
}

function contrast(one: Colour, other: Colour): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

const surfaces = ['bg-0', 'bg-1', 'bg-2']
const states = ['accent', 'ok', 'warn', 'bad', 'kept']

/** What is seen on what, and by how much it must differ. */
const pairs: readonly (readonly [front: string, backs: readonly string[], least: number])[] = [
  ['text-1', [...surfaces, 'bg-3'], 7],
  ['text-2', surfaces, 4.5],
  ['text-3', [...surfaces, 'bg-3'], 4.5],
  ['line-2', surfaces, 3],
  ['focus', surfaces, 3],
  ['accent-on', ['accent-solid'], 4.5],
  ['bad-on', ['bad-solid'], 4.5],
  ...states.map((state) => [`${state}-text`, [...surfaces, `${state}-soft`], 4.5] as const),
  ...states.filter((state) => state !== 'accent').map((state) => [`${state}-mark`, surfaces, 3] as const),
]

describe('the colours of the console', () => {
  it('are in tokens.css alone', () => {
    const files = [...listSources('**/*.css'), ...listSources('**/*.{ts,tsx}')].filter((file) => file !== tokensFile)
    const wrong = files.flatMap((file) =>
      withoutComments(readSource(file))
        .split('\n')
        .filter((line) =>
          file.endsWith('.css')
            ? literal.test(line)
            : /['"`](?:#[0-9a-f]{3,8}|(?:rgba?|hsla?|oklch)\([^'"`]*)['"`]/i.test(line),
        )
        .map((line) => `${file}: ${line.trim()}`),
    )
    assert.deepEqual(wrong, [])
  })

  const tokens = readTokens()
  const of = (name: string, theme: Theme): Colour => {
    const colours = tokens.get(name)
    assert.ok(colours, `tokens.css has no ${name} for light and dark`)
    return colours[theme]
  }

  for (const theme of ['light', 'dark'] as const) {
    it(`can be told apart in the ${theme} theme`, () => {
      const faint = pairs.flatMap(([front, backs, least]) =>
        backs.flatMap((back) => {
          const ratio = contrast(of(front, theme), of(back, theme))
          return ratio >= least ? [] : [`${front} on ${back}: ${ratio.toFixed(2)} of ${least}`]
        }),
      )
      assert.deepEqual(faint, [])
    })

    it(`are colours of sRGB in the ${theme} theme`, () => {
      const outside = [...tokens].filter(([, colours]) =>
        linear(colours[theme]).some((part) => part < -0.002 || part > 1.002),
      )
      assert.deepEqual(
        outside.map(([name]) => name),
        [],
      )
    })
  }
})
