// What the build leaves beside the files of the console: each one compressed, and the list of all that the gateway may serve.

import { createHash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** Anything else in the folder of the build is not served. */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Compressed already. */
const isDense = (ending: string): boolean => ending === '.png' || ending === '.woff2'

/** A shorter file fits into a packet or two as it is. */
const shortestCompressed = 1_024

interface ServedFile {
  readonly type: string
  readonly hash: string
  readonly codings: readonly ('br' | 'gzip')[]
}

export function servedFiles(): Plugin {
  let folder = ''
  return {
    name: 'served-files',
    apply: 'build',
    configResolved: ({ build }) => {
      folder = build.outDir
    },
    // After all other plugins, and not at all when the build failed.
    writeBundle: { order: 'post', sequential: true, handler: () => writeServedFiles(folder) },
  }
}

function writeServedFiles(folder: string): void {
  const files: Record<string, ServedFile> = {}
  for (const name of namesIn(folder).sort()) {
    const type = types[extname(name)]
    if (type === undefined || name.startsWith('.') || name === 'files.json') continue
    files[name] = writeCompressed(join(folder, name), type)
  }
  writeFileSync(join(folder, 'files.json'), `${JSON.stringify(files, null, 2)}\n`)
  openForReading(folder)
}

function writeCompressed(path: string, type: string): ServedFile {
  const bytes = readFileSync(path)
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  if (isDense(extname(path)) || bytes.length < shortestCompressed) return { type, hash, codings: [] }
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  return { type, hash, codings: ['br', 'gzip'] }
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))

/** Whatever the umask is: the account of the gateway reads them. */
function openForReading(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
  }
}
