// Rules in and out of files: every cell of a file is read as what a person means by it (a name, an address, an id), and what
// cannot be meant is a fault of that cell, so that it can be mended in place. Pure.

import { parseNetwork, parseSpan } from '@gateway/server/net/ipv4'
import { createFinder, type ObjectFinder, type ObjectIndex, titleOf } from '../../../util/objects.ts'
import { t } from '../../../words.ts'
import { readCsv, writeCsv } from './csv.ts'
import { isAny } from './rows.ts'
import {
  actionWords,
  fieldTitles,
  kindsOfField,
  listFields,
  protocols,
  protocolWords,
  type Rule,
  type RuleFieldName,
  type RuleTable,
} from './tables.ts'

/** Between several objects of a cell. */
const between = ' | '

const isList = (field: RuleFieldName): boolean =>
  (listFields as readonly string[]).includes(field) || field === 'hip_profiles'

export function exportCsv(
  table: RuleTable,
  rules: readonly Rule[],
  index: ObjectIndex,
  hits: ReadonlyMap<number, number> = new Map(),
): string {
  const names = namer(index)
  const cell = (rule: Rule, field: RuleFieldName): string => {
    const value = rule[field]
    if (value === null || value === undefined) return ''
    if (Array.isArray(value)) return value.map((id) => names(id, field)).join(between)
    if (kindsOfField[field]) return names(String(value), field)
    if (field === 'protocol') return protocolWords[String(value)] ?? String(value)
    if (typeof value === 'boolean') return value ? 'yes' : 'no'
    return String(value)
  }
  return writeCsv(
    ['id', ...table.fields, 'hits'],
    rules.map((rule) => [
      String(rule.id),
      ...table.fields.map((field) => cell(rule, field)),
      String(hits.get(rule.id) ?? ''),
    ]),
  )
}

/** The title where it is understood on the way back, else the id. */
function namer(index: ObjectIndex): (id: string, field: RuleFieldName) => string {
  const finder = createFinder(index)
  const known = new Map<string, string>()
  return (id, field) => {
    const before = known.get(`${field} ${id}`)
    if (before !== undefined) return before
    const title = titleOf(index, id)
    const meant = title.includes('|') ? null : finder.find(title, kindsOfField[field] ?? [])
    const name = meant !== null && 'id' in meant && meant.id === id ? title : id
    known.set(`${field} ${id}`, name)
    return name
  }
}

export const exportJson = (rules: readonly Rule[]): string => `${JSON.stringify(rules, null, 1)}\n`

export type Cells = Readonly<Partial<Record<RuleFieldName, string>>>

/** What could be made so that a cell is understood: an address, a network, a port. */
export interface MissingObject {
  readonly kind: 'ip' | 'subnet' | 'ip_range' | 'port' | 'port_range'
  readonly text: string
}

export interface CellFault {
  readonly message: string
  readonly missing: readonly MissingObject[]
}

export interface ImportRow {
  readonly key: string
  /** In the file, from 1. */
  readonly line: number
  readonly cells: Cells
  readonly body: Readonly<Record<string, unknown>>
  readonly faults: ReadonlyMap<RuleFieldName, CellFault>
}

export interface ImportFile {
  readonly columns: readonly RuleFieldName[]
  readonly rows: readonly { readonly line: number; readonly cells: Cells }[]
  /** Columns that no field is called by. */
  readonly ignored: readonly string[]
  readonly problem: string | null
}

export function readRuleFile(name: string, text: string, table: RuleTable): ImportFile {
  return /\.json$/i.test(name) || /^\s*[[{]/.test(text) ? readJsonFile(text, table) : readCsvFile(text, table)
}

const noFile = (problem: string): ImportFile => ({ columns: [], rows: [], ignored: [], problem })

function readCsvFile(text: string, table: RuleTable): ImportFile {
  const [header, ...rows] = readCsv(text)
  if (!header || rows.length === 0)
    return noFile(t('The file has no rules: a first line with names of columns, then one line a rule.'))
  const fields = header.map((title) => fieldNamed(title, table))
  const columns = fields.filter((field) => field !== null)
  if (columns.length === 0) return noFile(t('No column of the first line is a field of a rule.'))
  return {
    columns: [...new Set(columns)],
    ignored: header.filter(
      (title, at) => fields[at] === null && !/^(?:id|#|position|hits)$/i.test(title) && title !== '',
    ),
    rows: rows.map((row, at) => ({
      line: at + 2,
      cells: Object.fromEntries(fields.flatMap((field, place) => (field === null ? [] : [[field, row[place] ?? '']]))),
    })),
    problem: null,
  }
}

function readJsonFile(text: string, table: RuleTable): ImportFile {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    return noFile(t('The file is not JSON: {reason}', { reason: error instanceof Error ? error.message : '' }))
  }
  if (!Array.isArray(data) || data.length === 0) return noFile(t('The file must hold a list of rules.'))
  const records = data.map((one) => (typeof one === 'object' && one !== null ? (one as Record<string, unknown>) : {}))
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const columns = table.fields.filter((field) => names.includes(field))
  if (columns.length === 0) return noFile(t('Nothing in the file is a field of a rule.'))
  return {
    columns,
    ignored: names.filter(
      (name) => !(table.fields as readonly string[]).includes(name) && name !== 'id' && name !== 'parent_id',
    ),
    rows: records.map((record, at) => ({
      line: at + 1,
      cells: Object.fromEntries(columns.map((field) => [field, cellText(record[field])])),
    })),
    problem: null,
  }
}

const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(String).join(between)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const simple = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')

export function fieldNamed(title: string, table: RuleTable): RuleFieldName | null {
  const wanted = simple(title)
  return (
    table.fields.find((field) => simple(field) === wanted) ??
    table.fields.find((field) => simple(fieldTitles[field]) === wanted || simple(t(fieldTitles[field])) === wanted) ??
    (Object.hasOwn(shortTitles, wanted) ? shortTitles[wanted] : undefined) ??
    null
  )
}

const shortTitles: Readonly<Record<string, RuleFieldName>> = {
  source: 'source_addresses',
  src: 'source_addresses',
  destination: 'destination_addresses',
  dst: 'destination_addresses',
  'source port': 'source_ports',
  'destination port': 'destination_ports',
  port: 'destination_ports',
  ports: 'destination_ports',
  service: 'destination_ports',
  description: 'comment',
  time: 'timetable',
}

export interface RowChecker {
  readonly check: (line: number, cells: Cells) => ImportRow
}

/** `isMaking`: addresses and ports without an object are taken as they are written, and their objects are made with the rules. */
export function createChecker(
  table: RuleTable,
  index: ObjectIndex,
  { isMaking = false }: { readonly isMaking?: boolean } = {},
): RowChecker {
  const finder = createFinder(index)
  return {
    check(line, cells) {
      const faults = new Map<RuleFieldName, CellFault>()
      const body: Record<string, unknown> = {}
      for (const field of table.fields) {
        const text = cells[field]?.trim() ?? ''
        if (text === '') continue
        const read = readCell(field, text, table, finder, isMaking)
        if ('fault' in read) faults.set(field, read.fault)
        else body[field] = read.value
      }
      if (body.action === undefined && !faults.has('action')) body.action = table.defaults.action
      checkPorts(body, faults)
      return { key: String(line), line, cells, body, faults }
    },
  }
}

type Read = { readonly value: unknown } | { readonly fault: CellFault }

const fault = (message: string, missing: readonly MissingObject[] = []): Read => ({ fault: { message, missing } })

export function readCell(
  field: RuleFieldName,
  text: string,
  table: RuleTable,
  finder: ObjectFinder,
  isMaking = false,
): Read {
  if (isList(field)) return readObjects(field, text, finder, isMaking)
  if (kindsOfField[field]) {
    const found = readObjects(field, text, finder)
    return 'fault' in found ? found : { value: (found.value as readonly string[])[0] }
  }
  switch (field) {
    case 'enabled':
    case 'source_addresses_negate':
    case 'destination_addresses_negate':
    case 'dpi_enabled':
    case 'ips_enabled':
      return readYesNo(text)
    case 'action':
      return readWord(text, table.actions, actionWords)
    case 'protocol':
      return readWord(text, protocols, protocolWords)
    case 'comment':
      return [...text].length > 255 ? fault(t('Longer than 255 characters.')) : { value: text }
    default:
      return /^[A-Za-z0-9_.-]{1,80}$/.test(text)
        ? { value: text }
        : fault(t('Must be an address, a port, a range of them, or the id of an object.'))
  }
}

function readYesNo(text: string): Read {
  const word = text.toLowerCase()
  if (['yes', 'true', 'on', '1', 'да', 'x', '+'].includes(word)) return { value: true }
  if (['no', 'false', 'off', '0', 'нет'].includes(word)) return { value: false }
  return fault(t('Must be yes or no.'))
}

function readWord(text: string, wire: readonly string[], words: Readonly<Record<string, string>>): Read {
  const said = text.toLowerCase()
  const found = wire.find(
    (value) => value === said || words[value] === said || t(words[value] ?? value).toLowerCase() === said,
  )
  if (found !== undefined) return { value: found }
  return fault(t('Must be one of: {words}.', { words: wire.map((value) => words[value] ?? value).join(', ') }))
}

function readObjects(field: RuleFieldName, text: string, finder: ObjectFinder, isMaking = false): Read {
  const kinds = kindsOfField[field] ?? []
  const asked = partsOf(text, kinds, finder)
  const ids: string[] = []
  const missing: MissingObject[] = []
  for (const part of asked) {
    const meant = finder.find(part, kinds)
    if (meant === null) {
      const could = missingOf(part, kinds)
      if (could === null) return fault(t('There is no object called {name}.', { name: part }))
      if (!isMaking) missing.push(could)
      else if (!ids.includes(part)) ids.push(part)
    } else if ('several' in meant)
      return fault(
        t('{name} is the name of several objects: write the id, such as {id}.', {
          name: part,
          id: meant.several[0] ?? '',
        }),
      )
    else if (!ids.includes(meant.id)) ids.push(meant.id)
  }
  if (missing.length > 0)
    return fault(
      t('There is no object for {values} yet.', { values: missing.map((one) => one.text).join(', ') }),
      missing,
    )
  if (ids.length > 1 && ids.includes('any')) return fault(t('Any cannot be combined with other objects.'))
  if (ids.length > 200) return fault(t('At most 200 objects.'))
  return { value: ids }
}

/** Objects of a cell: between bars or in lines; by commas where that is not part of a name. */
function partsOf(text: string, kinds: readonly string[], finder: ObjectFinder): string[] {
  const split = (pattern: RegExp): string[] =>
    text
      .split(pattern)
      .map((part) => part.trim())
      .filter((part) => part !== '')
  const parts = split(/[|\n]/)
  const [only] = parts
  if (parts.length !== 1 || only === undefined || finder.find(only, kinds) !== null) return parts
  return split(/[,;]\s*|\s*\n\s*/)
}

export function missingOf(text: string, kinds: readonly string[]): MissingObject | null {
  if (kinds.includes('ip') && parseSpan(text) !== null) {
    const kind = text.includes('-') ? 'ip_range' : parseNetwork(text) ? 'subnet' : 'ip'
    return { kind, text }
  }
  if (!kinds.includes('port')) return null
  const [low, high, ...rest] = text.split('-')
  const isPort = (part: string | undefined): boolean => /^[1-9]\d{0,4}$/.test(part ?? '') && Number(part) <= 65_535
  if (rest.length > 0 || !isPort(low)) return null
  if (high === undefined) return { kind: 'port', text }
  return isPort(high) && Number(low) <= Number(high) ? { kind: 'port_range', text } : null
}

/** Ports need a protocol that has them. */
function checkPorts(body: Record<string, unknown>, faults: Map<RuleFieldName, CellFault>): void {
  const { protocol = 'any' } = body
  if (protocol === 'protocol.tcp' || protocol === 'protocol.udp' || faults.has('protocol')) return
  for (const field of ['source_ports', 'destination_ports'] as const) {
    const ports = body[field]
    if (Array.isArray(ports) && !isAny(ports)) faults.set(field, { message: t('Ports need TCP or UDP.'), missing: [] })
  }
}

/** Each object that cells ask for and that does not exist, once. */
export function missingObjects(rows: readonly ImportRow[]): readonly MissingObject[] {
  const found = new Map<string, MissingObject>()
  for (const { faults } of rows)
    for (const { missing } of faults.values()) for (const one of missing) found.set(`${one.kind} ${one.text}`, one)
  return [...found.values()]
}

export function bodyOfMissing({ kind, text }: MissingObject): Readonly<Record<string, unknown>> {
  const [start = '', end = ''] = text.split('-')
  if (kind === 'ip_range') return { title: text, start, end }
  if (kind === 'port_range') return { title: text, start: Number(start), end: Number(end) }
  return { title: text, value: kind === 'port' ? Number(text) : text }
}
