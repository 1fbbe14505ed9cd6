// Users and groups as a virtual tree: add, change, copy, move by drag or by choice, deny access, remove.

import { groups, users } from '@gateway/server/contract/users'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { applyNow, useReview } from '../../api/apply.ts'
import { useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column } from '../../ui/grid/types.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Switch } from '../../ui/switch.tsx'
import { printCount } from '../../util/amount.ts'
import { currentLanguage, msg, t } from '../../words.ts'
import { formOf, moveInto, removeAll, updateUser } from './calls.ts'
import { MoveDialog } from './move-dialog.tsx'
import {
  builtInGroups,
  indexTree,
  isLocal,
  mayMove,
  pathTo,
  rootGroup,
  type TreeRow,
  treeRows,
  type User,
} from './tree.ts'
import { UserPanel } from './user-panel.tsx'
import styles from './users.module.css'

export const origins: Readonly<Record<User['domain_type'], string>> = {
  local: msg('made here'),
  ad: msg('Active Directory'),
  ald: msg('ALD'),
  radius: msg('RADIUS'),
  device: msg('device VPN'),
}

const reads = [users.list, groups.list]

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function Users(): ReactNode {
  const { item, search } = usePlace()
  const go = useGo()
  const review = useReview()
  const editing = useEditing('accounts')
  const people = useRead(users.list)
  const folders = useRead(groups.list)
  const index = useMemo(() => indexTree(folders.data?.data ?? [], people.data?.data ?? []), [folders.data, people.data])
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set([rootGroup]))
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const [moving, setMoving] = useState<readonly string[] | null>(null)
  const isDeniedOnly = search.denied === '1'
  const rows = useMemo(
    () => treeRows(index, open, { text: search.q ?? '', isDeniedOnly }),
    [index, open, search.q, isDeniedOnly],
  )

  // An item of the address is shown in the tree, wherever it is.
  useEffect(() => {
    if (item === null) return
    const around = pathTo(index, item)
    if (around.length > 0) setOpen((now) => (around.every((id) => now.has(id)) ? now : new Set([...now, ...around])))
  }, [item, index])

  const toggle = ({ id }: TreeRow): void =>
    setOpen((now) => {
      const next = new Set(now)
      if (!next.delete(id)) next.add(id)
      return next
    })
  const nameOf = (id: string): string => index.users.get(id)?.name ?? index.groups.get(id)?.name ?? id
  const move = (ids: readonly string[], target: string): void => {
    if (!editing.isAllowed || !mayMove(index, ids, target)) return
    review.open({
      title: t('Move {what} to {group}', {
        what: ids.length === 1 ? nameOf(ids[0] ?? '') : t('{count} entries', { count: ids.length }),
        group: nameOf(target),
      }),
      calls: moveInto(index, ids, target),
      reads,
      onApplied: () => setSelection(new Set()),
    })
  }
  const remove = (ids: readonly string[]): void => {
    const removable = ids.filter((id) => !(builtInGroups as readonly string[]).includes(id))
    const calls = removeAll(index, removable, (id) => pathTo(index, id))
    const [first] = removable
    if (!editing.isAllowed || calls.length === 0 || first === undefined) return
    review.open({
      title:
        removable.length === 1
          ? t('Remove {what}', { what: nameOf(first) })
          : t('Remove {count} entries', { count: removable.length }),
      calls,
      reads,
      onApplied: () => {
        setSelection(new Set())
        if (item !== null && removable.includes(item)) go.openItem(null)
      },
    })
  }
  const deny = (user: User, isDenied: boolean): Promise<unknown> =>
    applyNow({
      title: isDenied ? t('Deny {who} access', { who: user.name }) : t('Allow {who} access', { who: user.name }),
      calls: [updateUser(user, { ...formOf(user), isDenied }, people.data?.etag ?? null)],
      reads,
    })
  const groupOf = (row: TreeRow | null): string => row?.group?.id ?? row?.parentId ?? rootGroup
  const addUser = (parent: string): void => go.open('people/users/new', { in: parent })
  const addGroup = (parent: string): void => go.open('people/users/new-group', { in: parent })
  const total = index.users.size
  const chosen = [...selection]
  return (
    <>
      <PageHead title={t('Users and groups')} lead={t('Whose traffic it is. Rules can name users and groups.')}>
        {chosen.length > 0 ? (
          <>
            <Button
              icon="move"
              keys="M"
              onClick={() => setMoving(chosen)}
              isDisabled={!editing.isAllowed}
              why={editing.why}
            >
              {t('Move')}
            </Button>
            <Button icon="remove" onClick={() => remove(chosen)} isDisabled={!editing.isAllowed} why={editing.why}>
              {t('Remove')}
            </Button>
          </>
        ) : null}
        <Button
          icon="group"
          onClick={() => addGroup(groupOf(rows.find(({ id }) => selection.has(id)) ?? null))}
          isDisabled={!editing.isAllowed}
          why={editing.why}
        >
          {t('Add a group')}
        </Button>
        <Button
          icon="add"
          kind="primary"
          keys="O"
          onClick={() => addUser(groupOf(rows.find(({ id }) => selection.has(id)) ?? null))}
          isDisabled={!editing.isAllowed}
          why={editing.why}
        >
          {t('Add a user')}
        </Button>
      </PageHead>
      <FilterBar
        text={search.q ?? ''}
        onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
        placeholder={t('Name, login, phone or comment')}
        count={t('{count, plural, one {# user} other {# users}}', { count: total })}
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
      {people.error ? <ProblemBox failure={people.error} onRetry={() => void people.refetch()} /> : null}
      {folders.error ? <ProblemBox failure={folders.error} onRetry={() => void folders.refetch()} /> : null}
      <Grid
        label={t('Users and groups')}
        rows={rows}
        rowKey={({ id }) => id}
        height="fill"
        isLoading={people.isPending || folders.isPending}
        activeKey={item}
        selection={selection}
        onSelection={setSelection}
        isTree={{ depth: ({ depth }) => depth, isOpen: ({ isOpen }) => isOpen, onToggle: toggle }}
        onOpen={(row) => go.openItem(row.id)}
        onDrop={(keys, { key }) => {
          const target = rows.find(({ id }) => id === key) ?? null
          move(keys, groupOf(target))
        }}
        onKey={({ key, row, rows: marked }) => {
          const ids = marked.map(({ id }) => id)
          if (key === 'o') addUser(groupOf(row))
          else if (key === 'Shift O') addGroup(groupOf(row))
          else if (key === 'c' && row?.user) go.open('people/users/new', { copy: row.id, in: row.parentId })
          else if (key === 'm' && ids.length > 0) setMoving(ids)
          else if (key === 'Delete' && ids.length > 0) remove(ids)
          else return false
          return true
        }}
        columns={columnsOf({ editing, deny, remove, addUser, addGroup, move: (id) => setMoving([id]) })}
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
          etags={{ users: people.data?.etag ?? null, groups: folders.data?.etag ?? null }}
          onRemove={() => remove([item])}
        />
      )}
      {moving ? (
        <MoveDialog
          index={index}
          ids={moving}
          onClose={() => setMoving(null)}
          onMove={(target) => {
            setMoving(null)
            move(moving, target)
          }}
        />
      ) : null}
    </>
  )
}

interface ColumnTools {
  readonly editing: ReturnType<typeof useEditing>
  readonly deny: (user: User, isDenied: boolean) => Promise<unknown>
  readonly remove: (ids: readonly string[]) => void
  readonly addUser: (parent: string) => void
  readonly addGroup: (parent: string) => void
  readonly move: (id: string) => void
}

const columnsOf = ({ editing, deny, remove, addUser, addGroup, move }: ColumnTools): Column<TreeRow>[] => [
  {
    id: 'name',
    title: t('Name'),
    width: 'rest',
    minWidth: 260,
    cell: ({ user, group, count }) => (
      <span className={styles.name}>
        <span className={styles.icon}>
          <Icon name={group ? 'folder' : user?.domain_type === 'device' ? 'device' : 'user'} size={14} />
        </span>
        <span className={group ? styles.group : undefined}>
          <PlainText text={group?.name ?? user?.name ?? ''} limit={80} />
        </span>
        {group ? <span className={styles.muted}>{printCount(count, currentLanguage())}</span> : null}
      </span>
    ),
  },
  {
    id: 'login',
    title: t('Login'),
    width: 170,
    cell: ({ user }) => (user ? <PlainText text={user.login} limit={60} /> : null),
  },
  {
    id: 'denied',
    title: t('Deny access'),
    width: 110,
    cell: ({ user }) =>
      user ? (
        <Switch
          isBare
          label={t('Deny {who} access', { who: user.name })}
          isOn={user.enabled}
          isDisabled={!editing.isAllowed || (!isLocal(user) && user.domain_type !== 'radius')}
          why={editing.why ?? t('Users of a directory are changed there.')}
          onChange={(isOn) => void deny(user, isOn)}
        />
      ) : null,
  },
  {
    id: 'from',
    title: t('From'),
    width: 150,
    cell: ({ user, group }) => {
      const { domain_type: type = 'local', domain_name: domain = '' } = user ?? group ?? {}
      return type === 'local' ? null : <Chip title={domain}>{`${t(origins[type])} ${domain}`.trim()}</Chip>
    },
  },
  { id: 'phone', title: t('Phone'), width: 140, cell: ({ user }) => user?.phone_number ?? null },
  {
    id: 'comment',
    title: t('Comment'),
    width: 200,
    cell: ({ user }) => (user ? <PlainText text={user.comment} limit={100} /> : null),
  },
  {
    id: 'menu',
    title: '',
    width: 40,
    cell: (row) => (
      <Menu
        label={t('What to do with {name}', { name: row.user?.name ?? row.group?.name ?? '' })}
        icon="more"
        items={[
          ...(row.group
            ? [
                {
                  label: t('Add a user'),
                  icon: 'add' as const,
                  keys: 'O',
                  isDisabled: !editing.isAllowed,
                  why: editing.why,
                  onSelect: () => addUser(row.id),
                },
                {
                  label: t('Add a group'),
                  icon: 'folder' as const,
                  keys: 'Shift O',
                  isDisabled: !editing.isAllowed,
                  why: editing.why,
                  onSelect: () => addGroup(row.id),
                },
              ]
            : []),
          {
            label: t('Move'),
            icon: 'move' as const,
            keys: 'M',
            isDisabled: !editing.isAllowed,
            why: editing.why,
            onSelect: () => move(row.id),
          },
          {
            label: t('Remove'),
            icon: 'remove' as const,
            keys: 'Del',
            isDanger: true,
            isDisabled: !editing.isAllowed,
            why: editing.why,
            onSelect: () => remove([row.id]),
          },
        ]}
      />
    ),
  },
]

export const page: HandPage = { kind: 'hand', Component: Users }
