// Rule files on this machine: those of the operator, those of the Debian package, and the starter set that comes with the
// product. Read when they change; a rule that cannot be used is skipped and reported, and the others are kept.

import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Catalogue, createCatalogue } from '../../../domain/signatures/catalogue.ts'
import { classtypeNames, parseClassification } from '../../../domain/signatures/names.ts'
import { weakeningFault } from '../../../domain/signatures/refused.ts'
import type { Rule, Source } from '../../../domain/signatures/rule.ts'
import { readRules } from '../../../domain/signatures/rule-file.ts'
import { type SaidText, say } from '../../../shared/said.ts'

export const starterFile = join(import.meta.dirname, '..', '..', '..', 'domain', 'signatures', 'starter.rules')

/** Where the Debian packages of Suricata and its updater put rules. */
const packageFolders = ['/etc/suricata/rules', '/usr/share/suricata/rules', '/var/lib/suricata/rules']
const packageClassification = '/etc/suricata/classification.config'

const maxFileBytes = 256 * 1024 * 1024
const maxMessages = 20
/** Milliseconds of reading at a stretch; requests are answered in between. */
const stretch = 5

export interface SignatureState {
  /** Where the operator puts rule files. */
  readonly folder: string
  /** Unix seconds of the newest file of a source, null when it has none. */
  readonly updatedAt: Readonly<Record<'standard' | 'advanced', number | null>>
  readonly messages: readonly SaidText[]
  readonly isReading: boolean
  /** Why files were not read; empty when they were. */
  readonly fault: string
}

export interface SignatureFiles {
  /** Reads the files when they are others than last time. */
  refresh(): Promise<void>
  current(): Catalogue
  /** Rules of files that are in no archive. */
  ownRules(): readonly Rule[]
  state(): SignatureState
}

export interface SignaturePlaces {
  readonly folder: string
  readonly packageFolders?: readonly string[]
  readonly starter?: string
  readonly classification?: string
  /** Archives in use, whose rules are checked already. */
  readonly archives?: () => readonly { readonly rules: string; readonly classification: string }[]
  /** Texts of rules that the inspection engine does not take; another set when they are others. */
  readonly refused?: () => ReadonlySet<string>
}

interface FoundFile {
  readonly path: string
  readonly source: Exclude<Source, 'custom'>
  readonly isArchived: boolean
  readonly bytes: number
  readonly modified: number
}

interface Loaded {
  readonly rules: readonly Rule[]
  readonly ownRules: readonly Rule[]
  readonly names: ReadonlyMap<string, string>
  readonly messages: readonly SaidText[]
  readonly updatedAt: SignatureState['updatedAt']
}

const nothing: Loaded = {
  rules: [],
  ownRules: [],
  names: classtypeNames,
  messages: [],
  updatedAt: { standard: null, advanced: null },
}
const none: ReadonlySet<string> = new Set()

export function createSignatureFiles(places: SignaturePlaces): SignatureFiles {
  let seen: string | null = null
  let loaded = nothing
  let refused = none
  let catalogue = createCatalogue([])
  let fault = ''
  let reading: Promise<void> | null = null
  /** Something changed while files were read. */
  let isWanted = false
  const read = async (): Promise<void> => {
    const files = await findFiles(places)
    const now = files.map(({ path, bytes, modified }) => `${path} ${bytes} ${modified}`).join('\n')
    const nowRefused = places.refused?.() ?? none
    if (now !== seen) loaded = await load(places, files)
    else if (nowRefused === refused) return
    catalogue = createCatalogue(loaded.rules, loaded.names, nowRefused)
    refused = nowRefused
    seen = now
  }
  const readWanted = async (): Promise<void> => {
    try {
      do {
        isWanted = false
        await read()
      } while (isWanted)
      fault = ''
    } catch (error) {
      fault = say`Rule files could not be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`
      throw error
    }
  }
  return {
    refresh: () => {
      if (reading) isWanted = true
      reading ??= readWanted().finally(() => {
        reading = null
      })
      return reading
    },
    current: () => catalogue,
    ownRules: () => loaded.ownRules,
    state: () => {
      const { updatedAt, messages } = loaded
      return { folder: places.folder, updatedAt, messages, isReading: reading !== null, fault }
    },
  }
}

/** The operator's first: of two rules with the same sid and revision the first one counts. */
async function findFiles(places: SignaturePlaces): Promise<FoundFile[]> {
  const folders = [
    // Published sets have their files in a folder of this name.
    ...[places.folder, join(places.folder, 'rules')].map((folder) => ({ folder, source: 'advanced' as const })),
    ...(places.packageFolders ?? packageFolders).map((folder) => ({ folder, source: 'standard' as const })),
  ]
  const found = await Promise.all(
    folders.map(async ({ folder, source }) => {
      const names = await readdir(folder).catch(() => [])
      const paths = names.filter((name) => name.endsWith('.rules')).sort()
      return Promise.all(paths.map((name) => inspect(join(folder, name), source)))
    }),
  )
  const archives = places.archives?.() ?? []
  const archived = await Promise.all(archives.map(({ rules }) => inspect(rules, 'advanced', true)))
  const starter = await inspect(places.starter ?? starterFile, 'standard')
  return [...found.flat(), ...archived, starter].filter((file) => file !== null)
}

async function inspect(path: string, source: FoundFile['source'], isArchived = false): Promise<FoundFile | null> {
  const facts = await stat(path).catch(() => null)
  return facts?.isFile() ? { path, source, isArchived, bytes: facts.size, modified: facts.mtimeMs } : null
}

async function load(places: SignaturePlaces, files: readonly FoundFile[]): Promise<Loaded> {
  const rules: Rule[] = []
  const ownRules: Rule[] = []
  const faults: SaidText[] = []
  let began = performance.now()
  for (const file of files) {
    const text = await textOf(file, faults)
    for (const entry of readRules(text, file.source)) {
      const fault = 'rule' in entry ? weakeningFault(entry.rule) : entry.message
      if (fault !== null) faults.push(say`${basename(file.path)}, line ${entry.line}: ${fault}`)
      else if ('rule' in entry) {
        rules.push(entry.rule)
        if (!file.isArchived) ownRules.push(entry.rule)
      }
      if (performance.now() - began < stretch) continue
      await setImmediate()
      began = performance.now()
    }
  }
  const left = faults.length - maxMessages
  return {
    rules,
    ownRules,
    names: await groupNames(places),
    updatedAt: { standard: newest(files, 'standard'), advanced: newest(files, 'advanced') },
    messages: left > 0 ? [...faults.slice(0, maxMessages), say`${left} more lines cannot be used.`] : faults,
  }
}

/** Packages and archives may know more groups than we do, but only the operator's own file renames the well-known ones. */
async function groupNames(places: SignaturePlaces): Promise<ReadonlyMap<string, string>> {
  const read = async (path: string) => parseClassification(await readFile(path, 'utf8').catch(() => ''))
  const archived = await Promise.all((places.archives?.() ?? []).map(({ classification }) => read(classification)))
  const packaged = await read(places.classification ?? packageClassification)
  const own = [join(places.folder, 'rules'), places.folder].map((folder) => read(join(folder, 'classification.config')))
  return new Map([...archived, packaged, classtypeNames, ...(await Promise.all(own))].flatMap((names) => [...names]))
}

async function textOf(file: FoundFile, faults: string[]): Promise<string> {
  try {
    if (file.bytes > maxFileBytes) throw new Error('the file is larger than 256 MB')
    return await readFile(file.path, 'utf8')
  } catch (error) {
    const name = file.isArchived ? basename(dirname(file.path)) : basename(file.path)
    faults.push(say`${name} cannot be read: ${(error as Error).message}.`)
    return ''
  }
}

function newest(files: readonly FoundFile[], source: Source): number | null {
  const times = files.filter((file) => file.source === source).map((file) => file.modified / 1000)
  return times.length === 0 ? null : Math.max(...times)
}
