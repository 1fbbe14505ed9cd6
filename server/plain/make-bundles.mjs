// Makes the bundles that are missing or older than their sources. Arguments: the address of the bundler, and `portable` when the
// sources will be copied elsewhere. Run by scripts/lib/plain.mjs and for packages, on the pinned runtime. Without the bundler, which
// comes with the console's build, everything runs from plain copies.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleOf, entryName, findBundle, listName, programs, sumOf } from './bundles.mjs'
import { findStore } from './store.mjs'
import { namesName, recordBytes, tableName } from './traces.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [bundler, portable] = process.argv.slice(2)
const { rolldown } = await import(bundler)

// Every account of the gateway reads the bundles.
process.umask(0o022)

async function make(program) {
  const begun = Date.now()
  const draft = join(findStore(), `bundle.${process.pid}`)
  /** Of each source, the sum of what went into the bundle: the file may have been changed since. */
  const sums = new Map(makers().map((path) => [path, sumOf(readFileSync(path))]))
  const build = await rolldown({
    input: { [entryName.replace('.mjs', '')]: join(root, program) },
    cwd: root,
    platform: 'node',
    external: /^node:/,
    // Nothing that a source says may be left out because it looks unused.
    treeshake: false,
    logLevel: 'silent',
    plugins: [noteSums(sums), leaveLazyPackages, placeSources(draft)],
  })
  const { output } = await build.generate({
    dir: draft,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
    sourcemap: 'hidden',
    comments: false,
    keepNames: true,
  })
  await build.close()
  const chunks = output.filter(({ type }) => type === 'chunk')
  const sources = chunks.flatMap(({ moduleIds }) => moduleIds).filter((path) => path.startsWith(root))
  const described = [...sources.toSorted(), ...makers()].map((path) => describe(path, sums.get(path), begun))
  const list = { folder: '', sources: described }
  list.folder = `bundle-${sumOf(JSON.stringify([program, list.sources.map(({ path, sum }) => [path, sum])]))}`
  keep(program, list, chunks, draft)
}

/** What else decides what is in a bundle: this file, and the version and place of every package. */
function makers() {
  const installed = join(root, 'node_modules', '.package-lock.json')
  return [fileURLToPath(import.meta.url), ...(existsSync(installed) ? [installed] : [])]
}

const noteSums = (sums) => ({
  name: 'note-sums',
  transform(code, path) {
    sums.set(path, sumOf(code))
    return null
  },
})

/** A package that a source imports when it needs it stays where it is. */
const leaveLazyPackages = {
  name: 'leave-lazy-packages',
  resolveId: (name, _importer, { kind }) =>
    kind === 'dynamic-import' && /^[a-z@]/.test(name) ? { id: name, external: true } : null,
}

/** What `import.meta` says in a source: seen from the folder of the bundle, which is as deep as every other. */
function placeSources(folder) {
  return {
    name: 'place-sources',
    transform(code, path) {
      if (!path.endsWith('.ts') || !code.includes('import.meta')) return null
      if (/\bimport\.meta\.(?!(?:url|dirname|main)\b)/.test(code))
        throw new Error(`${path}: only url, dirname and main of import.meta are known.`)
      const place = JSON.stringify(relative(folder, path))
      const at = `new URL(${place}, import.meta.url)`
      const above = `process.getBuiltinModule('node:path').dirname(process.getBuiltinModule('node:url').fileURLToPath(${at}))`
      const placed = code
        .replaceAll(/\bimport\.meta\.url\b/g, `${at}.href`)
        .replaceAll(/\bimport\.meta\.dirname\b/g, above)
        .replaceAll(/\bimport\.meta\.main\b/g, 'false')
      return { code: placed, map: null }
    },
  }
}

/** A change in the same moment would leave the time as it is, so a file that is as new as that is compared by its text. */
function describe(path, sum, begun) {
  const { ctimeMs, size } = statSync(path)
  const isSettled = portable === undefined && begun - ctimeMs > 2_000
  return { path: relative(root, path), sum, changed: isSettled ? ctimeMs : 0, size }
}

/** The list comes last and everything is on the disk before it: what it names is whole. */
function keep(program, list, chunks, draft) {
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft)
  for (const { fileName, code, map } of chunks) {
    // A file that only hands on what others have has no lines of a source.
    const { mappings, sources } = map ?? { mappings: '', sources: [] }
    write(join(draft, fileName), inAscii(takeFromRuntime(code)))
    write(join(draft, tableName(fileName)), lineTable(mappings))
    write(join(draft, namesName(fileName)), JSON.stringify(sources.map((path) => relative(root, join(draft, path)))))
  }
  moveFolder(draft, join(findStore(), list.folder))
  markReplaced(program, list.folder)
  write(draft, JSON.stringify(list))
  renameSync(draft, join(findStore(), listName(program)))
}

/** Processes that were started from the bundle until now import parts of it later, so its last day begins now. */
function markReplaced(program, folder) {
  const now = new Date()
  try {
    utimesSync(join(findStore(), bundleOf(findStore(), program) ?? folder), now, now)
  } catch {
    // It is gone, or of root: then it stays for as long as it would have.
  }
}

/** Another set-up may have made the same one at the same time. */
function moveFolder(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
    rmSync(from, { recursive: true })
  }
}

const write = (path, content) => writeFileSync(path, content, { mode: 0o644, flush: true })

/**
 * An import of a module of the runtime reads every name that it offers, and some of them load megabytes that no one asked for: the
 * names of `node:http` load a whole client. Asked for in this way, a module gives what was asked for alone.
 */
function takeFromRuntime(code) {
  const taken = (names, module) => `const ${names} = process.getBuiltinModule(${module});`
  return code
    .replaceAll(/^import ("node:[\w/]+");$/gm, '')
    .replaceAll(/^import \* as ([\w$]+) from ("node:[\w/]+");$/gm, (_, name, module) => taken(name, module))
    .replaceAll(/^import (\{ [^}]+ \}) from ("node:[\w/]+");$/gm, (_, names, module) =>
      taken(names.replaceAll(' as ', ': '), module),
    )
    .replace(
      'var __require = (() => createRequire(import.meta.url))();',
      'var __require = (name) => process.getBuiltinModule(name) ?? createRequire(import.meta.url)(name);',
    )
}

/** A text with one letter beyond Latin would take twice the memory. Escapes mean the same in texts, templates and patterns. */
const inAscii = (code) =>
  code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** From a source map: of the parts of each line the first one that has a source. */
function lineTable(mappings) {
  const lines = mappings.split(';')
  const table = Buffer.alloc(lines.length * recordBytes)
  // Every number is the difference to the one before it.
  let source = 0
  let line = 0
  for (const [index, parts] of lines.entries()) {
    let isFirst = true
    for (const [, toSource, toLine] of parts.split(',').map(readNumbers)) {
      if (toSource === undefined) continue
      source += toSource
      line += toLine
      if (isFirst) table.writeUInt32LE(source + 1, index * recordBytes)
      if (isFirst) table.writeUInt32LE(line + 1, index * recordBytes + 4)
      isFirst = false
    }
  }
  return table
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Five bits a letter, the lowest first; the sixth says that more follow, and the lowest bit of the number is its sign. */
function readNumbers(text) {
  const numbers = []
  let value = 0
  let shift = 0
  for (const letter of text) {
    const digit = digits.indexOf(letter)
    value |= (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    numbers.push(value & 1 ? -(value >> 1) : value >> 1)
    value = 0
    shift = 0
  }
  return numbers
}

for (const program of programs)
  if (existsSync(join(root, program)) && findBundle(findStore(), program) === null) await make(program)
