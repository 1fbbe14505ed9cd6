// The files of the DNS server: which lines a plan may write, how unbound-checkconf reads them before they are used, and how
// the running server reloads changed ones.

import { join } from 'node:path'
import { readRegular, writeDurable } from '../../../shared/files/durable.ts'
import type { ChangedFiles, Command, FilesBefore, Reload } from '../../kit/tables.ts'
import type { dns } from '../index.ts'
import { clause, directive, quoteAbsolutePath, quoteWords } from '../unbound.ts'

const settingsFile: keyof typeof dns.files = 'unbound.conf'
const policyFile: keyof typeof dns.files = 'unbound-policy.zone'
const zoneTemplate: keyof typeof dns.fileTemplates = 'unbound-zone'

const policyZone = 'policy.rpz.'
/** Flushing a name goes through the whole cache each time; beyond this many it is cheaper to start with an empty one. */
const mostFlushed = 50

export const readIfThere = (path: string): string => readRegular(path)?.toString() ?? ''

// Which lines a plan may write.

export const configurationForms = [
  /^(?:(?:server|forward-zone|stub-zone|auth-zone|rpz):)?$/,
  /^ {2}access-control: \d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})? allow$/,
  /^ {2}private-address: (?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{2,39})\/\d{1,3}$/,
  /^ {2}local-zone: "[A-Za-z0-9_*.-]{1,255}" (?:nodefault|transparent)$/,
  /^ {2}(?:name|domain-insecure|private-domain): "[A-Za-z0-9_*.-]{1,255}"$/,
  /^ {2}forward-addr: \d{1,3}(?:\.\d{1,3}){3}$/,
  /^ {2}zonefile: "(?:policy\.zone|zones\/[a-z0-9][a-z0-9-]{0,63})"$/,
  /^ {2}(?:for-downstream|for-upstream|fallback-enabled|val-permissive-mode): (?:yes|no)$/,
] as const
/** No line begins with a dollar, so none includes another file. */
export const zoneForms = [/^$/, /^[a-z0-9_*.-]{1,255} \d{1,10} IN [A-Z]{1,5} [\x20-\x7e]{1,70000}$/] as const

// The check: unbound-checkconf reads zones too, so it is given the staged ones.

export interface DnsPlaces {
  readonly settingsPath: string
  readonly zones: string
  readonly policyPath: string
}

/** Zones that did not change were checked when they were added, so without a new configuration only the others are read. */
export function checkOf(
  staged: ReadonlyMap<string, string>,
  staging: string,
  { settingsPath, zones, policyPath }: DnsPlaces,
): Command {
  const zonePath = (id: string): string => staged.get(`${zoneTemplate}.${id}`) ?? join(zones, id)
  const policy = staged.get(policyFile) ?? policyPath
  const settings = staged.get(settingsFile)
  const text = settings ? readIfThere(settings) : changedParts(readIfThere(settingsPath), staged)
  const zoneFile = (path: string): string => directive('zonefile', quoteAbsolutePath(path))
  const path = join(staging, 'check.conf')
  writeDurable(
    path,
    text
      .replaceAll(/^ {2}zonefile: "zones\/(.*)"$/gm, (_, id: string) => zoneFile(zonePath(id)))
      .replaceAll(/^ {2}zonefile: "policy\.zone"$/gm, () => zoneFile(policy))
      // Where nothing is applied, the folder of the server does not exist.
      .replace(/^ {2}directory: ".*"$/m, () => directive('directory', quoteAbsolutePath(staging))),
    { mode: 0o600, isForced: false },
  )
  return { program: '/usr/sbin/unbound-checkconf', args: [path] }
}

function changedParts(settings: string, staged: ReadonlyMap<string, string>): string {
  const server = [
    directive('username', quoteWords('')),
    directive('chroot', quoteWords('')),
    directive('module-config', quoteWords('respip iterator')),
  ]
  const parts = partsOf(settings).filter(({ file }) => staged.has(file))
  return [clause('server', server), ...parts.map(({ text }) => text)].join('')
}

/** A clause about a zone. */
interface Part {
  readonly kind: string
  readonly zone: string
  /** The file that it reads, by its name in the tables; empty when it reads none. */
  readonly file: string
  readonly text: string
}

const partKinds: ReadonlySet<string> = new Set(['auth-zone', 'forward-zone', 'rpz'])

function partsOf(configuration: string): Part[] {
  const clauses: string[][] = []
  for (const line of configuration.split('\n')) {
    if (/^[a-z-]{1,40}:$/.test(line)) clauses.push([line])
    else if (line.startsWith('  ')) clauses.at(-1)?.push(line)
  }
  return clauses
    .map((lines) => {
      const text = lines.map((line) => `${line}\n`).join('')
      const kind = (lines[0] ?? '').slice(0, -1)
      return { kind, zone: text.match(/^ {2}name: "(.*)"$/m)?.[1] ?? '', file: fileIn(text), text }
    })
    .filter(({ kind }) => partKinds.has(kind))
}

function fileIn(clause: string): string {
  const id = clause.match(/^ {2}zonefile: "zones\/(.*)"$/m)?.[1]
  if (id !== undefined) return `${zoneTemplate}.${id}`
  return clause.includes('"policy.zone"') ? policyFile : ''
}

// The reload.

/**
 * Changed zones are read again and dropped from the cache; other settings are read with the cache kept, except for the names
 * of the zones they change.
 */
export function reloadOf(
  changed: ChangedFiles,
  before: FilesBefore,
  configuration: string,
  control: (...words: string[]) => Command,
): Reload {
  if (changed === null) return 'restart'
  const named = new Map(partsOf(configuration).map(({ file, zone }) => [file, zone]))
  const touched = changed.flatMap((file) => named.get(file) ?? [])
  const flushes = (zones: Iterable<string>): Command[] =>
    [...zones].filter((zone) => zone !== policyZone).map((zone) => control('flush_zone', zone))
  if (!changed.includes(settingsFile))
    return touched.length > mostFlushed
      ? { commands: [control('reload')] }
      : { commands: [...touched.map((zone) => control('auth_zone_reload', zone)), ...flushes(touched)] }
  const old = before(settingsFile)
  const others = old === null ? null : new Set([...differentZones(old, configuration), ...touched])
  return others === null || others.size > mostFlushed
    ? { commands: [control('reload')] }
    : { commands: [control('reload_keep_cache'), ...flushes(others)] }
}

/** Zones that were added, removed or have other servers; not the root, because that would be the whole cache. */
function differentZones(old: string, fresh: string): string[] {
  const byName = (text: string) => new Map(partsOf(text).map((part) => [`${part.kind} ${part.zone}`, part]))
  const [one, other] = [byName(old), byName(fresh)]
  const differs = (key: string): boolean => one.get(key)?.text !== other.get(key)?.text
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter(differs)
    .map((key) => (other.get(key) ?? one.get(key))?.zone ?? '')
    .filter((zone) => zone !== '.')
}
