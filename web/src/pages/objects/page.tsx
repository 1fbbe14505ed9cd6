// Lists of objects: one page for each group of kinds and one for all, with what each stands for and how often it is used.

import { geoipState, listAll, useCounts } from '@gateway/server/contract/objects'
import { useMemo, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column, GridKey } from '../../ui/grid/types.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { kindOfId } from '../../util/objects.ts'
import { heard, msg, t } from '../../words.ts'
import { groupTitles, kindById, type ObjectGroup, objectKinds } from './kinds.ts'
import { ObjectDrawer } from './object-drawer.tsx'
import styles from './page.module.css'
import { filterObjects, type ObjectRow, objectRows } from './rows.ts'
import { useObjects } from './use-objects.ts'

const leads: Readonly<Record<ObjectGroup | 'all', string>> = {
  all: msg('What rules are made of. A change means the new thing in every rule that names it.'),
  addresses: msg('Addresses, networks, ranges, domains and lists of them, for the source and destination of rules.'),
  ports: msg('Ports, ranges of ports and lists of them.'),
  times: msg('Days and hours in which a rule works.'),
  zones: msg('Connections under one name, so that rules do not have to be changed with them.'),
  countries: msg('Countries by the country database, and lists of them.'),
}

export function objectsPage(group: ObjectGroup | null): HandPage {
  return { kind: 'hand', Component: () => <ObjectsPage group={group} /> }
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
function ObjectsPage({ group }: { readonly group: ObjectGroup | null }) {
  const place = usePlace()
  const go = useGo()
  const review = useReview()
  const editing = useEditing('firewall')
  const { read, index, uses, isCounted } = useObjects()
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const { q = '', kind: kindFilter, unused } = place.search
  const kinds = group === null ? objectKinds : objectKinds.filter((one) => one.group === group)
  const rows = useMemo(() => objectRows(index.all, group, uses), [index, group, uses])
  const shown = useMemo(
    () => filterObjects(rows, { text: q, kind: kindFilter ?? null, isOnlyUnused: unused !== undefined }),
    [rows, q, kindFilter, unused],
  )
  const columns = useMemo(
    () => columnsOf(isCounted, group === null || kinds.length > 1),
    [isCounted, group, kinds.length],
  )

  const add = (kind: string): void => go.open(`${place.path}/new`, { ...place.search, kind })
  const remove = (targets: readonly ObjectRow[]): void => {
    const free = targets.filter(({ isFixed }) => !isFixed)
    const used = free.filter(({ uses: count }) => count > 0)
    if (used.length > 0) {
      toast(
        t('{count, plural, one {{name} is used and stays.} other {# objects are used and stay.}}', {
          count: used.length,
          name: used[0]?.object.title ?? '',
        }),
        { tone: 'warn' },
      )
    }
    const gone = free.filter(({ uses: count }) => count === 0)
    if (gone.length === 0) return
    review.open({
      title: t('{count, plural, one {Remove {name}} other {Remove # objects}}', {
        count: gone.length,
        name: gone[0]?.object.title ?? '',
      }),
      calls: gone.flatMap(({ key }) => {
        const endpoint = kindById.get(kindOfId(key))?.collection.endpoints.remove
        return endpoint ? [{ endpoint, params: { object_id: key } }] : []
      }),
      reads: [
        listAll,
        useCounts,
        ...new Set(gone.flatMap(({ key }) => kindById.get(kindOfId(key))?.collection.endpoints.list ?? [])),
      ],
      onApplied: () => {
        setSelection(new Set())
        if (gone.some(({ key }) => key === place.item)) go.openItem(null)
      },
    })
  }

  const onKey = ({ key, row, rows: targets }: GridKey<ObjectRow>): boolean => {
    const change = (act: () => void): boolean => {
      if (editing.isAllowed) act()
      else if (editing.why) toast(editing.why)
      return true
    }
    switch (key) {
      case 'o':
        return change(() => add(row && !row.isFixed ? kindOfId(row.key) : (kinds[0]?.id ?? 'ip')))
      case 'c':
        return row === null || row.isFixed
          ? false
          : change(() => go.open(`${place.path}/new`, { ...place.search, kind: kindOfId(row.key), copy: row.key }))
      case 'u':
        if (row) go.open(`${place.path}/${encodeURIComponent(row.key)}`, { ...place.search, tab: 'used' })
        return true
      case 'Delete':
        return change(() => remove(targets))
      default:
        return false
    }
  }

  return (
    <div className={styles.page}>
      <PageHead title={group === null ? t('All objects') : t(groupTitles[group])} lead={t(leads[group ?? 'all'])}>
        {kinds.length === 1 ? (
          <Button
            kind="primary"
            icon="add"
            onClick={() => add(kinds[0]?.id ?? '')}
            isDisabled={!editing.isAllowed}
            why={editing.why}
          >
            {t('Add')}
          </Button>
        ) : (
          <Menu
            label={t('Add')}
            items={kinds.map(({ id, word, icon }) => ({
              label: t(word),
              icon,
              onSelect: () => add(id),
              isDisabled: !editing.isAllowed,
              why: editing.why,
            }))}
          >
            <Button kind="primary" icon="add">
              {t('Add')}
            </Button>
          </Menu>
        )}
      </PageHead>
      {group === 'countries' ? <CountryBase /> : null}
      <FilterBar
        text={q}
        onText={(text) => go.setSearch({ q: text === '' ? null : text }, { replace: true })}
        count={t('{shown} of {all}', { shown: shown.length, all: rows.length })}
        label={t('Filter objects')}
      >
        {kinds.length > 1 ? (
          <Select
            isCompact
            label={t('Kind')}
            value={kindFilter ?? ''}
            options={[
              { value: '', label: t('All kinds') },
              ...kinds.map(({ id, word }) => ({ value: id, label: t(word) })),
            ]}
            onChange={(value) => go.setSearch({ kind: value === '' ? null : value }, { replace: true })}
          />
        ) : null}
        <Switch
          isOn={unused !== undefined}
          onChange={(isOn) => go.setSearch({ unused: isOn ? '1' : null }, { replace: true })}
          label={t('Unused')}
        />
        {selection.size > 0 ? (
          <Button
            size="small"
            icon="remove"
            keys="Del"
            isDisabled={!editing.isAllowed}
            why={editing.why}
            onClick={() => remove(rows.filter(({ key }) => selection.has(key)))}
          >
            {t('Remove {count}', { count: selection.size })}
          </Button>
        ) : null}
      </FilterBar>
      {read.error && !read.data ? (
        <ProblemBox failure={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Grid
          label={t('Objects')}
          rows={shown}
          rowKey={keyOfRow}
          columns={columns}
          selection={selection}
          onSelection={setSelection}
          onOpen={({ key }) => go.openItem(key)}
          activeKey={place.item}
          onKey={onKey}
          isLoading={read.isPending}
          height="fill"
          sort={sortOf(place.search.sort)}
          onSort={(sort) =>
            go.setSearch({ sort: sort === null ? null : `${sort.isDown ? '-' : ''}${sort.id}` }, { replace: true })
          }
          empty={
            <NoObjects
              isFiltered={shown.length < rows.length}
              kindId={kinds[0]?.id ?? 'ip'}
              onAdd={add}
              onClear={() => go.setSearch({ q: null, kind: null, unused: null })}
            />
          }
        />
      )}
      {place.item === null || !read.data ? null : (
        <ObjectDrawer
          key={`${place.item} ${place.search.kind ?? ''} ${place.search.copy ?? ''}`}
          item={place.item}
          index={index}
          uses={uses}
          onRemove={(id) => remove(rows.filter(({ key }) => key === id))}
          onClose={() => go.open(place.path, keptSearch(place.search))}
        />
      )}
    </div>
  )
}

const keyOfRow = ({ key }: ObjectRow): string => key

const keptSearch = ({ q, unused, sort }: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ q, unused, sort }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

const sortOf = (text: string | undefined) =>
  text === undefined ? null : { id: text.replace(/^-/, ''), isDown: text.startsWith('-') }

function columnsOf(isCounted: boolean, hasKinds: boolean): readonly Column<ObjectRow>[] {
  return [
    {
      id: 'title',
      title: t('Name'),
      width: 260,
      isSticky: true,
      text: ({ object }) => object.title,
      cell: ({ object, key }) => (
        <span className={styles.name}>
          <Icon name={kindById.get(kindOfId(key))?.icon ?? 'country'} size={14} />
          <PlainText text={object.title} limit={80} />
        </span>
      ),
    },
    ...(hasKinds
      ? [
          {
            id: 'kind',
            title: t('Kind'),
            width: 150,
            text: ({ key }: ObjectRow) => kindWord(key),
            cell: ({ key }: ObjectRow) => <span className={styles.quiet}>{kindWord(key)}</span>,
          },
        ]
      : []),
    {
      id: 'value',
      title: t('Stands for'),
      width: 250,
      text: ({ value }) => value,
      cell: ({ object, value }) =>
        object.values === undefined ? (
          <PlainText text={value} limit={80} isMono />
        ) : (
          <span className={styles.quiet}>{value}</span>
        ),
    },
    {
      id: 'used',
      title: t('Used'),
      width: 84,
      isNumber: true,
      sort: (a, b) => a.uses - b.uses,
      cell: ({ key, uses, isFixed }) => <Uses id={key} count={uses} isCounted={isCounted && !isFixed} />,
    },
    {
      id: 'comment',
      title: t('Comment'),
      width: 'rest',
      text: ({ object }) => object.comment,
      cell: ({ object }) => (
        <span className={styles.quiet}>
          <PlainText text={object.comment} limit={255} />
        </span>
      ),
    },
  ]
}

const kindWord = (id: string): string => t(kindById.get(kindOfId(id))?.word ?? 'country')

function Uses({ id, count, isCounted }: { readonly id: string; readonly count: number; readonly isCounted: boolean }) {
  const { path, search } = usePlace()
  if (!isCounted) return null
  if (count === 0) return <span className={styles.unused}>{t('unused')}</span>
  return (
    <Link
      to={`${path}/${encodeURIComponent(id)}`}
      search={{ ...search, tab: 'used' }}
      label={t('Used {count} times', { count })}
    >
      {count}
    </Link>
  )
}

interface NoObjectsProps {
  readonly isFiltered: boolean
  readonly kindId: string
  readonly onAdd: (kind: string) => void
  readonly onClear: () => void
}

function NoObjects({ isFiltered, kindId, onAdd, onClear }: NoObjectsProps) {
  if (isFiltered)
    return (
      <Empty
        title={t('No object fits the filter')}
        action={<Button onClick={onClear}>{t('Clear the filter')}</Button>}
      />
    )
  const kind = kindById.get(kindId)
  return (
    <Empty
      title={t('Nothing here yet')}
      action={
        <Button icon="add" onClick={() => onAdd(kindId)}>
          {t('Add the first one')}
        </Button>
      }
    >
      {t(kind?.collection.empty.text ?? '')}
    </Empty>
  )
}

/** Rules by countries mean nothing without the database. */
function CountryBase() {
  const { data } = useRead(geoipState)
  const state = data?.data
  if (!state) return null
  if (!state.loaded)
    return (
      <Bar tone="warn">
        {t('There is no country database: rules that name countries match nothing. Put it at {path}.', {
          path: state.path,
        })}{' '}
        {state.msg.map(heard).join(' ')}
      </Bar>
    )
  return (
    <Bar tone="plain">
      {t('The database knows networks of {count, plural, one {# country} other {# countries}}.', {
        count: state.countries,
      })}{' '}
      {state.build_time === null ? null : (
        <>
          {t('Made:')} <Time unix={state.build_time} />
        </>
      )}
    </Bar>
  )
}
