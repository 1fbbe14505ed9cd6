// The columns of the tree of users and groups, with the menu of each row.

import type { ReactNode } from 'react'
import type { Editing } from '../../api/editing.ts'
import { Chip } from '../../ui/chip.tsx'
import type { Column } from '../../ui/grid/types.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Switch } from '../../ui/switch.tsx'
import { printCount } from '../../util/amount.ts'
import { currentLanguage, msg, t } from '../../words.ts'
import { isLocal, type TreeRow, type User } from './tree.ts'
import styles from './users.module.css'

const origins: Readonly<Record<User['domain_type'], string>> = {
  local: msg('made here'),
  ad: msg('Active Directory'),
  ald: msg('ALD'),
  radius: msg('RADIUS'),
  device: msg('device VPN'),
}

export interface TreeTools {
  readonly editing: Editing
  readonly deny: (user: User, isDenied: boolean) => Promise<unknown>
  readonly remove: (ids: readonly string[]) => void
  readonly addUser: (parent: string) => void
  readonly addGroup: (parent: string) => void
  readonly move: (id: string) => void
}

export const treeColumns = (tools: TreeTools): readonly Column<TreeRow>[] => [
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
          isDisabled={!tools.editing.isAllowed || (!isLocal(user) && user.domain_type !== 'radius')}
          why={tools.editing.why ?? t('Users of a directory are changed there.')}
          onChange={(isOn) => void tools.deny(user, isOn)}
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
    cell: (row) => <RowMenu row={row} tools={tools} />,
  },
]

function RowMenu({ row, tools }: { readonly row: TreeRow; readonly tools: TreeTools }): ReactNode {
  return (
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
                isDisabled: !tools.editing.isAllowed,
                why: tools.editing.why,
                onSelect: () => tools.addUser(row.id),
              },
              {
                label: t('Add a group'),
                icon: 'folder' as const,
                keys: 'Shift O',
                isDisabled: !tools.editing.isAllowed,
                why: tools.editing.why,
                onSelect: () => tools.addGroup(row.id),
              },
            ]
          : []),
        {
          label: t('Move'),
          icon: 'move' as const,
          keys: 'M',
          isDisabled: !tools.editing.isAllowed,
          why: tools.editing.why,
          onSelect: () => tools.move(row.id),
        },
        {
          label: t('Remove'),
          icon: 'remove' as const,
          keys: 'Del',
          isDanger: true,
          isDisabled: !tools.editing.isAllowed,
          why: tools.editing.why,
          onSelect: () => tools.remove([row.id]),
        },
      ]}
    />
  )
}
