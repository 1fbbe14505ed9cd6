// A list of the contract as a grid with everything that is done to its rows: on a page of its own, or inside of an item.

import { type ReactNode, useCallback, useMemo, useState } from 'react'
import type { CallOptions } from '../../api/call.ts'
import { commandsOf } from '../../api/commands.ts'
import { useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { CommandBlock } from '../../ui/command-block.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { Link } from '../../ui/link.tsx'
import { Popover } from '../../ui/popover.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { t } from '../../words.ts'
import { columnsOf, columnText, compareRows, isFound, readSort, withStates, wordsOf, writeSort } from '../columns.ts'
import type { Collection, Item } from '../define.ts'
import { type Around, idOf, itemFields, paramsOf, rowsIn, type Spot, startOf, stepSpot } from '../plan.ts'
import { BulkBar } from './bulk-bar.tsx'
import styles from './collection.module.css'
import { ColumnChoice } from './column-choice.tsx'
import { gridColumns } from './grid-columns.tsx'
import { ItemPanel } from './item-panel.tsx'
import { MoveDialog } from './move-dialog.tsx'
import type { Opener } from './opener.ts'
import { useRowActions } from './row-actions.tsx'
import { useChosenColumns } from './use-chosen-columns.ts'
import { useListChanges } from './use-list-changes.ts'
import { useSpeaking } from './use-speaking.ts'

export interface CollectionViewProps {
  readonly collection: Collection
  readonly around: Around
  readonly opener: Opener
  /** Under which the chosen columns are kept. */
  readonly name: string
  readonly isAtOnce: boolean
  readonly label: string
  /** A profile opens as a page of its own instead of in the panel. */
  readonly isPanelLess?: boolean
  /** The button for a new item stands in the head of the page. */
  readonly hasOwnAdd?: boolean
}

const noRows: readonly Item[] = []

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function CollectionView(props: CollectionViewProps): ReactNode {
  const { collection, around, opener, name, isAtOnce, label, isPanelLess = false, hasOwnAdd = false } = props
  const { list, create, remove, move } = collection.endpoints
  const read = useRead(list, {
    params: around,
    query: collection.query ?? {},
    ...(collection.everyMs === undefined ? {} : { everyMs: collection.everyMs }),
  } as CallOptions)
  const states = useRead(collection.states?.endpoint ?? list, {
    isEnabled: collection.states !== undefined,
    everyMs: 10_000,
  } as CallOptions)
  const stored = useMemo(() => {
    const rows = read.data ? rowsIn(read.data.data, collection.rowsIn) : noRows
    if (!collection.states) return rows
    const { idField = 'id' } = collection.states
    return withStates(rows, rowsIn(states.data?.data, undefined), collection.idField ?? 'id', idField)
  }, [read.data, states.data, collection])
  const etag = read.data?.etag ?? null
  const changes = useListChanges({ collection, around, rows: stored, etag, isAtOnce })
  const columns = useMemo(() => columnsOf(collection), [collection])
  const chosen = useChosenColumns(name, columns)
  const speaking = useSpeaking(useMemo(() => columns.flatMap(({ field }) => field ?? []), [columns]))
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const [movedRows, setMovedRows] = useState<readonly Item[] | null>(null)
  const [removing, setRemoving] = useState<readonly Item[] | null>(null)
  const mayAdd = useEditing(create?.access ?? 'configure')
  const mayRemove = useEditing(remove?.access ?? 'configure')
  const mayMove = useEditing(move?.access ?? 'configure')
  const rowKey = useCallback((row: Item) => idOf(collection, row), [collection])
  const actions = useRowActions(collection, around)

  const { isOrdered } = collection
  const sort = useMemo(() => (isOrdered ? null : readSort(opener.sort)), [isOrdered, opener.sort])
  const words = useMemo(() => wordsOf(opener.query), [opener.query])
  const shown = useMemo(() => {
    const textOf = (row: Item): string =>
      [...columns.map((column) => columnText(column, row, speaking)), idOf(collection, row)].join('\n').toLowerCase()
    const found = words.length === 0 ? changes.rows : changes.rows.filter((row) => isFound(textOf(row), words))
    const column = sort === null ? undefined : columns.find(({ id }) => id === sort.id)
    if (!column || sort === null) return found
    const compare = compareRows(column, speaking)
    return found.toSorted((a, b) => (sort.isDown ? compare(b, a) : compare(a, b)))
  }, [changes.rows, words, columns, speaking, sort, collection])

  const positions = useMemo(
    () => new Map(changes.rows.map((row, at) => [idOf(collection, row), at + 1])),
    [changes.rows, collection],
  )
  const open = (row: Item, tab?: string): void => opener.open(rowKey(row), tab === undefined ? {} : { tab })
  const openNew = (spot?: { readonly row: Item; readonly isAfter: boolean }): void =>
    opener.open('new', spot ? { [spot.isAfter ? 'after' : 'before']: rowKey(spot.row) } : {})
  const copy = (row: Item): void =>
    collection.endpoints.copy ? changes.copy(row) : opener.open('new', { from: rowKey(row) })
  const isFree = (row: Item): boolean => (collection.isFixed?.(row) ?? null) === null
  const askRemove = (rows: readonly Item[]): void => {
    const free = rows.filter(isFree)
    if (free.length === 0) return
    if (remove?.effect === 'action') setRemoving(free)
    else changes.remove(free, afterRemove)
  }
  const afterRemove = (): void => {
    setSelection(new Set())
    setRemoving(null)
    if (opener.id !== null) opener.open(null)
  }
  const step = (rows: readonly Item[], isDown: boolean): void => {
    const spot = stepSpot(changes.rows, rows, isDown, collection.idField)
    if (spot) changes.move(rows, spot)
  }
  const canAdd = create !== undefined && mayAdd.isAllowed
  const canRemove = remove !== undefined && mayRemove.isAllowed
  const canMove = collection.isOrdered && move !== undefined && mayMove.isAllowed

  const onKey = ({ key, row, rows }: { key: string; row: Item | null; rows: readonly Item[] }): boolean => {
    if ((key === 'o' || key === 'Shift O') && canAdd) {
      openNew(collection.isOrdered && row ? { row, isAfter: key === 'o' } : undefined)
      return true
    }
    if (row === null) return false
    if (key === 'e') open(row)
    else if (key === 'c' && canAdd) copy(row)
    else if (key === 'u' && collection.usedBy) open(row, 'used')
    else if (key === 'Delete' && canRemove) askRemove(rows)
    else if (key === 'm' && canMove) setMovedRows(rows)
    else if ((key === 'Alt Up' || key === 'Alt Down') && canMove) step(rows, key === 'Alt Down')
    else return actions.onKey(key, rows)
    return true
  }

  const columnsShown = gridColumns({
    collection,
    columns: chosen.shown,
    speaking,
    positionOf: (row) => positions.get(rowKey(row)) ?? 0,
    isPending: changes.isPending,
    onSwitch: (row, field, isOn) => changes.setEnabled([row], field, isOn),
    menuOf: (row) => [
      { label: t('Open'), keys: 'Enter', icon: 'edit', onSelect: () => open(row) },
      ...actions.menuOf(row),
      ...(create
        ? [
            {
              label: t('Copy'),
              keys: 'C',
              icon: 'copy' as const,
              onSelect: () => copy(row),
              isDisabled: !canAdd,
              why: mayAdd.why,
            },
          ]
        : []),
      ...(collection.usedBy
        ? [{ label: t('Used by'), keys: 'U', icon: 'used-by' as const, onSelect: () => open(row, 'used') }]
        : []),
      ...(collection.isOrdered && create
        ? [
            {
              label: t('Insert above'),
              keys: 'Shift O',
              icon: 'add' as const,
              isDisabled: !canAdd,
              why: mayAdd.why,
              onSelect: () => openNew({ row, isAfter: false }),
            },
            {
              label: t('Insert below'),
              keys: 'O',
              icon: 'add' as const,
              isDisabled: !canAdd,
              why: mayAdd.why,
              onSelect: () => openNew({ row, isAfter: true }),
            },
          ]
        : []),
      ...(collection.isOrdered && move
        ? [
            {
              label: t('Move to …'),
              keys: 'M',
              icon: 'move' as const,
              isDisabled: !canMove,
              why: mayMove.why,
              onSelect: () => setMovedRows([row]),
            },
          ]
        : []),
      ...(remove
        ? [
            {
              label: t('Remove'),
              keys: 'Del',
              icon: 'remove' as const,
              isDanger: true,
              isApart: true,
              isDisabled: !canRemove || !isFree(row),
              why: mayRemove.why ?? (isFree(row) ? undefined : t(collection.isFixed?.(row) ?? '')),
              onSelect: () => askRemove([row]),
            },
          ]
        : []),
    ],
  })

  const selected = changes.rows.filter((row) => selection.has(rowKey(row)))
  const opened =
    opener.id === null || opener.id === 'new' ? null : (stored.find((row) => rowKey(row) === opener.id) ?? null)
  const count =
    words.length === 0
      ? t('{count, plural, one {# entry} other {# entries}}', { count: changes.rows.length })
      : t('{found} of {count}', { found: shown.length, count: changes.rows.length })

  return (
    <div className={styles.inner}>
      <FilterBar
        text={opener.query}
        onText={opener.setQuery}
        chips={words.length === 0 ? [] : [{ id: 'q', label: opener.query, onRemove: () => opener.setQuery('') }]}
        count={read.data ? count : undefined}
      >
        <ColumnChoice columns={columns} chosen={chosen} />
        <Popover
          label={t('As command')}
          align="end"
          trigger={
            <Button kind="quiet" size="small" icon="command">
              {t('As command')}
            </Button>
          }
        >
          <CommandBlock commands={commandsOf(list, { params: paramsOf(list, around, '') })} />
        </Popover>
        {hasOwnAdd || !create ? null : (
          <Button
            kind="primary"
            size="small"
            icon="add"
            keys="O"
            isDisabled={!canAdd}
            why={mayAdd.why}
            onClick={() => openNew()}
          >
            {t('Add {item}', { item: t(collection.itemName) })}
          </Button>
        )}
      </FilterBar>
      {read.error ? (
        <ProblemBox
          failure={read.error}
          onRetry={() => void read.refetch()}
          still={read.data ? t('What was read before is still shown.') : undefined}
        />
      ) : null}
      {selected.length > 0 ? (
        <BulkBar
          collection={collection}
          rows={selected}
          onEnable={(field, isOn) => changes.setEnabled(selected, field, isOn)}
          onRemove={() => askRemove(selected)}
          onMove={canMove ? () => setMovedRows(selected) : undefined}
          onClear={() => setSelection(new Set())}
          actions={actions.bulkOf(selected)}
        />
      ) : null}
      {read.data || read.isPending ? (
        <Grid
          label={label}
          rows={shown}
          rowKey={rowKey}
          columns={columnsShown}
          selection={selection}
          onSelection={setSelection}
          onOpen={open}
          activeKey={opener.id}
          onKey={onKey}
          {...(canMove && words.length === 0
            ? {
                onDrop: (keys: readonly string[], target: { readonly key: string; readonly isAfter: boolean }) => {
                  const anchor = changes.rows.find((row) => rowKey(row) === target.key)
                  const dragged = changes.rows.filter((row) => keys.includes(rowKey(row)))
                  if (anchor && !keys.includes(target.key))
                    changes.move(dragged, { anchor: anchorOf(collection, anchor), isAfter: target.isAfter })
                },
              }
            : {})}
          sort={sort}
          {...(collection.isOrdered ? {} : { onSort: (next: typeof sort) => opener.setSort(writeSort(next)) })}
          rowClass={(row) =>
            changes.isMoved(row)
              ? 'moved'
              : changes.isPending(row)
                ? 'pending'
                : row.enabled === false
                  ? 'disabled'
                  : null
          }
          isLoading={read.isPending}
          height="fill"
          empty={<EmptyList {...{ collection, opener, canAdd }} why={mayAdd.why} isFiltered={words.length > 0} />}
        />
      ) : null}
      {(opened && !isPanelLess) || (opener.id === 'new' && create && read.data) ? (
        <OpenedPanel
          key={opener.id}
          {...{ collection, around, opener, etag }}
          rows={stored}
          row={opened}
          onCopy={copy}
          onRemove={(row) => askRemove([row])}
        />
      ) : null}
      {!isPanelLess && opener.id !== null && opener.id !== 'new' && !opened && read.data ? (
        <Gone onClose={() => opener.open(null)} />
      ) : null}
      {movedRows ? (
        <MoveDialog
          rows={changes.rows}
          chosen={movedRows}
          idField={collection.idField}
          onMove={(spot) => {
            setMovedRows(null)
            changes.move(movedRows, spot)
          }}
          onClose={() => setMovedRows(null)}
        />
      ) : null}
      {removing ? (
        <Confirm
          title={t('Remove {count, plural, one {this entry} other {these # entries}}?', { count: removing.length })}
          action={t('Remove')}
          isDanger
          onConfirm={() => changes.remove(removing, afterRemove)}
          onClose={() => setRemoving(null)}
        >
          <ul>
            {removing.slice(0, 10).map((row) => (
              <li key={rowKey(row)}>{collection.title(row)}</li>
            ))}
          </ul>
        </Confirm>
      ) : null}
      {actions.dialog}
    </div>
  )
}

const anchorOf = ({ idField = 'id' }: Collection, row: Item): string | number => row[idField] as string | number

interface OpenedProps {
  readonly collection: Collection
  readonly around: Around
  readonly opener: Opener
  readonly rows: readonly Item[]
  readonly row: Item | null
  readonly etag: string | null
  readonly onCopy: (row: Item) => void
  readonly onRemove: (row: Item) => void
}

/** The panel of the open item, or of a new one that begins as a copy, as the example, or at a place in the list. */
function OpenedPanel({ collection, around, opener, rows, row, etag, onCopy, onRemove }: OpenedProps): ReactNode {
  const { extra } = opener
  const find = (id: string | undefined): Item | undefined =>
    id === undefined ? undefined : rows.find((one) => idOf(collection, one) === id)
  const start = useMemo((): Item | undefined => {
    if (row !== null || extra.from === undefined) return undefined
    if (extra.from === 'example') return collection.empty.example
    const source = rows.find((one) => idOf(collection, one) === extra.from)
    return source ? startOf(itemFields(collection, true), source, {}) : undefined
  }, [row, extra.from, rows, collection])
  const anchor = find(extra.after) ?? find(extra.before)
  const spot: Spot | null = anchor ? { anchor: anchorOf(collection, anchor), isAfter: extra.after !== undefined } : null
  const onApplied = useCallback(() => opener.open(null), [opener])
  return (
    <ItemPanel
      {...{ collection, around, row, spot, etag, start, onApplied }}
      tab={extra.tab ?? 'details'}
      onTab={opener.setTab}
      onClose={() => opener.open(null)}
      onCopy={() => row && onCopy(row)}
      onRemove={() => row && onRemove(row)}
    />
  )
}

/** The address names an item that is not there: removed, or never was. */
function Gone({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Bar tone="warn" actions={<Button onClick={onClose}>{t('Close')}</Button>}>
      {t('There is no such entry. Someone may have removed it.')}
    </Bar>
  )
}

interface EmptyListProps {
  readonly collection: Collection
  readonly opener: Opener
  readonly canAdd: boolean
  readonly why: string | undefined
  readonly isFiltered: boolean
}

function EmptyList({ collection, opener, canAdd, why, isFiltered }: EmptyListProps): ReactNode {
  const { empty, endpoints, itemName } = collection
  if (isFiltered)
    return (
      <Empty
        title={t('Nothing fits')}
        action={<Button onClick={() => opener.setQuery('')}>{t('Remove the filter')}</Button>}
      />
    )
  return (
    <Empty
      title={t('No entries yet')}
      action={
        endpoints.create ? (
          <span className={styles.actions}>
            <Button icon="add" kind="primary" isDisabled={!canAdd} why={why} onClick={() => opener.open('new')}>
              {t('Add {item}', { item: t(itemName) })}
            </Button>
            {empty.example ? (
              <Button isDisabled={!canAdd} why={why} onClick={() => opener.open('new', { from: 'example' })}>
                {t('Begin with an example')}
              </Button>
            ) : null}
            {empty.to ? <Link to={empty.to.page}>{t(empty.to.label)}</Link> : null}
          </span>
        ) : undefined
      }
    >
      {t(empty.text)}
    </Empty>
  )
}
