// The fields of a user: names, password, group, phone and comment.

import { type ReactNode, useMemo } from 'react'
import type { Problem } from '../../api/failure.ts'
import { Field } from '../../ui/field.tsx'
import { SecretInput } from '../../ui/secret-input.tsx'
import { Select } from '../../ui/select.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { t } from '../../words.ts'
import type { UserForm } from './calls.ts'
import { useGroupOptions } from './move-dialog.tsx'
import { isLocal, type TreeIndex } from './tree.ts'

interface UserFieldsProps {
  readonly form: UserForm
  readonly set: (patch: Partial<UserForm>) => void
  readonly index: TreeIndex
  readonly problems: readonly Problem[]
  readonly isNew: boolean
  /** Nothing can be changed. */
  readonly isOff: boolean
  /** It was not made here. */
  readonly isForeign: boolean
  readonly isRadius: boolean
}

export const problemOf = (problems: readonly Problem[], ...names: readonly string[]): string | undefined =>
  problems.find(({ field }) => names.some((name) => field === name || field.endsWith(`.${name}`)))?.message

export function UserFields(props: UserFieldsProps): ReactNode {
  return (
    <>
      <AccountFields {...props} />
      <PersonFields {...props} />
    </>
  )
}

/** What a user authorizes with. */
function AccountFields(props: UserFieldsProps): ReactNode {
  const { form, set, isNew, isOff, isForeign, isRadius } = props
  return (
    <>
      <Field label={t('Name')} problem={problemOf(props.problems, 'name')} isRequired>
        {(ids) => (
          <TextInput
            {...ids}
            value={form.name}
            onChange={(name) => set({ name })}
            maxLength={128}
            isDisabled={isOff}
            autoFocus={isNew}
          />
        )}
      </Field>
      <Field
        label={t('Login')}
        hint={t('Small latin letters, digits, dots, hyphens and underscores.')}
        problem={problemOf(props.problems, 'login')}
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
          label={isNew ? t('Password') : t('New password')}
          hint={isNew ? undefined : t('Empty: it stays as it is.')}
          problem={problemOf(props.problems, 'psw', 'password')}
          isRequired={isNew}
        >
          {(ids) => (
            <SecretInput
              {...ids}
              value={form.password}
              onChange={(password) => set({ password })}
              isSet={!isNew}
              isDisabled={isOff}
            />
          )}
        </Field>
      )}
    </>
  )
}

function PersonFields(props: UserFieldsProps): ReactNode {
  const { form, set, index, isOff, isRadius } = props
  const isFit = useMemo(() => (id: string) => isLocal(index.groups.get(id) ?? { domain_type: 'ad' }), [index])
  const options = useGroupOptions(index, isFit)
  return (
    <>
      <Field label={t('Group')} problem={problemOf(props.problems, 'parent_id')}>
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
        problem={problemOf(props.problems, 'phone_number')}
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
      <Field label={t('Comment')} problem={problemOf(props.problems, 'comment')}>
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
    </>
  )
}
