// Users and groups as a virtual tree: add, change, copy, move by drag or by choice, deny access, remove.

import type { ReactNode } from 'react'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { t } from '../../words.ts'
import { MoveDialog } from './move-dialog.tsx'
import { treeColumns } from './tree-columns.tsx'
import { groupOf, type TreeActs, useTreeActs } from './use-tree-acts.ts'
import { type UserTree, useUserTree } from './use-user-tree.ts'
import { UserPanel } from './user-panel.tsx'

export function Users(): ReactNode {
  const { item, search } = usePlace()
  const go = useGo()
  const tree = useUserTree()
  const { people, folders, index, rows } = tree
  const acts = useTreeActs(tree)
  const { moving, move, remove } = acts
  return (
    <>
      <UsersHead tree={tree} acts={acts} />
      <UsersFilter tree={tree} />
      {people.error ? <ProblemBox failure={people.error} onRetry={() => void people.refetch()} /> : null}
      {folders.error ? <ProblemBox failure={folders.error} onRetry={() => void folders.refetch()} /> : null}
      <Grid
        label={t('Users and groups')}
        rows={rows}
        rowKey={({ id }) => id}
        height="fill"
        isLoading={people.isPending || folders.isPending}
        activeKey={item}
        selection={acts.selection}
        onSelection={acts.setSelection}
        isTree={{ depth: ({ depth }) => depth, isOpen: ({ isOpen }) => isOpen, onToggle: tree.toggle }}
        onOpen={(row) => go.openItem(row.id)}
        onDrop={(keys, { key }) => {
          const target = rows.find(({ id }) => id === key) ?? null
          move(keys, groupOf(target))
        }}
        onKey={acts.onKey}
        columns={treeColumns({ ...acts, move: (id) => acts.askMove([id]) })}
        empty={
          <Empty
            title={t('Nothing fits')}
            action={<Button onClick={() => go.open('people/users')}>{t('Show all')}</Button>}
          />
        }
      />
      {item === null ? null : (
        <UserPanel
          key={`${item} ${search.copy ?? ''}`}
          item={item}
          index={index}
          etags={tree.etags}
          onRemove={() => remove([item])}
        />
      )}
      {moving ? (
        <MoveDialog
          index={index}
          ids={moving}
          onClose={() => acts.askMove(null)}
          onMove={(target) => {
            acts.askMove(null)
            move(moving, target)
          }}
        />
      ) : null}
    </>
  )
}

function UsersHead({ tree, acts }: { readonly tree: UserTree; readonly acts: TreeActs }): ReactNode {
  const { selection } = acts
  const { isAllowed, why } = acts.editing
  const chosen = [...selection]
  const parentOfNew = (): string => groupOf(tree.rows.find(({ id }) => selection.has(id)) ?? null)
  return (
    <PageHead title={t('Users and groups')} lead={t('Whose traffic it is. Rules can name users and groups.')}>
      {chosen.length > 0 ? (
        <>
          <Button icon="move" keys="M" onClick={() => acts.askMove(chosen)} isDisabled={!isAllowed} why={why}>
            {t('Move')}
          </Button>
          <Button icon="remove" onClick={() => acts.remove(chosen)} isDisabled={!isAllowed} why={why}>
            {t('Remove')}
          </Button>
        </>
      ) : null}
      <Button icon="group" onClick={() => acts.addGroup(parentOfNew())} isDisabled={!isAllowed} why={why}>
        {t('Add a group')}
      </Button>
      <Button
        icon="add"
        kind="primary"
        keys="O"
        onClick={() => acts.addUser(parentOfNew())}
        isDisabled={!isAllowed}
        why={why}
      >
        {t('Add a user')}
      </Button>
    </PageHead>
  )
}

function UsersFilter({ tree: { index, isDeniedOnly } }: { readonly tree: UserTree }): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  return (
    <FilterBar
      text={search.q ?? ''}
      onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
      placeholder={t('Name, login, phone or comment')}
      count={t('{count, plural, one {# user} other {# users}}', { count: index.users.size })}
      chips={
        isDeniedOnly
          ? [{ id: 'denied', label: t('denied access'), onRemove: () => go.setSearch({ denied: null }) }]
          : []
      }
    >
      {isDeniedOnly ? null : (
        <Button kind="quiet" size="small" icon="filter" onClick={() => go.setSearch({ denied: '1' })}>
          {t('Only denied')}
        </Button>
      )}
    </FilterBar>
  )
}

export const page: HandPage = { kind: 'hand', Component: Users }
