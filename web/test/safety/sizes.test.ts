// What a browser loads before a page can be used: the static graph of the shell and of each page, from the manifest of the build,
// as gzip. Budgets are bytes, so the speed of the machine decides nothing.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { listSources, readSource, repository } from './sources.ts'

const built = join(repository, 'web', 'dist')
const kilobyte = 1000
const limits = { route: 350, warn: 300, shell: 210, css: 30, fonts: 85 } as const

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

const manifest = existsSync(join(built, '.vite/manifest.json'))
  ? (JSON.parse(readFileSync(join(built, '.vite/manifest.json'), 'utf8')) as Readonly<Record<string, Chunk>>)
  : null

const sizes = new Map<string, number>()

function gzipSize(file: string): number {
  const known = sizes.get(file) ?? gzipSync(readFileSync(join(built, file)), { level: 9 }).length
  sizes.set(file, known)
  return known
}

/** All files that come with these modules, before anything is asked for later. */
function filesOf(chunks: Readonly<Record<string, Chunk>>, modules: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const files = new Set<string>()
  const add = (name: string): void => {
    const chunk = chunks[name]
    if (!chunk || seen.has(name)) return
    seen.add(name)
    files.add(chunk.file)
    for (const style of chunk.css ?? []) files.add(style)
    for (const imported of chunk.imports ?? []) add(imported)
  }
  for (const name of modules) add(name)
  return files
}

/** The modules that the page itself links: the shell. */
function shellOf(chunks: Readonly<Record<string, Chunk>>): readonly string[] {
  const page = readFileSync(join(built, 'index.html'), 'utf8')
  const linked = [...page.matchAll(/(?:src|href)="\/ui\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file)
  return Object.keys(chunks).filter((name) => linked.includes(chunks[name]?.file))
}

const total = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + gzipSize(file), 0) / kilobyte

interface PageModule {
  readonly path: string
  readonly module: string
}

/** Where a page is and which module it loads, as the lists of the areas say it. */
const pageModules = (): readonly PageModule[] =>
  listSources('pages/*/index.ts').flatMap((file) =>
    [...readSource(file).matchAll(/\bpath: '([^']+)'[\s\S]*?import\('([^']+)'\)/g)].map(
      ([, path = '', target = '']) => ({
        path,
        module: join('src', dirname(file), target),
      }),
    ),
  )

/** What shows pages that are made from the contract. */
const views = listSources('contract/render/**/*.tsx').map((file) => `src/${file}`)

const isFromContract = (module: string): boolean =>
  /\b(?:collection|ordered|settings|profile|status|actions)Page\(/.test(readSource(module.replace(/^src\//, '')))

describe('the first load', () => {
  it('is built', () => {
    assert.ok(manifest, 'run npm run web:build first')
  })
  if (!manifest) return
  const shell = shellOf(manifest)
  const contractView = views.filter((name) => name in manifest && name.endsWith('/contract-page.tsx'))

  it(`of the shell has at most ${limits.shell} kB`, (t) => {
    const size = total(filesOf(manifest, shell))
    t.diagnostic(`shell: ${size.toFixed(1)} kB`)
    assert.ok(size <= limits.shell, `the shell has ${size.toFixed(1)} kB`)
  })

  it(`of every page has at most ${limits.route} kB`, (t) => {
    const modules = pageModules()
    assert.ok(modules.length > 0)
    const missing = modules.filter(({ module }) => !(module in manifest))
    assert.deepEqual(missing, [], 'pages that are not loaded on demand, or not built')
    const rows = modules
      .map(({ path, module }) => {
        const parts = [...shell, module, ...(isFromContract(module) ? contractView : [])]
        return { path, size: total(filesOf(manifest, parts)) }
      })
      .toSorted((a, b) => b.size - a.size)
    for (const { path, size } of rows.slice(0, 12)) t.diagnostic(`${size.toFixed(1).padStart(7)} kB  ${path}`)
    const heavy = rows.filter(({ size }) => size > limits.warn)
    if (heavy.length > 0) t.diagnostic(`above ${limits.warn} kB: ${heavy.map(({ path }) => path).join(', ')}`)
    assert.deepEqual(
      rows.filter(({ size }) => size > limits.route),
      [],
    )
  })

  it(`has at most ${limits.css} kB of style and ${limits.fonts} kB of fonts`, (t) => {
    const names = Object.keys(
      JSON.parse(readFileSync(join(built, 'files.json'), 'utf8')) as Readonly<Record<string, unknown>>,
    )
    const styles = total(names.filter((name) => name.endsWith('.css')))
    const fonts = total(names.filter((name) => name.endsWith('.woff2')))
    t.diagnostic(`all styles ${styles.toFixed(1)} kB, all fonts ${fonts.toFixed(1)} kB`)
    const first = total([...filesOf(manifest, shell)].filter((name) => name.endsWith('.css')))
    assert.ok(first <= limits.css, `the first style has ${first.toFixed(1)} kB`)
    assert.ok(fonts <= limits.fonts, `the fonts have ${fonts.toFixed(1)} kB`)
  })
})
