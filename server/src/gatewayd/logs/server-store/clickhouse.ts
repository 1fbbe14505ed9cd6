// Typed writer for the SQL of ClickHouse, and for rows in its binary form. Names have a fixed alphabet, functions are listed
// here, texts are quoted, and rows carry the length of each text: nothing that was logged or asked for becomes syntax.

declare const isClickhouse: unique symbol
/** Text of SQL that is known to be safe because only this file makes it. */
export type Sql = string & { readonly [isClickhouse]: true }

const safe = (text: string): Sql => text as Sql

export function name(text: string): Sql {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(text)) throw new Error(`not a name for ClickHouse: ${JSON.stringify(text)}`)
  return safe(`\`${text}\``)
}

export const path = (database: string, table: string): Sql => safe(`${name(database)}.${name(table)}`)

/** Half of a character outside of the basic plane cannot be sent as UTF-8, so it becomes a replacement character. */
export const text = (value: string): Sql =>
  safe(`'${value.toWellFormed().replaceAll(/[\\']/g, '\\$&').replaceAll('\0', '\\0')}'`)

/** Numbers beyond what a column holds exactly are cut to the largest: they only serve as bounds. */
export function number(value: number): Sql {
  if (Number.isNaN(value)) throw new Error('not a number for ClickHouse')
  const bounded = Math.min(Math.max(value, -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
  return safe(String(bounded))
}

export const cell = (value: string | number): Sql => (typeof value === 'string' ? text(value) : number(value))

export const literal = (value: boolean): Sql => safe(value ? '1' : '0')

const functions = {
  count: 0,
  max: 1,
  min: 1,
  sum: 1,
  toString: 1,
  lower: 1,
  toDateTime: 1,
  toInt64: 1,
  arrayJoin: 1,
  arrayPopBack: 1,
  splitByChar: 2,
  has: 2,
  indexOf: 2,
  arrayElement: 2,
  position: 2,
  intDiv: 2,
  modulo: 2,
  plus: 2,
  minus: 2,
  substring: 2,
  toYYYYMMDDhhmmss: 2,
  if: 3,
  replaceOne: 3,
  formatDateTime: 3,
  concat: 2,
} as const

export function call(of: keyof typeof functions, ...given: readonly Sql[]): Sql {
  if (given.length !== functions[of]) throw new Error(`${of} takes ${functions[of]} arguments`)
  return safe(`${of}(${given.join(', ')})`)
}

export const array = (of: readonly Sql[]): Sql => safe(`[${of.join(', ')}]`)

export const compare = (one: Sql, operator: '=' | '<' | '<=' | '>' | '>=', other: Sql): Sql =>
  safe(`(${one} ${operator} ${other})`)

export const isOneOf = (one: Sql, of: readonly Sql[]): Sql =>
  of.length === 0 ? literal(false) : safe(`(${one} IN (${of.join(', ')}))`)

export const not = (of: Sql): Sql => safe(`(NOT ${of})`)
export const and = (of: readonly Sql[]): Sql => (of.length === 0 ? literal(true) : safe(`(${of.join(' AND ')})`))
export const or = (of: readonly Sql[]): Sql => (of.length === 0 ? literal(false) : safe(`(${of.join(' OR ')})`))

export interface Select {
  /** By the name of the result. */
  readonly what: Readonly<Record<string, Sql>>
  readonly from: Sql
  readonly where?: Sql
  readonly group?: readonly string[]
  readonly order?: readonly (readonly [column: string, direction: 'asc' | 'desc'])[]
  readonly offset?: number
  readonly limit?: number
  /** So many rows of each value of a column, the first ones of the order. */
  readonly limitBy?: readonly [rows: number, column: string]
}

export function select({ what, from, where, group, order, offset = 0, limit, limitBy }: Select): Sql {
  const list = Object.entries(what).map(([as, sql]) => `${sql} AS ${name(as)}`)
  return safe(
    [
      `SELECT ${list.join(', ')} FROM ${from}`,
      ...(where ? [`WHERE ${where}`] : []),
      ...(group && group.length > 0 ? [`GROUP BY ${group.map(name).join(', ')}`] : []),
      ...(order && order.length > 0
        ? [`ORDER BY ${order.map(([column, direction]) => `${name(column)} ${direction.toUpperCase()}`).join(', ')}`]
        : []),
      ...(limitBy ? [`LIMIT ${number(limitBy[0])} BY ${name(limitBy[1])}`] : []),
      ...(limit === undefined ? [] : [`LIMIT ${number(offset)}, ${number(limit)}`]),
    ].join(' '),
  )
}

/** All rows of several selections with the same columns, as a table. */
export const union = (of: readonly Sql[]): Sql => safe(`(${of.join(' UNION ALL ')})`)

export const inBinary = (query: Sql): Sql => safe(`${query} FORMAT RowBinary`)

export type ColumnType = 'String' | 'Int64' | 'UInt64' | 'Array(String)'

export interface TableColumn {
  readonly name: string
  readonly type: ColumnType
}

export const createDatabase = (database: string): Sql => safe(`CREATE DATABASE IF NOT EXISTS ${name(database)}`)

/** Rows with the same key are one row in the end; each slice of `partition` is stored for itself. */
export const createTable = (table: Sql, columns: readonly TableColumn[], partition: Sql, key: readonly string[]): Sql =>
  safe(
    `CREATE TABLE IF NOT EXISTS ${table} (${columns.map((one) => `${name(one.name)} ${one.type}`).join(', ')}) ` +
      `ENGINE = ReplacingMergeTree PARTITION BY ${partition} ORDER BY (${key.map(name).join(', ')})`,
  )

export const addColumns = (table: Sql, columns: readonly TableColumn[]): Sql =>
  safe(`ALTER TABLE ${table} ${columns.map((one) => `ADD COLUMN ${name(one.name)} ${one.type}`).join(', ')}`)

export const insert = (table: Sql, columns: readonly string[]): Sql =>
  safe(`INSERT INTO ${table} (${columns.map(name).join(', ')}) FORMAT RowBinary`)

export const kill = (queryId: string): Sql => safe(`KILL QUERY WHERE query_id = ${text(queryId)} ASYNC`)

export const remove = (table: Sql, where: Sql): Sql => safe(`ALTER TABLE ${table} DELETE WHERE ${where}`)

/** Rows in the binary form: numbers of eight bytes, texts after their length, lists after their number of entries. */
export class RowWriter {
  #bytes: Buffer
  #end = 0

  constructor(room = 65_536) {
    this.#bytes = Buffer.allocUnsafe(room)
  }

  get size(): number {
    return this.#end
  }

  number(value: number): void {
    this.#reserve(8)
    this.#bytes.writeBigInt64LE(BigInt(Math.trunc(value)), this.#end)
    this.#end += 8
  }

  text(value: string): void {
    // The length comes first, so a text is written where it belongs when its length needs one byte.
    const most = value.length * 3
    this.#reserve(most + 10)
    if (most < 0x80) {
      const length = this.#bytes.write(value, this.#end + 1)
      this.#bytes[this.#end] = length
      this.#end += length + 1
      return
    }
    this.#length(Buffer.byteLength(value))
    this.#end += this.#bytes.write(value, this.#end)
  }

  texts(values: readonly string[]): void {
    this.#reserve(10)
    this.#length(values.length)
    for (const value of values) this.text(value)
  }

  take(): Buffer {
    return this.#bytes.subarray(0, this.#end)
  }

  #length(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#end++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#end++] = rest
  }

  #reserve(more: number): void {
    if (this.#end + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#end + more))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }
}

/** Much more than a record can have: the server, or who answers in its place, does not decide how much memory is used. */
const longestRow = 1_048_576

export type ReadForm = 'number' | 'text'
export type ReadRow = readonly (string | number)[]

/** Reads rows in the binary form from the pieces in which they arrive. */
export async function* readRows(
  pieces: AsyncIterable<Buffer>,
  forms: readonly ReadForm[],
): AsyncGenerator<ReadRow[], void> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const rows: ReadRow[] = []
    let end = 0
    for (let row = readRow(bytes, end, forms); row; row = readRow(bytes, end, forms)) {
      rows.push(row.cells)
      end = row.end
    }
    rest = bytes.subarray(end)
    if (rest.length > longestRow) throw new Error('The answer of the log server is not made of rows.')
    if (rows.length > 0) yield rows
  }
  if (rest.length > 0) throw new Error('The answer of the log server ends in the middle of a row.')
}

function readRow(
  bytes: Buffer,
  from: number,
  forms: readonly ReadForm[],
): { readonly cells: ReadRow; readonly end: number } | null {
  const cells: (string | number)[] = []
  let at = from
  for (const form of forms) {
    if (form === 'number') {
      if (at + 8 > bytes.length) return null
      cells.push(bytes.readInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at))
      at += 8
      continue
    }
    let [length, factor, byte] = [0, 1, 0x80]
    while (byte >= 0x80) {
      if (length > longestRow || factor > longestRow)
        throw new Error('The answer of the log server is not made of rows.')
      if (at >= bytes.length) return null
      byte = bytes[at++] ?? 0
      length += (byte % 0x80) * factor
      factor *= 0x80
    }
    if (at + length > bytes.length) return null
    cells.push(bytes.toString('utf8', at, at + length))
    at += length
  }
  return at === from ? null : { cells, end: at }
}
