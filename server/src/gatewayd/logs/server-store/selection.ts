// A question about a view as selections over the tables of its kinds.

import type { Condition } from '../../../core/contract/table-query.ts'
import type { LogKindName } from '../../../domain/logs/kinds.ts'
import type { KeptRecord } from '../../../domain/logs/record.ts'
import type { Question } from '../../../domain/logs/store.ts'
import type { View, ViewScope } from '../../../domain/logs/view.ts'
import { type Cells, cellsOf, storedForm } from './cells.ts'
import * as sql from './clickhouse.ts'
import { tableName } from './schema.ts'

type Sql = sql.Sql

export interface SelectionOptions {
  readonly view: View
  readonly database: string
  readonly gateway: string
}

/** The records that a question is about, before order and paging. */
export class Selection {
  readonly kinds: readonly LogKindName[]
  readonly #view: View
  readonly #scope: ViewScope
  readonly #where: Condition
  readonly #options: SelectionOptions

  constructor(options: SelectionOptions, { scope, hidden, where }: Pick<Question, 'scope' | 'hidden' | 'where'>) {
    this.#options = options
    this.#view = options.view
    this.#scope = scope
    this.#where = where
    this.kinds = options.view.kinds.filter((kind) => !hidden.includes(kind))
  }

  /** All matching records of all kinds, with the columns that `what` makes for each kind. */
  union(what: (kind: LogKindName) => Readonly<Record<string, Sql>>, narrow: readonly Sql[], group?: string[]): Sql {
    const { database, gateway } = this.#options
    return sql.union(
      this.kinds.map((kind) =>
        sql.select({
          what: what(kind),
          from: sql.path(database, tableName(kind)),
          where: sql.and([
            sql.compare(sql.name('gateway'), '=', sql.text(gateway)),
            ...narrow,
            ...this.#only(kind),
            this.#condition(kind, this.#where),
          ]),
          ...(group ? { group } : {}),
        }),
      ),
    )
  }

  kindNumber = (kind: LogKindName): Sql => sql.call('toInt64', sql.number(this.kinds.indexOf(kind)))

  cells(kind: LogKindName, column: string): Cells {
    const made = this.#view.columns[column]
    if (!made) throw new Error(`The view has no column ${column}.`)
    return cellsOf(kind, made, this.#scope)
  }

  /** The shown cells in the one form that the column has in all kinds. */
  sortable(column: string): (kind: LogKindName) => Sql {
    const all = new Map(this.kinds.map((kind) => [kind, this.cells(kind, column)]))
    // A kind without the column has an empty text, which a sort of numbers takes for 0.
    const isNumber = [...all.values()].some(({ form, shown }) => form === 'number' && shown !== empty)
    return (kind) => {
      const cells = all.get(kind) ?? this.cells(kind, column)
      if ((cells.form === 'number') === isNumber) return cells.shown
      if (!isNumber) return sql.call('toString', cells.shown)
      return zero
    }
  }

  /** Stored columns that the view is made of, in the form they have. */
  get #stored(): readonly (readonly [name: string, form: sql.ReadForm])[] {
    const names = Object.values(this.#view.columns).flatMap((column) =>
      column.from === 'column' ? [column.column] : [],
    )
    return [...new Set(names)].filter((name) => name !== 'time').map((name) => [name, this.#formOf(name)])
  }

  #formOf(name: string): sql.ReadForm {
    return this.kinds.map((kind) => storedForm(kind, name)).find((form) => form !== null) ?? 'text'
  }

  /** Everything that the view needs to show a record. */
  whole = (kind: LogKindName): Readonly<Record<string, Sql>> => ({
    log_kind: this.kindNumber(kind),
    place: sql.name('place'),
    time: sql.name('time'),
    ...Object.fromEntries(
      this.#stored.map(([name, form]) => [
        name,
        storedForm(kind, name) === null ? (form === 'number' ? zero : empty) : sql.name(name),
      ]),
    ),
  })

  get wholeForms(): readonly sql.ReadForm[] {
    return ['number', 'number', 'number', ...this.#stored.map(([, form]) => form)]
  }

  /** The record of a row with the columns of `whole`. */
  reader(): (row: sql.ReadRow) => KeptRecord {
    const names = this.#stored.map(([name]) => name)
    const has = new Map(this.kinds.map((kind) => [kind, new Set(names.filter((name) => storedForm(kind, name)))]))
    return ([kindNumber, place, time, ...cells]) => {
      const kind = this.kinds[Number(kindNumber)]
      if (!kind) throw new Error('The log server answered with a record of no kind.')
      const own = has.get(kind)
      const fields = Object.fromEntries(
        names.flatMap((name, at) => (own?.has(name) ? [[name, cells[at] ?? ''] as const] : [])),
      )
      const text = (name: string): string => String(fields[name] ?? '')
      return {
        kind,
        place: Number(place),
        time: Number(time),
        priority: Number(fields.priority ?? 0),
        unit: text('unit'),
        syslogId: text('syslog_id'),
        message: text('message'),
        fields,
      }
    }
  }

  #only(kind: LogKindName): Sql[] {
    const { only } = this.#view
    if (!only) return []
    const { column, cells } = only
    const form = storedForm(kind, column)
    if (form === null) return [sql.literal(cells.includes(''))]
    const ofForm = cells.filter((cell) => (typeof cell === 'number') === (form === 'number'))
    return [sql.isOneOf(sql.name(column), ofForm.map(sql.cell))]
  }

  #condition(kind: LogKindName, condition: Condition): Sql {
    switch (condition.kind) {
      case 'all':
        return sql.and(condition.of.map((one) => this.#condition(kind, one)))
      case 'any':
        return sql.or(condition.of.map((one) => this.#condition(kind, one)))
      case 'not':
        return sql.not(this.#condition(kind, condition.of))
      default:
        return this.cells(kind, condition.column).holds(condition)
    }
  }
}

const empty = sql.text('')
const zero = sql.call('toInt64', sql.number(0))
