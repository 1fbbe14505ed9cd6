// A read of the contract shown as it is: rows as a grid, an object as labels and values, text as text. Variables of the path and
// parameters are chosen by the person where the read needs them.

import { type ReactNode, useMemo, useState } from 'react'
import type { CallOptions } from '../../api/call.ts'
import { useRead } from '../../api/reads.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { t } from '../../words.ts'
import { columnsFrom, columnText, compareRows, restColumn, widthOf } from '../columns.ts'
import type { Choices, Item, Read } from '../define.ts'
import { getAt, isItem, noFaults, setAt } from '../draft.ts'
import { type Around, rowsIn, rowsOfSchema } from '../plan.ts'
import { emptyItem, formFields, mainSchema, type Schema } from '../schema.ts'
import { labelOf } from '../words.ts'
import { FieldCell, OwnCell } from './cells.tsx'
import { Form } from './form.tsx'
import { columnTitle } from './grid-columns.tsx'
import { ReplyView } from './reply-view.tsx'
import { useRowActions } from './row-actions.tsx'
import styles from './stack.module.css'
import { useNames } from './use-names.ts'
import { useSpeaking } from './use-speaking.ts'

export interface ReadViewProps {
  readonly read: Read
  readonly around: Around
}

export function ReadView({ read, around }: ReadViewProps): ReactNode {
  const { endpoint, choose = {}, asks = [] } = read
  const [params, setParams] = useState<Around>({})
  const askedFields = useMemo(
    () => formFields(endpoint.query as Schema, read.fields).filter(({ name }) => asks.includes(name)),
    [endpoint, read.fields, asks],
  )
  const [asked, setAsked] = useState<Item>(() => emptyItem(askedFields))
  const [sent, setSent] = useState<Item | null>(asks.length === 0 ? {} : null)
  const [isWanted, setWanted] = useState(read.isOnRequest !== true)
  const speaking = useSpeaking(askedFields)
  const all = { ...params, ...around }
  const isComplete = endpoint.params.every((name) => all[name] !== undefined && all[name] !== '')
  const reply = useRead(endpoint, {
    params: all,
    query: { ...read.query, ...withoutEmpty(sent ?? {}) },
    isEnabled: isComplete && sent !== null && isWanted,
    ...(read.everyMs === undefined ? {} : { everyMs: read.everyMs }),
  } as CallOptions)
  return (
    <Panel
      title={read.title === undefined ? undefined : t(read.title)}
      isFlush={Array.isArray(rowsOfReply(reply.data?.data, read.rowsIn))}
    >
      {read.text === undefined ? null : <p className={styles.text}>{t(read.text)}</p>}
      {Object.entries(choose).map(([name, choices]) => (
        <Chooser
          key={name}
          name={name}
          choices={choices}
          value={all[name]}
          onChange={(value) => setParams((now) => ({ ...now, [name]: value }))}
        />
      ))}
      {askedFields.length > 0 ? (
        <div className={styles.asks}>
          <Form
            {...{ speaking }}
            fields={askedFields}
            value={asked}
            base={null}
            faults={noFaults}
            isDisabled={false}
            onChange={(path, value) => setAsked((now) => setAt(now, path, value))}
          />
          <Button kind="primary" onClick={() => setSent(asked)}>
            {read.button === undefined ? t('Ask') : t(read.button)}
          </Button>
        </div>
      ) : null}
      {!isWanted ? (
        <Button onClick={() => setWanted(true)}>{read.button === undefined ? t('Show') : t(read.button)}</Button>
      ) : null}
      {reply.error ? <ProblemBox failure={reply.error} onRetry={() => void reply.refetch()} /> : null}
      {reply.data ? <Answer read={read} around={all} data={reply.data.data} /> : null}
      {!reply.data && !reply.error && isWanted && isComplete && sent !== null ? <Skeleton lines={3} /> : null}
    </Panel>
  )
}

const withoutEmpty = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== '' && value !== null && value !== undefined))

const rowsOfReply = (data: unknown, field: string | undefined): unknown =>
  field === undefined || field === '' ? data : getAt(data, field)

interface ChooserProps {
  readonly name: string
  readonly choices: Choices
  readonly value: string | number | undefined
  readonly onChange: (value: string) => void
}

/** A variable of the path, chosen from another list. */
export function Chooser({ name, choices, value, onChange }: ChooserProps): ReactNode {
  const names = useNames([], [choices])
  const options = names.rowsOf(choices).map((row) => ({ value: String(choices.value(row)), label: choices.label(row) }))
  return (
    <Field
      label={t(labelOf(name.replace(/_(id|name)$/, '')))}
      hint={options.length === 0 && !names.isLoading ? t('There is none yet.') : undefined}
    >
      {(ids) => (
        <Select
          {...ids}
          value={value === undefined ? null : String(value)}
          options={options}
          onChange={onChange}
          isDisabled={options.length === 0}
        />
      )}
    </Field>
  )
}

interface AnswerProps {
  readonly read: Read
  readonly around: Around
  readonly data: unknown
}

function Answer({ read, around, data }: AnswerProps): ReactNode {
  const list = rowsOfReply(data, read.rowsIn)
  if (Array.isArray(list)) {
    const isOfTexts = list.every((entry) => !isItem(entry))
    if (isOfTexts && list.length > 0)
      return (
        <ul>
          {list.map((entry) => (
            <li key={String(entry)}>{String(entry)}</li>
          ))}
        </ul>
      )
    return <TableView read={read} around={around} rows={rowsIn(data, read.rowsIn)} />
  }
  return <ReplyView endpoint={read.endpoint} reply={data} fields={read.fields} only={read.only} />
}

const rowHeight = 28
const shownRows = 14

function TableView({
  read,
  around,
  rows,
}: {
  readonly read: Read
  readonly around: Around
  readonly rows: readonly Item[]
}): ReactNode {
  const columns = useMemo(() => {
    const fields = formFields(rowsOfSchema(read.endpoint.reply as Schema, read.rowsIn), read.fields)
    const named = read.columns ?? fields.filter(({ name }) => name !== 'id').map(({ name }) => name)
    return columnsFrom(named, fields, '').filter(({ isExtra }) => !isExtra)
  }, [read])
  const speaking = useSpeaking(useMemo(() => columns.flatMap(({ field }) => field ?? []), [columns]))
  const [sort, setSort] = useState<{ readonly id: string; readonly isDown: boolean } | null>(null)
  const title = (row: Item): string =>
    String(row.name ?? row.title ?? row.login ?? row.id ?? columnText(columns[0] ?? none, row, speaking))
  const actions = useRowActions({ row: read.row ?? [], endpoints: { list: read.endpoint }, title }, around)
  const sorted = useMemo(() => {
    const column = columns.find(({ id }) => id === sort?.id)
    if (!column || sort === null) return rows
    const compare = compareRows(column, speaking)
    return rows.toSorted((a, b) => (sort.isDown ? compare(b, a) : compare(a, b)))
  }, [rows, columns, sort, speaking])
  const rest = restColumn(columns)
  return (
    <>
      <Grid
        label={read.title === undefined ? t('Rows') : t(read.title)}
        rows={sorted}
        rowKey={(row) => keyOf(row, rows)}
        height={Math.min(shownRows, Math.max(3, rows.length)) * rowHeight + 40}
        sort={sort}
        onSort={setSort}
        onKey={({ key, rows: chosen }) => actions.onKey(key, chosen)}
        empty={<Empty title={read.empty === undefined ? t('Nothing to show.') : t(read.empty)} />}
        columns={[
          ...columns.map((column) => ({
            id: column.id,
            title: columnTitle(column),
            width: widthOf(column, rest),
            minWidth: 120,
            text: (row: Item) => columnText(column, row, speaking),
            sort: compareRows(column, speaking),
            cell: (row: Item) =>
              column.spec.cell || column.spec.text || column.spec.to || column.field === null ? (
                <OwnCell column={column.spec} row={row} text={columnText(column, row, speaking)} />
              ) : (
                <FieldCell field={column.field} value={row[column.id]} speaking={speaking} />
              ),
          })),
          ...(read.row
            ? [
                {
                  id: 'menu',
                  title: '',
                  width: 44,
                  cell: (row: Item) => (
                    <Menu
                      label={t('Actions of {name}', { name: title(row) })}
                      icon="more"
                      items={actions.menuOf(row)}
                    />
                  ),
                },
              ]
            : []),
        ]}
      />
      {actions.dialog}
    </>
  )
}

const none = { id: '', spec: { id: '' }, field: null, isExtra: false }

const keyOf = (row: Item, rows: readonly Item[]): string =>
  row.id === undefined ? `${rows.indexOf(row)}` : String(row.id)

export const isObjectReply = (schema: Schema | null): boolean => mainSchema(schema ?? {}).schema.type === 'object'
