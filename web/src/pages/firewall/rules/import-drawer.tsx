// Rules from a file: every cell is checked here, faults stand at their cells and are mended in place, then all rules are
// reviewed and applied as one revision.

import { type KeyboardEvent, useMemo, useState } from 'react'
import { useReview } from '../../../api/apply.ts'
import type { PlannedCall } from '../../../api/change.ts'
import { Bar } from '../../../ui/bar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/drawer.tsx'
import { FileDrop } from '../../../ui/file-drop.tsx'
import { Grid } from '../../../ui/grid/grid.tsx'
import type { Column } from '../../../ui/grid/types.ts'
import { PlainText } from '../../../ui/plain-text.tsx'
import { Select } from '../../../ui/select.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextInput } from '../../../ui/text-input.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import type { ObjectIndex } from '../../../util/objects.ts'
import { t } from '../../../words.ts'
import { withObjects } from '../make-objects.ts'
import { mostCalls } from './bulk-drawer.tsx'
import { type Cells, createChecker, type ImportFile, type ImportRow, missingObjects, readRuleFile } from './exchange.ts'
import styles from './import-drawer.module.css'
import { fieldTitles, type Rule, type RuleFieldName, type RuleTable } from './tables.ts'

export interface ImportDrawerProps {
  readonly table: RuleTable
  readonly rules: readonly Rule[]
  readonly etag: string | null
  readonly index: ObjectIndex
  /** Dropped on the page. */
  readonly file: File | null
  readonly onClose: () => void
  readonly onApplied: (ids: readonly number[]) => void
}

interface Loaded extends ImportFile {
  readonly name: string
}

const largestFileBytes = 16 * 1024 * 1024

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function ImportDrawer({ table, rules, etag, index, file, onClose, onApplied }: ImportDrawerProps) {
  const review = useReview()
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [mended, setMended] = useState<ReadonlyMap<number, Cells>>(new Map())
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const [place, setPlace] = useState('end')
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
  const faulty = rows.filter((row) => row.faults.size > 0)
  const missing = useMemo(() => missingObjects(faulty), [faulty])
  const shown = isOnlyFaults
    ? rows.filter((row) => row.faults.size > 0 || mended.has(row.line) || refused.has(row.key))
    : rows
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
        onApplied(replies.slice(made).flatMap((reply) => (reply as { id?: number } | null)?.id ?? [])),
      onProblems: (problems) =>
        setRefused(
          new Map(
            problems.flatMap(({ field, message }) => {
              const at = /^calls\[(\d+)\]/.exec(field)?.[1]
              const row = at === undefined ? undefined : rows[Number(at) - made]
              return row ? [[row.key, message] as const] : []
            }),
          ),
        ),
    })
  }

  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.stopPropagation()
    submit()
  }

  const mend = (line: number, field: RuleFieldName, text: string): void =>
    setMended((now) => new Map(now).set(line, { ...now.get(line), [field]: text }))

  return (
    <Drawer
      title={t('Import {table} rules', { table: table.title })}
      width="wide"
      onClose={onClose}
      foot={
        <div className={styles.foot}>
          <span className={styles.count} role="status">
            {loaded === null || loaded.problem !== null
              ? ''
              : t(
                  '{count, plural, one {# rule} other {# rules}}, {faulty, plural, =0 {no faults} one {# with faults} other {# with faults}}',
                  {
                    count: rows.length,
                    faulty: faulty.length,
                  },
                )}
          </span>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            kind="primary"
            keys="Ctrl Enter"
            onClick={submit}
            isDisabled={!canSubmit}
            why={
              isTooMany
                ? t('At most 2,000 rules and new objects can be added at once.')
                : faulty.length > 0
                  ? t('Mend the faults first.')
                  : undefined
            }
          >
            {t('Review all')}
          </Button>
        </div>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole form */}
      <div className={styles.body} onKeyDown={onKey}>
        {loaded === null || loaded.problem !== null ? (
          <>
            {loaded?.problem ? <Bar tone="bad">{loaded.problem}</Bar> : null}
            <FileDrop
              onFile={(next) => void read(next)}
              accept=".csv,.tsv,.txt,.json"
              label={t('Drop a CSV or JSON file with rules here')}
            />
            <p className={styles.hint}>
              {t(
                'The first line names the columns, as in a file that was exported here. Objects are written by name, by id or by address; several between bars.',
              )}
            </p>
          </>
        ) : (
          <>
            <div className={styles.line}>
              <Select
                isCompact
                label={t('Where the rules go')}
                value={place}
                options={[
                  { value: 'end', label: t('To the end of {table}', { table: table.title }) },
                  { value: 'top', label: t('To the top of {table}', { table: table.title }) },
                ]}
                onChange={setPlace}
              />
              <Switch isOn={isOnlyFaults} onChange={setOnlyFaults} label={t('Only rows with faults')} />
              {missing.length > 0 ? (
                <Button icon="add" onClick={() => setMaking(true)}>
                  {t('{count, plural, one {Make # missing object} other {Make # missing objects}}', {
                    count: missing.length,
                  })}
                </Button>
              ) : null}
            </div>
            {loaded.ignored.length > 0 ? (
              <Bar tone="plain">{t('Columns that are not used: {names}', { names: loaded.ignored.join(', ') })}</Bar>
            ) : null}
            {isTooMany ? <Bar tone="warn">{t('At most 2,000 rules and new objects can be added at once.')}</Bar> : null}
            <div className={styles.grid}>
              <Grid
                label={t('Rules of the file')}
                rows={shown}
                rowKey={({ key }) => key}
                columns={columnsOf(loaded.columns, refused, mend)}
                height="fill"
                empty={<p className={styles.hint}>{t('No row has a fault.')}</p>}
              />
            </div>
          </>
        )}
      </div>
    </Drawer>
  )
}

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

function columnsOf(
  fields: readonly RuleFieldName[],
  refused: ReadonlyMap<string, string>,
  onMend: (line: number, field: RuleFieldName, text: string) => void,
): readonly Column<ImportRow>[] {
  return [
    {
      id: 'line',
      title: t('Line'),
      width: 72,
      isNumber: true,
      isSticky: true,
      cell: ({ line, key }) => {
        const message = refused.get(key)
        return message === undefined ? (
          line
        ) : (
          <Tooltip text={message}>
            <span className={styles.refused}>{line}</span>
          </Tooltip>
        )
      },
    },
    ...fields.map(
      (field): Column<ImportRow> => ({
        id: field,
        title: t(fieldTitles[field]),
        width: field === 'comment' ? 'rest' : (widths[field] ?? 110),
        cell: (row) => <CellText row={row} field={field} />,
        edit: (row, done) => (
          <TextInput
            value={row.cells[field] ?? ''}
            onChange={(text) => onMend(row.line, field, text)}
            label={t('{field} of line {line}', { field: t(fieldTitles[field]), line: row.line })}
            onEnter={done}
            autoFocus
          />
        ),
      }),
    ),
  ]
}

const widths: Readonly<Partial<Record<RuleFieldName, number>>> = {
  enabled: 56,
  protocol: 76,
  action: 84,
  source_addresses: 190,
  destination_addresses: 190,
}

function CellText({ row, field }: { readonly row: ImportRow; readonly field: RuleFieldName }) {
  const fault = row.faults.get(field)
  const text = <PlainText text={row.cells[field] ?? ''} limit={120} />
  if (fault === undefined) return text
  return (
    <Tooltip text={fault.message}>
      <span className={styles.fault} data-fault={fault.message}>
        {(row.cells[field] ?? '') === '' ? '–' : text}
      </span>
    </Tooltip>
  )
}
