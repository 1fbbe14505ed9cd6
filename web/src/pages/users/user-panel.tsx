// One user or group in the panel: its fields, its password, where it is named, and its removal.

import { groups, users } from '@gateway/server/contract/users'
import { type ReactNode, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import type { PlannedCall } from '../../api/change.ts'
import { type Editing, useEditing } from '../../api/editing.ts'
import type { Problem } from '../../api/failure.ts'
import { useGo, useLeaveGuard, usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { Field } from '../../ui/field.tsx'
import { Link } from '../../ui/link.tsx'
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
import { type Group, isLocal, rootGroup, type TreeIndex, type User } from './tree.ts'
import { problemOf, UserFields } from './user-fields.tsx'
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

function UserEditor({ user, start, index, etags, onRemove }: UserEditorProps): ReactNode {
  const editing = useEditing('accounts')
  const [form, setForm] = useState(start)
  const isDirty = JSON.stringify(form) !== JSON.stringify(start)
  const { close, leave } = useClose(isDirty)
  const { problems, send } = useUserReview(user, form, etags.users, leave)
  const isForeign = user !== null && !isLocal(user)
  const isRadius = user?.domain_type === 'radius'
  const isOff = !editing.isAllowed || (isForeign && !isRadius)
  return (
    <Drawer
      title={user === null ? t('New user') : user.name}
      onClose={close}
      foot={
        <EditorFoot
          {...{ editing, isDirty, send, close, onRemove }}
          name={user?.name}
          canSend={!isOff && (user === null || isDirty)}
        />
      }
    >
      <EditorForm send={send}>
        {isForeign ? (
          <Bar tone="plain">
            {isRadius
              ? t('A RADIUS user: name, comment and access can be changed here.')
              : t('This user comes from elsewhere and is changed there.')}
          </Bar>
        ) : null}
        <UserFields
          {...{ form, index, problems, isOff, isForeign, isRadius }}
          isNew={user === null}
          set={(patch) => setForm({ ...form, ...patch })}
        />
        {user === null ? null : (
          <Switch
            label={t('Deny access')}
            hint={t('The user cannot authorize, and sessions end at once.')}
            isOn={form.isDenied}
            onChange={(isDenied) => setForm({ ...form, isDenied })}
            isDisabled={isOff}
          />
        )}
        {user === null ? null : <UserLinks user={user} />}
      </EditorForm>
    </Drawer>
  )
}

/** The calls of the form as one change; what the gateway refuses goes beside its fields. */
function useUserReview(user: User | null, form: UserForm, etag: string | null, onApplied: () => void) {
  const review = useReview()
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const send = (): void => {
    setProblems([])
    const calls = userCalls(user, form, etag)
    if (calls.length === 0) return
    review.open({
      title:
        user === null
          ? t('Add the user {name}', { name: form.name })
          : t('Change the user {name}', { name: form.name }),
      calls,
      reads,
      onApplied,
      onProblems: setProblems,
    })
  }
  return { problems, send }
}

function userCalls(user: User | null, form: UserForm, etag: string | null): readonly PlannedCall[] {
  if (user === null) return [createUser(form, etag)]
  const hasNewPassword = form.password !== ''
  const isChanged = JSON.stringify({ ...form, password: '' }) !== JSON.stringify(formOf(user))
  return [
    ...(isChanged ? [updateUser(user, form, hasNewPassword ? null : etag)] : []),
    ...(hasNewPassword ? [changePassword(user, form.password)] : []),
  ]
}

interface EditorFootProps {
  readonly editing: Editing
  /** Of what can be removed; a new one has none. */
  readonly name: string | undefined
  readonly isDirty: boolean
  readonly canSend: boolean
  readonly send: () => void
  readonly close: () => void
  readonly onRemove: () => void
}

function EditorFoot(props: EditorFootProps): ReactNode {
  const { isAllowed, why } = props.editing
  return (
    <div className={styles.acts}>
      {props.name === undefined ? null : (
        <span className={styles.start}>
          <Button icon="remove" kind="quiet" onClick={props.onRemove} isDisabled={!isAllowed} why={why}>
            {t('Remove {name}', { name: props.name })}
          </Button>
        </span>
      )}
      <Button onClick={props.close}>{props.isDirty ? t('Discard') : t('Close')}</Button>
      <Button kind="primary" keys="Ctrl Enter" onClick={props.send} isDisabled={!props.canSend} why={why}>
        {t('Review')}
      </Button>
    </div>
  )
}

function EditorForm({ send, children }: { readonly send: () => void; readonly children: ReactNode }): ReactNode {
  return (
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
      {children}
    </form>
  )
}

function UserLinks({ user }: { readonly user: User }): ReactNode {
  return (
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
        <EditorFoot {...{ editing, isDirty, send, close, onRemove }} name={group?.name} canSend={!isOff && isDirty} />
      }
    >
      <EditorForm send={send}>
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
      </EditorForm>
    </Drawer>
  )
}
