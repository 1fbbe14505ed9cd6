// The files of the DNS server: what may stand in those of a plan, how unbound-checkconf is shown them before they count,
// and how the running server is told of changed ones.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangedFiles, Command, FilesBefore, Reload } from '../tables.ts'

export const dnsFileName = 'unbound.conf'
/** Answers that are ours whatever the zone's owner says: safe search, and names of servers that would go round us. */
export const dnsPolicyFileName = 'unbound-policy.zone'
export const dnsZoneTemplate = 'unbound-zone'

const policyZone = 'policy.rpz.'
/** Flushing names one by one goes through the whole cache each time; beyond this it is cheaper to begin with a new one. */
const mostFlushed = 50

export const readIfThere = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

// What may stand in the files of a plan.

const name = '"[A-Za-z0-9_*.-]{1,255}"'
const network = '\\d{1,3}(?:\\.\\d{1,3}){3}(?:/\\d{1,2})?'
const configurationForms = [
  /^(?:(?:server|forward-zone|stub-zone|auth-zone|rpz):)?$/,
  new RegExp(`^ {2}access-control: ${network} allow$`),
  new RegExp(`^ {2}private-address: (?:${network}|[0-9a-f:]+/\\d{1,3})$`),
  new RegExp(`^ {2}local-zone: ${name} (?:nodefault|transparent)$`),
  new RegExp(`^ {2}(?:name|domain-insecure|private-domain): ${name}$`),
  new RegExp(`^ {2}forward-addr: ${network}$`),
  /^ {2}zonefile: "(?:policy\.zone|zones\/[a-z0-9][a-z0-9-]{0,63})"$/,
  /^ {2}(?:for-downstream|for-upstream|fallback-enabled|val-permissive-mode): (?:yes|no)$/,
] as const
/** No line begins with a dollar, so none includes another file. */
const zoneForms = [/^$/, /^[a-z0-9_*.-]{1,255} \d{1,10} IN [A-Z]{1,5} [\x20-\x7e]{1,70000}$/] as const

export function faultsIn(file: string, text: string): string[] {
  const forms: readonly RegExp[] = file === dnsFileName ? configurationForms : zoneForms
  return text
    .split('\n')
    .filter((line) => !forms.some((form) => form.test(line)))
    .slice(0, 3)
    .map((line) => `The line "${line.slice(0, 100)}" may not stand in ${file}.`)
}

// The check: unbound-checkconf reads zones too, so it is given the staged ones.

export interface DnsPlaces {
  readonly folder: string
  readonly zones: string
  readonly policyPath: string
}

/** Zones that did not change were checked when they came, so without a new configuration only the others are read. */
export function checkOf(
  staged: ReadonlyMap<string, string>,
  staging: string,
  { folder, zones, policyPath }: DnsPlaces,
): Command {
  const zonePath = (id: string): string => staged.get(`${dnsZoneTemplate}.${id}`) ?? join(zones, id)
  const policy = staged.get(dnsPolicyFileName) ?? policyPath
  const configuration = staged.get(dnsFileName)
  const text = configuration
    ? readFileSync(configuration, 'utf8')
    : `server:\n  username: ""\n  chroot: ""\n  module-config: "respip iterator"\n${partsFor(
        readIfThere(join(folder, dnsFileName)),
        [...staged.keys()],
      ).join('')}`
  const path = join(staging, 'check.conf')
  writeFileSync(
    path,
    text
      .replaceAll(/^ {2}zonefile: "zones\/(.*)"$/gm, (_, id: string) => `  zonefile: "${zonePath(id)}"`)
      .replaceAll(/^ {2}zonefile: "policy\.zone"$/gm, `  zonefile: "${policy}"`),
    { mode: 0o600 },
  )
  return { program: '/usr/sbin/unbound-checkconf', args: [path] }
}

const partForm = /^(auth-zone|forward-zone|rpz):\n {2}name: "(.*)"\n((?: {2}.*\n)*)/gm

/** The clauses of a configuration that read one of these files. */
function partsFor(configuration: string, files: readonly string[]): string[] {
  const wanted = new Set(files)
  return [...configuration.matchAll(partForm)]
    .filter(([, , , body = '']) => wanted.has(fileIn(body)))
    .map(([whole]) => whole)
}

/** The file that a clause reads, by its name in the tables. */
function fileIn(body: string): string {
  const id = body.match(/^ {2}zonefile: "zones\/(.*)"$/m)?.[1]
  if (id !== undefined) return `${dnsZoneTemplate}.${id}`
  return body.includes('"policy.zone"') ? dnsPolicyFileName : ''
}

// The reload.

/**
 * Changed zones are read anew and what was remembered of them is forgotten; another configuration is read with the cache
 * kept, but for the names of the zones it changes.
 */
export function reloadOf(
  changed: ChangedFiles,
  before: FilesBefore,
  configuration: string,
  control: (...words: string[]) => Command,
): Reload {
  if (changed === null) return 'restart'
  const parts = [...configuration.matchAll(partForm)]
  const named = new Map(parts.map(([, , zone = '', body = '']) => [fileIn(body), zone]))
  const touched = changed.flatMap((file) => named.get(file) ?? [])
  const flushes = (zones: Iterable<string>): Command[] =>
    [...zones].filter((zone) => zone !== policyZone).map((zone) => control('flush_zone', zone))
  if (!changed.includes(dnsFileName))
    return touched.length > mostFlushed
      ? { commands: [control('reload')] }
      : { commands: [...touched.map((zone) => control('auth_zone_reload', zone)), ...flushes(touched)] }
  const old = before(dnsFileName)
  const others = old === null ? null : new Set([...differentZones(old, configuration), ...touched])
  return others === null || others.size > mostFlushed
    ? { commands: [control('reload')] }
    : { commands: [control('reload_keep_cache'), ...flushes(others)] }
}

/** Zones that came, went or are asked elsewhere; not the root, for that would be the whole cache. */
function differentZones(old: string, fresh: string): string[] {
  const bodies = (text: string) =>
    new Map([...text.matchAll(partForm)].map(([whole, kind, zone = '']) => [`${kind} ${zone}`, { zone, whole }]))
  const [one, other] = [bodies(old), bodies(fresh)]
  const differs = (key: string): boolean => one.get(key)?.whole !== other.get(key)?.whole
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter(differs)
    .map((key) => (other.get(key) ?? one.get(key))?.zone ?? '')
    .filter((zone) => zone !== '.')
}
