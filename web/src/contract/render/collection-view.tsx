// A list of the contract as a grid with everything that is done to its rows: on a page of its own, or inside of an item.

import { type ReactNode, useCallback, useMemo } from 'react'
import { commandsOf } from '../../api/commands.ts'
import { Button } from '../../ui/button.tsx'
import { CommandBlock } from '../../ui/command-block.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { RowClass, Sort } from '../../ui/grid/types.ts'
import { Popover } from '../../ui/popover.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { t } from '../../words.ts'
import { columnsOf, writeSort } from '../columns.ts'
import type { Collection, Item } from '../define.ts'
import { type Around, idOf, paramsOf } from '../plan.ts'
import { BulkBar } from './bulk-bar.tsx'
import styles from './collection.module.css'
import { ColumnChoice } from './column-choice.tsx'
import { EmptyList } from './empty-list.tsx'
import { gridColumns } from './grid-columns.tsx'
import { MoveDialog } from './move-dialog.tsx'
import { Gone, OpenedPanel } from './opened-item.tsx'
import type { Opener } from './opener.ts'
import { useRowActions } from './row-actions.tsx'
import { rowMenu } from './row-menu.ts'
import { useChosenColumns } from './use-chosen-columns.ts'
import { useCollectionRows, useShownRows } from './use-collection-rows.ts'
import { type ListChanges, useListChanges } from './use-list-changes.ts'
import { type RowActs, useRowActs } from './use-row-acts.ts'
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
  /** The button for a new item is in the head of the page. */
  readonly hasOwnAdd?: boolean
}

export function CollectionView(props: CollectionViewProps): ReactNode {
  const { collection, around, opener, name, isAtOnce, label } = props
  const { read, stored, etag } = useCollectionRows(collection, around)
  const changes = useListChanges({ collection, around, rows: stored, etag, isAtOnce })
  const columns = useMemo(() => columnsOf(collection), [collection])
  const chosen = useChosenColumns(name, columns)
  const speaking = useSpeaking(useMemo(() => columns.flatMap(({ field }) => field ?? []), [columns]))
  const rowKey = useCallback((row: Item) => idOf(collection, row), [collection])
  const actions = useRowActions(collection, around)
  const acts = useRowActs({ collection, opener, changes, actions })
  const { sort, shown, isFiltered } = useShownRows({ collection, opener, rows: changes.rows, columns, speaking })
  const positions = useMemo(
    () => new Map(changes.rows.map((row, at) => [idOf(collection, row), at + 1])),
    [changes.rows, collection],
  )
  const selected = changes.rows.filter((row) => acts.selection.has(rowKey(row)))
  const total = changes.rows.length
  const count = isFiltered
    ? t('{found} of {count}', { found: shown.length, count: total })
    : t('{count, plural, one {# entry} other {# entries}}', { count: total })

  return (
    <div className={styles.inner}>
      <ListBar {...props} acts={acts} isFiltered={isFiltered} count={read.data ? count : undefined}>
        <ColumnChoice columns={columns} chosen={chosen} />
      </ListBar>
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
          onRemove={() => acts.askRemove(selected)}
          onMove={acts.canMove ? () => acts.askMove(selected) : undefined}
          onClear={() => acts.setSelection(new Set())}
          actions={actions.bulkOf(selected)}
        />
      ) : null}
      {read.data || read.isPending ? (
        <Grid
          label={label}
          rows={shown}
          rowKey={rowKey}
          columns={gridColumns({
            collection,
            columns: chosen.shown,
            speaking,
            positionOf: (row) => positions.get(rowKey(row)) ?? 0,
            isPending: changes.isPending,
            onSwitch: (row, field, isOn) => changes.setEnabled([row], field, isOn),
            menuOf: (row) => rowMenu(row, collection, acts, actions),
          })}
          selection={acts.selection}
          onSelection={acts.setSelection}
          onOpen={acts.open}
          activeKey={opener.id}
          onKey={acts.onKey}
          {...(acts.canMove && !isFiltered ? { onDrop: acts.drop } : {})}
          sort={sort}
          {...(collection.isOrdered ? {} : { onSort: (next: Sort | null) => opener.setSort(writeSort(next)) })}
          rowClass={(row) => classOf(row, changes)}
          isLoading={read.isPending}
          height="fill"
          empty={<EmptyList {...{ collection, opener, isFiltered }} canAdd={acts.canAdd} why={acts.mayAdd.why} />}
        />
      ) : null}
      <OpenedItem {...props} acts={acts} rows={stored} etag={etag} isRead={read.data !== undefined} />
      <AskedOfRows collection={collection} changes={changes} acts={acts} />
      {actions.dialog}
    </div>
  )
}

function classOf(row: Item, changes: ListChanges): RowClass {
  if (changes.isMoved(row)) return 'moved'
  if (changes.isPending(row)) return 'pending'
  return row.enabled === false ? 'disabled' : null
}

interface ListBarProps extends CollectionViewProps {
  readonly acts: RowActs
  readonly isFiltered: boolean
  readonly count: string | undefined
  /** The choice of columns. */
  readonly children: ReactNode
}

function ListBar(props: ListBarProps): ReactNode {
  const { collection, around, opener, acts, isFiltered, count, children, hasOwnAdd = false } = props
  const { list, create } = collection.endpoints
  return (
    <FilterBar
      text={opener.query}
      onText={opener.setQuery}
      chips={isFiltered ? [{ id: 'q', label: opener.query, onRemove: () => opener.setQuery('') }] : []}
      count={count}
    >
      {children}
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
          isDisabled={!acts.canAdd}
          why={acts.mayAdd.why}
          onClick={() => acts.openNew()}
        >
          {t('Add {item}', { item: t(collection.itemName) })}
        </Button>
      )}
    </FilterBar>
  )
}

interface OpenedItemProps extends CollectionViewProps {
  readonly acts: RowActs
  readonly rows: readonly Item[]
  readonly etag: string | null
  readonly isRead: boolean
}

/** What the address names: an item that is there, a new one, or one that is gone. */
function OpenedItem(props: OpenedItemProps): ReactNode {
  const { collection, around, opener, acts, rows, etag, isRead, isPanelLess = false } = props
  const isNew = opener.id === 'new'
  const opened = opener.id === null || isNew ? null : (rows.find((row) => idOf(collection, row) === opener.id) ?? null)
  if ((opened && !isPanelLess) || (isNew && collection.endpoints.create && isRead))
    return (
      <OpenedPanel
        key={opener.id}
        {...{ collection, around, opener, etag, rows }}
        row={opened}
        onCopy={acts.copy}
        onRemove={(row) => acts.askRemove([row])}
      />
    )
  if (isPanelLess || opener.id === null || isNew || opened || !isRead) return null
  return <Gone onClose={() => opener.open(null)} />
}

interface AskedOfRowsProps {
  readonly collection: Collection
  readonly changes: ListChanges
  readonly acts: RowActs
}

/** Where rows go, and whether they really are removed. */
function AskedOfRows({ collection, changes, acts }: AskedOfRowsProps): ReactNode {
  const { moving, removing } = acts
  return (
    <>
      {moving ? (
        <MoveDialog
          rows={changes.rows}
          chosen={moving}
          idField={collection.idField}
          onMove={(spot) => acts.move(moving, spot)}
          onClose={() => acts.askMove(null)}
        />
      ) : null}
      {removing ? (
        <Confirm
          title={t('Remove {count, plural, one {this entry} other {these # entries}}?', { count: removing.length })}
          action={t('Remove')}
          isDanger
          onConfirm={() => acts.remove(removing)}
          onClose={acts.keepAll}
        >
          <ul>
            {removing.slice(0, 10).map((row) => (
              <li key={idOf(collection, row)}>{collection.title(row)}</li>
            ))}
          </ul>
        </Confirm>
      ) : null}
    </>
  )
}
