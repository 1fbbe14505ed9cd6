// Rule files on this machine: those of the operator, those of the Debian package, and the starter set that comes with the
// product. Read when they change; a rule that cannot be used is skipped and reported, and the others are kept.

import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Catalogue, createCatalogue } from '../signatures/catalogue.ts'
import { classtypeNames, parseClassification } from '../signatures/names.ts'
import type { Rule, Source } from '../signatures/rule.ts'
import { readRules } from '../signatures/rule-file.ts'

export const starterFile = join(import.meta.dirname, '..', 'signatures', 'starter.rules')

/** Where the Debian packages of Suricata and its updater put rules. */
const packageFolders = ['/etc/suricata/rules', '/usr/share/suricata/rules', '/var/lib/suricata/rules']
const packageClassification = '/etc/suricata/classification.config'

const maxFileBytes = 256 * 1024 * 1024
const maxMessages = 20
/** Rules read at a stretch; requests are answered in between. */
const stretch = 500

export interface SignatureState {
  /** Where the operator puts rule files. */
  readonly folder: string
  /** Unix seconds of the newest file of a source, null when it has none. */
  readonly updatedAt: Readonly<Record<'standard' | 'advanced', number | null>>
  readonly messages: readonly string[]
}

export interface SignatureFiles {
  /** Reads the files when they are others than last time. */
  refresh(): Promise<void>
  current(): Catalogue
  state(): SignatureState
}

export interface SignaturePlaces {
  readonly folder: string
  readonly packageFolders?: readonly string[]
  readonly starter?: string
  readonly classification?: string
}

interface FoundFile {
  readonly path: string
  readonly source: Exclude<Source, 'custom'>
  readonly bytes: number
  readonly modified: number
}

interface Loaded {
  readonly catalogue: Catalogue
  readonly state: SignatureState
}

export function createSignatureFiles(places: SignaturePlaces): SignatureFiles {
  let seen = ''
  let loaded: Loaded = {
    catalogue: createCatalogue([]),
    state: { folder: places.folder, updatedAt: { standard: null, advanced: null }, messages: [] },
  }
  let reading: Promise<void> | null = null
  const read = async (): Promise<void> => {
    const files = await findFiles(places)
    const now = files.map(({ path, bytes, modified }) => `${path} ${bytes} ${modified}`).join('\n')
    if (now === seen) return
    loaded = await load(places, files)
    seen = now
  }
  return {
    refresh: () => {
      reading ??= read().finally(() => {
        reading = null
      })
      return reading
    },
    current: () => loaded.catalogue,
    state: () => loaded.state,
  }
}

/** The operator's first: of two rules with the same sid and revision the first one counts. */
async function findFiles(places: SignaturePlaces): Promise<FoundFile[]> {
  const folders = [
    { folder: places.folder, source: 'advanced' as const },
    ...(places.packageFolders ?? packageFolders).map((folder) => ({ folder, source: 'standard' as const })),
  ]
  const found = await Promise.all(
    folders.map(async ({ folder, source }) => {
      const names = await readdir(folder).catch(() => [])
      const paths = names.filter((name) => name.endsWith('.rules')).sort()
      return Promise.all(paths.map((name) => inspect(join(folder, name), source)))
    }),
  )
  const starter = await inspect(places.starter ?? starterFile, 'standard')
  return [...found.flat(), starter].filter((file) => file !== null)
}

async function inspect(path: string, source: FoundFile['source']): Promise<FoundFile | null> {
  const facts = await stat(path).catch(() => null)
  return facts?.isFile() ? { path, source, bytes: facts.size, modified: facts.mtimeMs } : null
}

async function load(places: SignaturePlaces, files: readonly FoundFile[]): Promise<Loaded> {
  const rules: Rule[] = []
  const faults: string[] = []
  for (const file of files) {
    const text = await textOf(file, faults)
    let count = 0
    for (const entry of readRules(text, file.source)) {
      if ('rule' in entry) rules.push(entry.rule)
      else faults.push(`${basename(file.path)}, line ${entry.line}: ${entry.message}`)
      if (++count % stretch === 0) await setImmediate()
    }
  }
  const classification = await readFile(places.classification ?? packageClassification, 'utf8').catch(() => '')
  const own = await readFile(join(places.folder, 'classification.config'), 'utf8').catch(() => '')
  // The package may know more groups than we do, but only the operator renames the well-known ones.
  const names = new Map([...parseClassification(classification), ...classtypeNames, ...parseClassification(own)])
  const left = faults.length - maxMessages
  return {
    catalogue: createCatalogue(rules, names),
    state: {
      folder: places.folder,
      updatedAt: { standard: newest(files, 'standard'), advanced: newest(files, 'advanced') },
      messages: left > 0 ? [...faults.slice(0, maxMessages), `${left} more lines cannot be used.`] : faults,
    },
  }
}

async function textOf(file: FoundFile, faults: string[]): Promise<string> {
  try {
    if (file.bytes > maxFileBytes) throw new Error('the file is larger than 256 MB')
    return await readFile(file.path, 'utf8')
  } catch (error) {
    faults.push(`${basename(file.path)} cannot be read: ${(error as Error).message}.`)
    return ''
  }
}

function newest(files: readonly FoundFile[], source: Source): number | null {
  const times = files.filter((file) => file.source === source).map((file) => file.modified / 1000)
  return times.length === 0 ? null : Math.max(...times)
}
