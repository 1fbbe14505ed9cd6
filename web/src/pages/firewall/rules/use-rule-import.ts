// Rules of a file on their way into a table: read, checked cell by cell, mended, and reviewed as one change.

import { useMemo, useState } from 'react'
import { useReview } from '../../../api/apply.ts'
import type { PlannedCall } from '../../../api/change.ts'
import type { Problem } from '../../../api/failure.ts'
import type { ObjectIndex } from '../../../util/objects.ts'
import { t } from '../../../words.ts'
import { withObjects } from '../make-objects.ts'
import { mostCalls } from './bulk-drawer.tsx'
import { type Cells, createChecker, type ImportFile, type ImportRow, missingObjects, readRuleFile } from './exchange.ts'
import type { Rule, RuleFieldName, RuleTable } from './tables.ts'

export interface RuleImportSource {
  readonly table: RuleTable
  readonly rules: readonly Rule[]
  readonly etag: string | null
  readonly index: ObjectIndex
  /** Dropped on the page. */
  readonly file: File | null
  readonly onApplied: (ids: readonly number[]) => void
}

interface Loaded extends ImportFile {
  readonly name: string
}

const largestFileBytes = 16 * 1024 * 1024

export type RuleImport = ReturnType<typeof useRuleImport>

export function useRuleImport(source: RuleImportSource) {
  const { table, rules, etag } = source
  const review = useReview()
  const [place, setPlace] = useState('end')
  const file = useRuleFile(source)
  const { loaded, rows, refuse } = file
  const faulty = rows.filter((row) => row.faults.size > 0)
  const missing = useMemo(() => missingObjects(faulty), [faulty])
  const { calls, made, reads } = useMemo(
    () => withObjects(rows.map(({ body }) => callOf(table, body, place, rules, etag))),
    [rows, table, place, rules, etag],
  )
  const isTooMany = calls.length > mostCalls
  const canSubmit = rows.length > 0 && faulty.length === 0 && !isTooMany
  const submit = (): void => {
    if (!canSubmit) return
    review.open({
      title: t('{count, plural, one {Add # rule} other {Add # rules}} to {table} from {file}', {
        count: rows.length,
        table: table.title,
        file: loaded?.name ?? '',
      }),
      calls,
      ...(table.confirmWithin === undefined ? {} : { confirmWithin: table.confirmWithin }),
      reads: [table.calls.list, ...reads],
      onApplied: (replies) =>
        source.onApplied(replies.slice(made).flatMap((reply) => (reply as { id?: number } | null)?.id ?? [])),
      onProblems: (problems) => refuse(refusedRows(problems, rows, made)),
    })
  }
  return { ...file, place, setPlace, faulty, missing, isTooMany, canSubmit, submit }
}

/** The file that was dropped or chosen, with what was mended of it since. */
function useRuleFile({ table, index, file }: RuleImportSource) {
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [mended, setMended] = useState<ReadonlyMap<number, Cells>>(new Map())
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  /** Until the person says: faults alone, when the file has some. */
  const [onlyFaults, setOnlyFaults] = useState<boolean | null>(null)
  /** Objects that are missing are made with the rules. */
  const [isMaking, setMaking] = useState(false)
  const [taken, setTaken] = useState<File | null>(null)

  const read = async (next: File): Promise<void> => {
    setTaken(next)
    const text = next.size > largestFileBytes ? null : await next.text()
    const content =
      text === null
        ? { columns: [], rows: [], ignored: [], problem: t('The file is larger than 16 MB.') }
        : readRuleFile(next.name, text, table)
    setLoaded({ ...content, name: next.name })
    setMended(new Map())
    setRefused(new Map())
    setOnlyFaults(null)
    setMaking(false)
  }
  if (file !== null && file !== taken) void read(file)

  const checker = useMemo(() => createChecker(table, index, { isMaking }), [table, index, isMaking])
  const checked = useMemo(
    () => loaded?.rows.map(({ line, cells }) => checker.check(line, cells)) ?? [],
    [loaded, checker],
  )
  const rows = useMemo(
    () =>
      mended.size === 0
        ? checked
        : checked.map((row) => {
            const cells = mended.get(row.line)
            return cells ? checker.check(row.line, { ...row.cells, ...cells }) : row
          }),
    [checked, mended, checker],
  )
  const isOnlyFaults = onlyFaults ?? checked.some((row) => row.faults.size > 0)
  return {
    loaded,
    read,
    rows,
    /** What was mended stays in sight. */
    shown: isOnlyFaults
      ? rows.filter((row) => row.faults.size > 0 || mended.has(row.line) || refused.has(row.key))
      : rows,
    isOnlyFaults,
    setOnlyFaults,
    makeObjects: () => setMaking(true),
    mend: (line: number, field: RuleFieldName, text: string): void =>
      setMended((now) => new Map(now).set(line, { ...now.get(line), [field]: text })),
    /** By row: why the gateway refused it. */
    refused,
    refuse: setRefused,
  }
}

/** Calls that make objects come before those of the rows. */
const refusedRows = (
  problems: readonly Problem[],
  rows: readonly ImportRow[],
  made: number,
): ReadonlyMap<string, string> =>
  new Map(
    problems.flatMap(({ field, message }) => {
      const at = /^calls\[(\d+)\]/.exec(field)?.[1]
      const row = at === undefined ? undefined : rows[Number(at) - made]
      return row ? [[row.key, message] as const] : []
    }),
  )

/** Each goes to the place of the first rule there is, so that their order stays. */
function callOf(
  table: RuleTable,
  body: ImportRow['body'],
  place: string,
  [first]: readonly Rule[],
  etag: string | null,
): PlannedCall {
  const query = place === 'top' && first ? { anchor_item_id: first.id, insert_after: false } : {}
  return { endpoint: table.calls.create, query, body, etag }
}
