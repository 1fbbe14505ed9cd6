// Lists of objects: one page for each group of kinds and one for all, with what each stands for and how often it is used.

import { geoipState } from '@gateway/server/contract/objects'
import { useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Time } from '../../ui/time.tsx'
import { heard, msg, t } from '../../words.ts'
import { groupTitles, kindById, type ObjectGroup, type ObjectKind, objectKinds } from './kinds.ts'
import { objectColumns } from './object-columns.tsx'
import { ObjectDrawer } from './object-drawer.tsx'
import styles from './page.module.css'
import { filterObjects, type ObjectRow, objectRows } from './rows.ts'
import { type ObjectActs, useObjectActs } from './use-object-acts.ts'
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

function ObjectsPage({ group }: { readonly group: ObjectGroup | null }) {
  const place = usePlace()
  const go = useGo()
  const { read, index, uses, isCounted } = useObjects()
  const { q = '', kind: kindFilter, unused } = place.search
  const kinds = group === null ? objectKinds : objectKinds.filter((one) => one.group === group)
  const acts = useObjectActs(kinds)
  const rows = useMemo(() => objectRows(index.all, group, uses), [index, group, uses])
  const shown = useMemo(
    () => filterObjects(rows, { text: q, kind: kindFilter ?? null, isOnlyUnused: unused !== undefined }),
    [rows, q, kindFilter, unused],
  )
  const columns = useMemo(
    () => objectColumns(isCounted, group === null || kinds.length > 1),
    [isCounted, group, kinds.length],
  )
  return (
    <div className={styles.page}>
      <PageHead title={group === null ? t('All objects') : t(groupTitles[group])} lead={t(leads[group ?? 'all'])}>
        <AddObject kinds={kinds} acts={acts} />
      </PageHead>
      {group === 'countries' ? <CountryBase /> : null}
      <ObjectsFilter {...{ kinds, acts, rows }} count={shown.length} />
      {read.error && !read.data ? (
        <ProblemBox failure={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Grid
          label={t('Objects')}
          rows={shown}
          rowKey={keyOfRow}
          columns={columns}
          selection={acts.selection}
          onSelection={acts.setSelection}
          onOpen={({ key }) => go.openItem(key)}
          activeKey={place.item}
          onKey={acts.onKey}
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
              onAdd={acts.add}
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
          onRemove={(id) => acts.remove(rows.filter(({ key }) => key === id))}
          onClose={() => go.open(place.path, keptSearch(place.search))}
        />
      )}
    </div>
  )
}

interface ObjectsHeadProps {
  readonly kinds: readonly ObjectKind[]
  readonly acts: ObjectActs
}

function AddObject({ kinds, acts }: ObjectsHeadProps) {
  if (kinds.length === 1)
    return (
      <Button
        kind="primary"
        icon="add"
        onClick={() => acts.add(kinds[0]?.id ?? '')}
        isDisabled={!acts.editing.isAllowed}
        why={acts.editing.why}
      >
        {t('Add')}
      </Button>
    )
  return (
    <Menu
      label={t('Add')}
      items={kinds.map(({ id, word, icon }) => ({
        label: t(word),
        icon,
        onSelect: () => acts.add(id),
        isDisabled: !acts.editing.isAllowed,
        why: acts.editing.why,
      }))}
    >
      <Button kind="primary" icon="add">
        {t('Add')}
      </Button>
    </Menu>
  )
}

interface ObjectsFilterProps extends ObjectsHeadProps {
  readonly rows: readonly ObjectRow[]
  /** How many the filter finds. */
  readonly count: number
}

function ObjectsFilter({ kinds, acts, rows, count }: ObjectsFilterProps) {
  const go = useGo()
  const { q = '', kind: kindFilter, unused } = usePlace().search
  return (
    <FilterBar
      text={q}
      onText={(text) => go.setSearch({ q: text === '' ? null : text }, { replace: true })}
      count={t('{shown} of {all}', { shown: count, all: rows.length })}
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
      {acts.selection.size > 0 ? (
        <Button
          size="small"
          icon="remove"
          keys="Del"
          isDisabled={!acts.editing.isAllowed}
          why={acts.editing.why}
          onClick={() => acts.remove(rows.filter(({ key }) => acts.selection.has(key)))}
        >
          {t('Remove {count}', { count: acts.selection.size })}
        </Button>
      ) : null}
    </FilterBar>
  )
}

const keyOfRow = ({ key }: ObjectRow): string => key

const keptSearch = ({ q, unused, sort }: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ q, unused, sort }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

const sortOf = (text: string | undefined) =>
  text === undefined ? null : { id: text.replace(/^-/, ''), isDown: text.startsWith('-') }

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
