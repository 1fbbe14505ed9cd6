// One user or group in the panel: its fields, its password, where it is named, and its removal.

import { groups, users } from '@gateway/server/contract/users'
import { type ReactNode, useMemo, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { useEditing } from '../../api/editing.ts'
import type { Problem } from '../../api/failure.ts'
import { useGo, useLeaveGuard, usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { Field } from '../../ui/field.tsx'
import { Link } from '../../ui/link.tsx'
import { SecretInput } from '../../ui/secret-input.tsx'
import { Select } from '../../ui/select.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { t } from '../../words.ts'
import {
  changePassword,
  createGroup,
  createUser,
  emptyUser,
  formOf,
  freeNames,
  type UserForm,
  updateGroup,
  updateUser,
} from './calls.ts'
import { useGroupOptions } from './move-dialog.tsx'
import { type Group, isLocal, rootGroup, type TreeIndex, type User } from './tree.ts'
import styles from './users.module.css'

interface PanelProps {
  readonly item: string
  readonly index: TreeIndex
  readonly etags: { readonly users: string | null; readonly groups: string | null }
  readonly onRemove: () => void
}

const reads = [users.list, groups.list]

export function UserPanel(props: PanelProps): ReactNode {
  const { item, index } = props
  const { search } = usePlace()
  const parent = search.in ?? rootGroup
  if (item === 'new') {
    const original = search.copy === undefined ? undefined : index.users.get(search.copy)
    const start = original ? { ...formOf(original), ...freeNames(index, original) } : emptyUser(parent)
    // The form begins with what is there, so it waits for the tree.
    return index.groups.size === 0 ? null : <UserEditor {...props} user={null} start={start} />
  }
  if (item === 'new-group') return <GroupEditor {...props} group={null} parent={parent} />
  const user = index.users.get(item)
  if (user) return <UserEditor {...props} user={user} start={formOf(user)} />
  const group = index.groups.get(item)
  return group ? <GroupEditor {...props} group={group} parent={group.parent_id} /> : null
}

const problemOf = (problems: readonly Problem[], ...names: readonly string[]): string | undefined =>
  problems.find(({ field }) => names.some((name) => field === name || field.endsWith(`.${name}`)))?.message

/** `leave` is for what is applied: nothing is asked then. */
function useClose(isDirty: boolean): { readonly close: () => void; readonly leave: () => void } {
  const go = useGo()
  const saved = useLeaveGuard(isDirty, () => [t('User')])
  const close = (): void => go.open('people/users')
  return {
    close,
    leave: () => {
      saved()
      close()
    },
  }
}

interface UserEditorProps extends PanelProps {
  readonly user: User | null
  readonly start: UserForm
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
function UserEditor({ user, start, index, etags, onRemove }: UserEditorProps): ReactNode {
  const review = useReview()
  const editing = useEditing('accounts')
  const [form, setForm] = useState(start)
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const isDirty = JSON.stringify(form) !== JSON.stringify(start)
  const { close, leave } = useClose(isDirty)
  const isFit = useMemo(() => (id: string) => isLocal(index.groups.get(id) ?? { domain_type: 'ad' }), [index])
  const options = useGroupOptions(index, isFit)
  const isForeign = user !== null && !isLocal(user)
  const isRadius = user?.domain_type === 'radius'
  const isOff = !editing.isAllowed || (isForeign && !isRadius)
  const set = (patch: Partial<UserForm>): void => setForm({ ...form, ...patch })
  const hasNewPassword = user !== null && form.password !== ''
  const isChanged = user !== null && JSON.stringify({ ...form, password: '' }) !== JSON.stringify(formOf(user))
  const send = (): void => {
    setProblems([])
    const calls =
      user === null
        ? [createUser(form, etags.users)]
        : [
            ...(isChanged ? [updateUser(user, form, hasNewPassword ? null : etags.users)] : []),
            ...(hasNewPassword ? [changePassword(user, form.password)] : []),
          ]
    if (calls.length === 0) return
    review.open({
      title:
        user === null
          ? t('Add the user {name}', { name: form.name })
          : t('Change the user {name}', { name: form.name }),
      calls,
      reads,
      onApplied: leave,
      onProblems: setProblems,
    })
  }
  return (
    <Drawer
      title={user === null ? t('New user') : user.name}
      onClose={close}
      foot={
        <div className={styles.acts}>
          {user === null ? null : (
            <span className={styles.start}>
              <Button icon="remove" kind="quiet" onClick={onRemove} isDisabled={!editing.isAllowed} why={editing.why}>
                {t('Remove {name}', { name: user.name })}
              </Button>
            </span>
          )}
          <Button onClick={close}>{isDirty ? t('Discard') : t('Close')}</Button>
          <Button
            kind="primary"
            keys="Ctrl Enter"
            onClick={send}
            isDisabled={isOff || (user !== null && !isDirty)}
            why={editing.why}
          >
            {t('Review')}
          </Button>
        </div>
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault()
            send()
          }
        }}
      >
        {isForeign ? (
          <Bar tone="plain">
            {isRadius
              ? t('A RADIUS user: name, comment and access can be changed here.')
              : t('This user comes from elsewhere and is changed there.')}
          </Bar>
        ) : null}
        <Field label={t('Name')} problem={problemOf(problems, 'name')} isRequired>
          {(ids) => (
            <TextInput
              {...ids}
              value={form.name}
              onChange={(name) => set({ name })}
              maxLength={128}
              isDisabled={isOff}
              autoFocus={user === null}
            />
          )}
        </Field>
        <Field
          label={t('Login')}
          hint={t('Small latin letters, digits, dots, hyphens and underscores.')}
          problem={problemOf(problems, 'login')}
          isRequired
        >
          {(ids) => (
            <TextInput
              {...ids}
              value={form.login}
              onChange={(login) => set({ login })}
              maxLength={32}
              isMono
              isDisabled={isOff || isRadius}
            />
          )}
        </Field>
        {isForeign ? null : (
          <Field
            label={user === null ? t('Password') : t('New password')}
            hint={user === null ? undefined : t('Empty: it stays as it is.')}
            problem={problemOf(problems, 'psw', 'password')}
            isRequired={user === null}
          >
            {(ids) => (
              <SecretInput
                {...ids}
                value={form.password}
                onChange={(password) => set({ password })}
                isSet={user !== null}
                isDisabled={isOff}
              />
            )}
          </Field>
        )}
        <Field label={t('Group')} problem={problemOf(problems, 'parent_id')}>
          {(ids) => (
            <Select
              {...ids}
              value={form.parent_id}
              onChange={(parent_id) => set({ parent_id })}
              options={options}
              isDisabled={isOff || isRadius}
            />
          )}
        </Field>
        <Field
          label={t('Phone')}
          hint={t('With plus sign and country code, for the second factor.')}
          problem={problemOf(problems, 'phone_number')}
        >
          {(ids) => (
            <TextInput
              {...ids}
              value={form.phone_number}
              onChange={(phone_number) => set({ phone_number })}
              placeholder="+12025550123"
              isDisabled={isOff || isRadius}
            />
          )}
        </Field>
        <Field label={t('Comment')} problem={problemOf(problems, 'comment')}>
          {(ids) => (
            <TextInput
              {...ids}
              value={form.comment}
              onChange={(comment) => set({ comment })}
              maxLength={255}
              isDisabled={isOff}
            />
          )}
        </Field>
        {user === null ? null : (
          <Switch
            label={t('Deny access')}
            hint={t('The user cannot authorize, and sessions end at once.')}
            isOn={form.isDenied}
            onChange={(isDenied) => set({ isDenied })}
            isDisabled={isOff}
          />
        )}
        {user === null ? null : (
          <p className={styles.links}>
            <Link to="people/sessions" search={{ q: user.login }}>
              {t('Sessions')}
            </Link>
            <Link to="people/authorization" search={{ q: user.login }}>
              {t('Authorization rules')}
            </Link>
            <Link to="system/history" search={{ object: `users.users[${user.id}]` }}>
              {t('History')}
            </Link>
          </p>
        )}
      </form>
    </Drawer>
  )
}

interface GroupEditorProps extends PanelProps {
  readonly group: Group | null
  readonly parent: string
}

function GroupEditor({ group, parent, index, etags, onRemove }: GroupEditorProps): ReactNode {
  const review = useReview()
  const editing = useEditing('accounts')
  const [name, setName] = useState(group?.name ?? '')
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const isDirty = name !== (group?.name ?? '')
  const { close, leave } = useClose(isDirty)
  const isOff = !editing.isAllowed || (group !== null && !isLocal(group) && group.domain_type !== 'radius')
  const send = (): void => {
    setProblems([])
    review.open({
      title: group === null ? t('Add the group {name}', { name }) : t('Change the group {name}', { name }),
      calls: [group === null ? createGroup(name, parent, etags.groups) : updateGroup(group, { name }, etags.groups)],
      reads,
      onApplied: leave,
      onProblems: setProblems,
    })
  }
  return (
    <Drawer
      title={group === null ? t('New group') : group.name}
      onClose={close}
      foot={
        <div className={styles.acts}>
          {group === null ? null : (
            <span className={styles.start}>
              <Button icon="remove" kind="quiet" onClick={onRemove} isDisabled={!editing.isAllowed} why={editing.why}>
                {t('Remove {name}', { name: group.name })}
              </Button>
            </span>
          )}
          <Button onClick={close}>{isDirty ? t('Discard') : t('Close')}</Button>
          <Button kind="primary" keys="Ctrl Enter" onClick={send} isDisabled={isOff || !isDirty} why={editing.why}>
            {t('Review')}
          </Button>
        </div>
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault()
            send()
          }
        }}
      >
        <Field label={t('Name')} problem={problemOf(problems, 'name')} isRequired>
          {(ids) => (
            <TextInput
              {...ids}
              value={name}
              onChange={setName}
              maxLength={128}
              isDisabled={isOff}
              autoFocus={group === null}
            />
          )}
        </Field>
        <p className={styles.muted}>{t('In {group}', { group: index.groups.get(parent)?.name ?? parent })}</p>
      </form>
    </Drawer>
  )
}
