// The form of a settings page. Every section is read and changed by its own calls, but reviewed and applied together.

import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import type { PlannedCall } from '../../api/change.ts'
import { commandsOf } from '../../api/commands.ts'
import { type Editing, useEditing } from '../../api/editing.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { CommandBlock } from '../../ui/command-block.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { t } from '../../words.ts'
import type { Section } from '../define.ts'
import type { FormField } from '../schema.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import formStyles from './form.module.css'
import { Form } from './form.tsx'
import { ObjectView } from './reply-view.tsx'
import { changeOf, useSectionFields } from './settings-section.ts'
import styles from './stack.module.css'
import { type SettingsDraft, useSettingsDraft } from './use-settings-draft.ts'
import { useSettingsReview } from './use-settings-review.ts'
import { useSpeaking } from './use-speaking.ts'

interface SettingsFormProps {
  readonly sections: readonly Section[]
  readonly title: string
  readonly confirmWithin?: number
}

export function SettingsForm(props: SettingsFormProps): ReactNode {
  const { sections } = props
  const sectionFields = useSectionFields(sections)
  const { fields, rest } = sectionFields
  const draft = useSettingsDraft(sections, sectionFields)
  const review = useSettingsReview(props, draft)
  const [hasCommands, setCommands] = useState(false)
  const speaking = useSpeaking(useMemo(() => [...fields.flat(), ...rest.flat()], [fields, rest]))
  const access = sections.map((section) => changeOf(section)?.access).find((one) => one !== undefined) ?? 'configure'
  const editing = useEditing(access)

  const openReview = (): void => {
    draft.showAll()
    if (draft.isDirty && draft.isValid && editing.isAllowed) review.open()
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      openReview()
    } else if (event.altKey && event.code === 'KeyC') {
      event.preventDefault()
      setCommands((isShown) => !isShown)
    }
  }
  const { failure } = draft
  if (failure && draft.isMissing) return <ProblemBox failure={failure} onRetry={draft.readAgain} />
  const canChange = sections.some((section) => changeOf(section) !== undefined)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the form work in all of its fields
    <div className={styles.sections} onKeyDown={onKey}>
      {failure ? <ProblemBox failure={failure} /> : null}
      {!editing.isAllowed && editing.why && canChange ? <Bar tone="plain">{editing.why}</Bar> : null}
      {sections.map((section, at) => (
        <SettingsSection
          key={section.endpoints.show.path}
          {...{ section, at, draft, speaking }}
          fields={fields[at] ?? []}
          others={rest[at] ?? []}
          isDisabled={!editing.isAllowed}
        />
      ))}
      {canChange ? (
        <SettingsFoot {...{ draft, editing }} onCommands={() => setCommands(!hasCommands)} onReview={openReview} />
      ) : null}
      {hasCommands ? <SettingsCommands sections={sections} calls={review.calls} /> : null}
      {review.conflict ? (
        <ConflictDialog
          merge={review.conflict.merge}
          fields={fields[review.conflict.at] ?? []}
          speaking={speaking}
          onClose={review.closeConflict}
          onSettle={review.settleConflict}
        />
      ) : null}
    </div>
  )
}

interface SettingsSectionProps {
  readonly section: Section
  readonly at: number
  readonly draft: SettingsDraft
  readonly fields: readonly FormField[]
  /** What is only shown. */
  readonly others: readonly FormField[]
  readonly isDisabled: boolean
  readonly speaking: ReturnType<typeof useSpeaking>
}

function SettingsSection(props: SettingsSectionProps): ReactNode {
  const { section, at, draft, fields, others, isDisabled, speaking } = props
  const own = draft.draftOf(at)
  return (
    <section className={styles.section}>
      {section.title === undefined ? null : <h2 className={formStyles.heading}>{t(section.title)}</h2>}
      {section.text === undefined ? null : <p className={styles.text}>{t(section.text)}</p>}
      {own === null ? (
        <Skeleton lines={4} />
      ) : (
        <>
          <Form
            fields={fields}
            groups={section.groups}
            value={own.value}
            base={own.base}
            faults={draft.faultsOf(at)}
            isDisabled={isDisabled}
            onChange={(path, value) => draft.set(at, path, value)}
            speaking={speaking}
          />
          {others.length > 0 ? <ObjectView fields={others} value={own.base} /> : null}
        </>
      )}
    </section>
  )
}

interface SettingsFootProps {
  readonly draft: SettingsDraft
  readonly editing: Editing
  readonly onCommands: () => void
  readonly onReview: () => void
}

function SettingsFoot({ draft, editing, onCommands, onReview }: SettingsFootProps): ReactNode {
  const { isDirty, isValid, isAllShown, changedNames } = draft
  return (
    <div className={`${formStyles.foot} ${formStyles.sticky}`}>
      <Button kind="quiet" icon="command" keys="Alt C" onClick={onCommands}>
        {t('As command')}
      </Button>
      <span className={formStyles.footText} aria-live="polite">
        {isDirty
          ? t('{count, plural, one {# change} other {# changes}}: {fields}', {
              count: changedNames.length,
              fields: changedNames.join(', '),
            })
          : ''}
      </span>
      <Button onClick={draft.discard} isDisabled={!isDirty}>
        {t('Discard')}
      </Button>
      <Button
        kind="primary"
        keys="Ctrl Enter"
        isDisabled={!isDirty || !editing.isAllowed || (isAllShown && !isValid)}
        why={editing.why ?? (isDirty ? t('Some fields are wrong.') : t('Nothing is changed.'))}
        onClick={onReview}
      >
        {t('Review')}
      </Button>
    </div>
  )
}

interface SettingsCommandsProps {
  readonly sections: readonly Section[]
  readonly calls: readonly PlannedCall[]
}

/** The calls that Review would make; without a change those that read the settings. */
function SettingsCommands({ sections, calls }: SettingsCommandsProps): ReactNode {
  const shown =
    calls.length > 0
      ? calls.map(({ endpoint, body }) => ({ endpoint, options: { body } }))
      : sections.map(({ endpoints: { show } }) => ({ endpoint: show, options: {} }))
  return shown.map(({ endpoint, options }) => (
    <CommandBlock key={`${endpoint.method} ${endpoint.path}`} commands={commandsOf(endpoint, options)} />
  ))
}
