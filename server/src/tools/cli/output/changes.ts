// Changes in a form to read: objects with their fields before and after, and the lines a dry run would move in rendered
// files.

import { showTable } from './table.ts'
import type { Colour, Terminal } from './terminal.ts'
import { paint } from './terminal.ts'
import { escapeText, showJson } from './text.ts'

export interface ObjectChange {
  readonly object: string
  readonly action: string
  readonly fields: readonly FieldChange[]
}

interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
  /** Of a long list: where it differs, and how many entries do not. */
  readonly at?: number
  readonly unchanged?: number
}

interface ArtifactChange {
  readonly artifact: string
  readonly action: string
  readonly removed_lines: readonly string[]
  readonly added_lines: readonly string[]
}

/** The answer to a change with dry_run=true. */
export interface DryRun {
  readonly dry_run: true
  readonly changes: readonly ObjectChange[]
  readonly artifacts: readonly ArtifactChange[]
  readonly unchecked: readonly string[]
  /** A gateway of an earlier release says nothing about connections. */
  readonly connections?: readonly LiveConnection[]
  readonly connections_total?: number
  readonly connections_note?: string | null
}

interface LiveConnection {
  readonly protocol: string
  readonly source: string
  readonly source_port: number
  readonly destination: string
  readonly destination_port: number
  readonly rule: string | null
  readonly user: string | null
}

export const isDryRun = (value: unknown): value is DryRun =>
  typeof value === 'object' && value !== null && (value as { dry_run?: unknown }).dry_run === true

const actionColours: Readonly<Record<string, Colour>> = { added: 'green', removed: 'red' }

export function printChanges(changes: readonly ObjectChange[], terminal: Terminal): void {
  for (const { object, action, fields } of changes) {
    terminal.out(`${paint(terminal, actionColours[action], escapeText(`${object} ${action}`))}\n`)
    for (const { field, before, after, at, unchanged } of fields) {
      const place = at === undefined ? '' : ` from entry ${at} on, ${unchanged} others unchanged`
      terminal.out(`  ${escapeText(field)}${place}: ${showSide(before)} -> ${showSide(after)}\n`)
    }
  }
}

/** JSON, so that the text "true" differs from the value; an absent value prints as nothing. */
const showSide = (value: unknown): string => (value === null || value === undefined ? '(none)' : showJson(value))

export function printDryRun(report: DryRun, terminal: Terminal): void {
  if (report.changes.length === 0) {
    terminal.out('Nothing would change.\n')
    return
  }
  printChanges(report.changes, terminal)
  for (const { artifact, action, removed_lines, added_lines } of report.artifacts) {
    terminal.out(`\n${escapeText(`${artifact} ${action}`)}\n`)
    for (const line of removed_lines) terminal.out(`${paint(terminal, 'red', `- ${escapeText(line)}`)}\n`)
    for (const line of added_lines) terminal.out(`${paint(terminal, 'green', `+ ${escapeText(line)}`)}\n`)
  }
  printConnections(report, terminal)
  for (const line of report.unchecked) terminal.note(`Not checked: ${escapeText(line)}\n`)
  terminal.note('Nothing was changed: this was a dry run.\n')
}

function printConnections(report: DryRun, terminal: Terminal): void {
  const { connections = [], connections_total: total = 0, connections_note: note } = report
  if (connections.length > 0) {
    terminal.out('\nLive connections that the change would refuse (cut with --cut-connections):\n')
    const rows = connections.map(({ protocol, source, source_port, destination, destination_port, rule, user }) => [
      protocol,
      `${source}:${source_port}`,
      `${destination}:${destination_port}`,
      rule ?? '',
      user ?? '',
    ])
    terminal.out(showTable({ columns: ['protocol', 'source', 'destination', 'refused by', 'user'], rows }, terminal))
  }
  if (total > connections.length) terminal.note(`${total - connections.length} more connections are not listed.\n`)
  if (note) terminal.note(`Connections: ${escapeText(note)}\n`)
}
