// What may live where in the console, and import what: the table that imports.test.ts enforces and docs/ARCHITECTURE.md shows.
// Patterns are those of the server's table; `server` is the contract that the server shares.

import { formOf } from '../../../server/test/architecture/import-table.ts'

export interface Row {
  /** The files this row is about, below web/src. */
  readonly code: string
  readonly may: readonly string[]
  readonly because: string
}

export const ownFolder = 'its own folder'
export const shared = '`@gateway/server/*`'
export const anything = 'anything'

/** The first row that fits a file judges it. */
export const importTable: readonly Row[] = [
  {
    code: 'ui/icons.ts',
    may: ['lucide-react', 'react'],
    because: 'one place says which icon stands for what',
  },
  {
    code: 'ui/',
    may: ['ui/', 'words.ts', 'react', 'react-dom', '@base-ui/', '@atlaskit/', '@tanstack/react-virtual'],
    because: 'components know neither the interface nor the pages',
  },
  {
    code: 'charts/',
    may: ['charts/', 'ui/', 'words.ts', 'react', 'uplot', 'uplot/'],
    because: 'drawing is loaded on demand',
  },
  { code: 'tokens/', may: ['tokens/'], because: 'colours, type and space depend on nothing' },
  {
    code: 'util/',
    may: ['util/', 'words.ts', shared, 'react'],
    because: 'small helpers that know neither calls nor components',
  },
  {
    code: 'api/',
    may: ['api/', 'ui/{toast.tsx,zone.ts}', 'util/', 'words.ts', shared, 'react', '@tanstack/react-query', 'typebox'],
    because: 'the only folder that calls the gateway',
  },
  {
    code: 'contract/',
    may: [
      'contract/',
      'api/',
      'ui/',
      'util/',
      '{words,place,page}.ts',
      shared,
      'react',
      '@tanstack/react-query',
      '@cfworker/json-schema',
    ],
    because: 'pages follow from the contract; they know neither areas nor the router',
  },
  { code: 'pages/index.ts', may: ['pages/*/index.ts', 'page.ts'], because: 'it is only the list' },
  {
    code: 'pages/',
    may: [
      ownFolder,
      'api/',
      'contract/',
      'ui/',
      'charts/',
      'util/',
      '{words,place,page}.ts',
      shared,
      'react',
      '@tanstack/react-query',
    ],
    because: 'pages of different areas never know each other, nor the shell',
  },
  {
    code: 'app/',
    may: [
      'app/',
      'api/',
      'contract/',
      'ui/',
      'util/',
      '{words,place,page}.ts',
      'pages/index.ts',
      shared,
      'react',
      '@tanstack/react-query',
      '@tanstack/react-router',
      '@base-ui/',
    ],
    because: 'the shell; only it knows the router',
  },
  {
    code: '{page,place,words}.ts',
    may: ['ui/moment.ts', 'ui/zone.ts', 'contract/define.ts', 'virtual:', '@lingui/', shared, 'react'],
    because: 'what all parts share',
  },
  { code: 'main.tsx', may: [anything], because: 'wiring' },
]

export const isFor = (row: Row, file: string): boolean => formOf(row.code).test(file)

/** `target` is a path below web/src, or the name of a package. */
export function isAllowed(pattern: string, file: string, target: string): boolean {
  if (pattern === anything) return true
  if (pattern === shared) return target.startsWith('@gateway/server/')
  if (pattern === ownFolder) return target.startsWith(`${file.split('/').slice(0, 2).join('/')}/`)
  if (pattern === 'virtual:') return target.startsWith(pattern)
  return formOf(pattern).test(target)
}

/** The table as docs/ARCHITECTURE.md shows it. */
export const importTableText = (): string =>
  [
    '| Code | May import | Because |',
    '|---|---|---|',
    ...importTable.map(
      ({ code, may, because }) =>
        `| \`${code}\` | ${may.map((one) => (one === ownFolder || one === shared || one === anything ? one : `\`${one}\``)).join(', ')} | ${because} |`,
    ),
  ].join('\n')
