// The import table of docs/ARCHITECTURE.md as a test: what may live where, and import what. Each row says why.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'

const source = join(import.meta.dirname, '..', '..', 'src')

interface Row {
  /** Files this row is about, as a pattern over paths below server/src. */
  readonly files: RegExp
  /** What they may import: paths below server/src, or package names. */
  readonly may: readonly RegExp[]
  readonly because: string
}

const own = /^areas\/[^/]+\//
const types = [/^plan\/(artifacts|facts)\.ts$/, /^(contract|model)\//]

/** The first row whose pattern fits a file judges it; a file no row fits fails the test. */
const table: readonly Row[] = [
  { files: /^areas\/index\.ts$/, may: [own, /^http\/handle\.ts$/], because: 'it is only the list' },
  {
    files: /^areas\/[^/]+\/contract(-[a-z-]+)?\.ts$/,
    may: [/^contract\//, /^net\//, /^typebox$/, own],
    because: 'the console and the CLI load contracts, so they must pull in nothing else',
  },
  {
    files: /^areas\/[^/]+\/status\.ts$/,
    may: [own, /^(engines|system)\//, /^http\/handle\.ts$/, ...types],
    because: 'a status tells what was read, it never changes or applies',
  },
  {
    files: /^areas\/[^/]+\/(routes|jobs)(-[a-z-]+)?\.ts$|^areas\/[^/]+\/(index|token)\.ts$/,
    may: [
      own,
      /^http\/(handle|routes)\.ts$/,
      /^(policy|net|signatures)\//,
      /^version\.ts$/,
      /^node:(crypto|timers\/promises)$/,
      /^jose$/,
      ...types,
    ],
    because: 'areas see the handler context, never Fastify, the store or the applier',
  },
  {
    files: /^areas\/[^/]+\/[^/]+\.ts$/,
    may: [own, /^(engines|net|render|policy|signatures)\//, /^config\/change\.ts$/, /^typebox$/, ...types],
    because: 'everything else in an area is pure: a clock, a file or a process in it could not be tested as data',
  },
  {
    files: /^contract\//,
    may: [/^contract\//, /^typebox$/],
    because: 'everything imports the wire contract and a browser bundles it, so it imports nothing',
  },
  {
    files: /^model\//,
    may: [/^model\//, /^contract\//, /^typebox$/],
    because: 'configuration as data: slots, lists, references and secrets know neither areas nor the machine',
  },
  {
    files: /^engines\//,
    may: [/^engines\//, /^plan\/artifacts\.ts$/],
    because: 'both sides of the socket read what an engine is, so it is data that imports nothing that runs',
  },
  {
    files: /^(render|net)\//,
    may: [/^(render|net)\//, /^plan\/artifacts\.ts$/, /^node:crypto$/],
    because: 'writers are pure and know no area',
  },
  {
    files: /^policy\//,
    may: [/^(policy|net|render|engines)\//, /^plan\/nft-piece\.ts$/, ...types],
    because: 'what a policy means, does and lacks is a pure function of it',
  },
  {
    files: /^signatures\//,
    may: [/^(signatures|net)\//],
    because: 'what a rule of the intrusion prevention engine says is a pure function of its text',
  },
  {
    files: /^trial\//,
    may: [/^trial\//, /^plan\/artifacts\.ts$/, /^node:/],
    because: 'a program of its own that applyd starts as root for a moment',
  },
  {
    files: /^plan\//,
    may: [/^plan\//, /^(contract|model)\//, /^node:crypto$/],
    because: 'a plan is a pure function of configuration and facts',
  },
  {
    files: /^config\//,
    may: [/^config\//, /^(contract|model)\//, /^plan\//, /^database\//, /^node:(crypto|util)$/],
    because: 'the one door knows neither areas nor HTTP',
  },
  {
    files: /^database\//,
    may: [/^database\//, /^contract\/error\.ts$/, /^node:sqlite$/],
    because: 'the file format belongs to nobody else',
  },
  {
    files: /^runtime\/backups\/ftp-upload\.ts$/,
    may: [/^runtime\//, /^basic-ftp$/, /^node:stream$/],
    because: 'one place speaks FTP',
  },
  {
    files: /^runtime\//,
    may: [/^runtime\//, /^(contract|model)\//, /^database\//, /^plan\/(artifacts|facts)\.ts$/, /^node:/],
    because: 'runtime state stands beside the configuration, not on it',
  },
  {
    files: /^http\/websocket\.ts$/,
    may: [/^http\//, /^contract\/error\.ts$/, /^ws$/, /^node:/],
    because: 'one place speaks WebSocket',
  },
  {
    files: /^http\//,
    may: [
      /^http\//,
      /^plan\/area\.ts$/,
      /^config\//,
      /^runtime\//,
      /^signatures\//,
      ...types,
      /^fastify$/,
      /^ajv$/,
      /^fast-json-stringify$/,
      /^typebox$/,
      /^asn1js$/,
      /^pkijs$/,
      /^node:/,
    ],
    because: 'HTTP neither renders nor applies, and knows areas only as routes',
  },
  {
    files: /^apply\//,
    may: [
      /^apply\//,
      /^plan\/artifacts\.ts$/,
      /^contract\/error\.ts$/,
      /^config\/engine\.ts$/,
      /^runtime\/logs\/log\.ts$/,
      /^applyd\/frames\.ts$/,
      /^node:(net|timers.*|events)$/,
    ],
    because: 'the client of applyd and the loop, nothing else',
  },
  {
    files: /^system\//,
    may: [/^system\//, /^(net|signatures|engines)\//, ...types, /^node:/],
    because: 'read-only eyes: nothing here may write or know areas',
  },
  {
    files: /^applyd\//,
    may: [
      /^(applyd|engines)\//,
      // Writers without any import of their own: configuration that applyd adds is quoted like that of a plan.
      /^render\/unbound\.ts$/,
      /^plan\/(artifacts|nft-piece)\.ts$/,
      /^contract\/error\.ts$/,
      /^node:/,
    ],
    because: 'the privileged process loads no npm package and no code that talks to the network',
  },
  {
    files: /^(launcher|lab)\//,
    may: [/^(launcher|lab)\//, /^plan\/artifacts\.ts$/, /^node:/],
    because: 'the launcher runs as root before anything else and must stay small',
  },
  { files: /^cli\//, may: [/./], because: 'the CLI is a client; what it may load is in its own test' },
  { files: /^(app|main|settings|version)\.ts$/, may: [/./], because: 'wiring' },
]

const importForm = /^(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*'([^']+)'|\bimport\('([^']+)'\)/gm

interface Import {
  readonly file: string
  readonly target: string
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(source, file), 'utf8')
  return [...text.matchAll(importForm)].map((match) => {
    const specifier = match[1] ?? match[2] ?? ''
    const target = specifier.startsWith('.') ? relative(source, join(source, dirname(file), specifier)) : specifier
    return { file, target }
  })
}

const files = globSync('**/*.ts', { cwd: source }).filter((file) => !/\.test\.ts$|\/stand-ins\//.test(file))

describe('the import table', () => {
  it('has a row for every file', () => {
    assert.deepEqual(
      files.filter((file) => !table.some((row) => row.files.test(file))),
      [],
    )
  })

  it('has no row without files', () => {
    assert.deepEqual(
      table.filter((row) => !files.some((file) => row.files.test(file))).map((row) => row.files),
      [],
    )
  })

  for (const row of table) {
    it(`${row.files} imports only what it may: ${row.because}`, () => {
      const wrong = files
        .filter((file) => table.find((candidate) => candidate.files.test(file)) === row)
        .flatMap(importsOf)
        .filter(
          ({ file, target }) => !row.may.some((pattern) => pattern.test(target) && isOwnArea(file, target, pattern)),
        )
        .map(({ file, target }) => `${file} -> ${target}`)
      assert.deepEqual(wrong, [])
    })
  }

  const cyclesBetween = (folderOf: (file: string) => string | null): string[] => {
    const edges = files.flatMap(importsOf).flatMap(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)]
      return from === null || to === null || from === to ? [] : [[from, to] as const]
    })
    const targets = Map.groupBy(edges, ([from]) => from)
    const reaches = (from: string, goal: string, seen: Set<string>): boolean =>
      (targets.get(from) ?? []).some(([, to]) => {
        if (to === goal) return true
        if (seen.has(to)) return false
        return reaches(to, goal, seen.add(to))
      })
    return [...targets.keys()].filter((folder) => reaches(folder, folder, new Set()))
  }

  it('has no cycle between folders', () => {
    assert.deepEqual(
      cyclesBetween((file) => /^([a-z]+)\//.exec(file)?.[1] ?? null),
      [],
    )
  })

  it('has no cycle between areas', () => {
    assert.deepEqual(
      cyclesBetween((file) => /^areas\/([a-z-]+)\//.exec(file)?.[1] ?? null),
      [],
    )
  })

  it('starts processes only where that belongs', () => {
    const starters = files.filter((file) => importsOf(file).some(({ target }) => target === 'node:child_process'))
    assert.deepEqual(
      starters.filter((file) => !/^(applyd|system|launcher|lab|cli|trial)\//.test(file)),
      [],
    )
  })

  it('never uses a shell', () => {
    const shells = files.filter((file) =>
      /shell:\s*true|\bexec(Sync)?\(|['"](?:\/bin\/)?(?:ba)?sh['"]/.test(
        readFileSync(join(source, file), 'utf8').replaceAll(/\.exec\(/g, ''),
      ),
    )
    assert.deepEqual(shells, [])
  })

  it('keeps applyd small, and what it knows of each engine as well', () => {
    const linesOf = (file: string): number => readFileSync(join(source, file), 'utf8').split('\n').length
    const core = files.filter((file) => /^applyd\/[^/]+$/.test(file)).reduce((sum, file) => sum + linesOf(file), 0)
    assert.ok(core < 3_400, `applyd has ${core} lines`)
    for (const file of files.filter((one) => one.startsWith('applyd/engines/')))
      assert.ok(linesOf(file) < 200, `${file} has ${linesOf(file)} lines`)
  })
})

/** From another area only public.ts and the wire contract may be used, by contracts only the latter. */
function isOwnArea(file: string, target: string, pattern: RegExp): boolean {
  if (pattern !== own) return true
  if (file === 'areas/index.ts') return target.endsWith('/index.ts')
  const [, area] = file.split('/')
  const [, other, name = ''] = target.split('/')
  if (area === other || name === 'contract.ts') return true
  return name === 'public.ts' && !/\/contract(-[a-z-]+)?\.ts$/.test(file)
}
