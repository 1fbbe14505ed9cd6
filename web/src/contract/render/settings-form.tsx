// The form of a settings page. Every section is read and changed by its own calls, but reviewed and applied together.

import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { type CallOptions, call, type Reply } from '../../api/call.ts'
import type { ChangePlan, PlannedCall } from '../../api/change.ts'
import { commandsOf } from '../../api/commands.ts'
import { useEditing } from '../../api/editing.ts'
import type { Failure, Problem } from '../../api/failure.ts'
import { keyOf, readAgain } from '../../api/reads.ts'
import { useLeaveGuard } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { CommandBlock } from '../../ui/command-block.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { t } from '../../words.ts'
import { checkBody } from '../check.ts'
import type { Item, Section } from '../define.ts'
import { changedFields, isEqual, isItem, patchBody, setAt, sortFaults, stepsOf, wholeBody } from '../draft.ts'
import { type Merge, mergeItems, settle } from '../merge.ts'
import { bodyObject, formFields, type Schema } from '../schema.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import formStyles from './form.module.css'
import { Form } from './form.tsx'
import { ObjectView } from './reply-view.tsx'
import styles from './stack.module.css'
import { useSpeaking } from './use-speaking.ts'
import { titleOf } from './widget.tsx'

interface SettingsFormProps {
  readonly sections: readonly Section[]
  readonly title: string
  readonly confirmWithin?: number
}

const changeOf = ({ endpoints }: Section) => endpoints.update ?? endpoints.replace

/** What is sent for a section: what changed, or the whole for PUT. */
function bodyOf(section: Section, base: Item, value: Item): Item {
  const endpoint = changeOf(section)
  const schema = (endpoint?.body ?? {}) as Schema
  const isWhole = endpoint?.method === 'PUT' || (bodyObject(schema).required ?? []).length > 0
  return isWhole ? wholeBody(schema, value) : patchBody(schema, base, value)
}

interface Edited {
  readonly base: Item
  readonly value: Item
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function SettingsForm({ sections, title, confirmWithin }: SettingsFormProps): ReactNode {
  const reads = useQueries({
    queries: sections.map(({ endpoints: { show } }) => ({
      queryKey: keyOf(show),
      queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<Reply<unknown>> =>
        call(show, { signal, isBackground: true }),
    })),
  })
  const [edited, setEdited] = useState<ReadonlyMap<number, Edited>>(new Map())
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [isAllShown, setAllShown] = useState(false)
  const [refused, setRefused] = useState<readonly (readonly Problem[])[]>([])
  const [conflict, setConflict] = useState<{
    readonly at: number
    readonly merge: Merge
    readonly theirs: Item
  } | null>(null)
  const [hasCommands, setCommands] = useState(false)
  const { open } = useReview()

  const stored = reads.map(({ data }) => (isItem(data?.data) ? data.data : null))
  const draftOf = (at: number): Edited | null => {
    const base = stored[at]
    return edited.get(at) ?? (base ? { base, value: base } : null)
  }
  const fields = useMemo(
    () =>
      sections.map((section) => {
        const endpoint = changeOf(section)
        return formFields((endpoint?.body ?? {}) as Schema, section.fields)
      }),
    [sections],
  )
  const rest = useMemo(
    () =>
      sections.map(({ endpoints: { show }, fields: specs }, at) => {
        const names = new Set(fields[at]?.map(({ name }) => name))
        return formFields((show.reply ?? {}) as Schema, specs).filter(({ name }) => !names.has(name))
      }),
    [sections, fields],
  )
  const speaking = useSpeaking(useMemo(() => [...fields.flat(), ...rest.flat()], [fields, rest]))
  const access = sections.map((section) => changeOf(section)?.access).find((one) => one !== undefined) ?? 'configure'
  const editing = useEditing(access)

  const changed = sections.flatMap((_, at) => {
    const draft = draftOf(at)
    return draft ? changedFields(draft).map((name) => ({ at, name })) : []
  })
  const names = changed.map(({ at, name }) => {
    const field = fields[at]?.find((one) => one.name === name)
    return field ? titleOf(field) : name
  })
  const isDirty = changed.length > 0
  const saved = useLeaveGuard(isDirty, () => names)

  const problems = sections.map((section, at): readonly Problem[] => {
    const draft = draftOf(at)
    const schema = changeOf(section)?.body as Schema | undefined
    return draft && schema ? checkBody(bodyObject(schema), bodyOf(section, draft.base, draft.value), t) : []
  })
  const isValid = problems.every((own) => own.length === 0)
  const faultsOf = (at: number) => {
    const own = (problems[at] ?? []).filter(
      ({ field }) => isAllShown || touched.has(`${at} ${String(stepsOf(field)[0] ?? field)}`),
    )
    return sortFaults([...(refused[at] ?? []), ...own], new Set(fields[at]?.map(({ name }) => name)))
  }

  const set = useCallback(
    (at: number, path: string, value: unknown): void => {
      const name = String(stepsOf(path)[0] ?? path)
      setEdited((now) => {
        const base = stored[at]
        const draft = now.get(at) ?? (base ? { base, value: base } : null)
        return draft ? new Map(now).set(at, { ...draft, value: setAt(draft.value, path, value) }) : now
      })
      setTouched((now) => new Set([...now, `${at} ${name}`]))
      setRefused((now) =>
        now.map((own, index) => (index === at ? own.filter(({ field }) => stepsOf(field)[0] !== name) : own)),
      )
    },
    [stored],
  )
  const discard = (): void => {
    setEdited(new Map())
    setTouched(new Set())
    setAllShown(false)
    setRefused([])
  }

  const changedSections = [...new Set(changed.map(({ at }) => at))]
  const callsOf = (drafts: ReadonlyMap<number, Edited>, tags: readonly (string | null)[]): readonly PlannedCall[] =>
    changedSections.flatMap((at) => {
      const section = sections[at]
      const draft = drafts.get(at)
      const endpoint = section ? changeOf(section) : undefined
      if (!section || !draft || !endpoint) return []
      return [{ endpoint, body: bodyOf(section, draft.base, draft.value), etag: tags[at] ?? null }]
    })
  const tags = reads.map(({ data }) => data?.etag ?? null)

  const planOf = (drafts: ReadonlyMap<number, Edited>, now: readonly (string | null)[]): ChangePlan => ({
    title: t('Change {what}', { what: title }),
    calls: callsOf(drafts, now),
    ...(confirmWithin === undefined ? {} : { confirmWithin }),
    reads: sections.map(({ endpoints: { show } }) => show),
    onApplied: () => {
      saved()
      void readAgain(...sections.map(({ endpoints: { show } }) => show)).then(discard)
    },
    onProblems: (found) => {
      setAllShown(true)
      setRefused(spread(found, changedSections, sections.length))
    },
    onConflict: () => onConflict(drafts),
  })

  async function onConflict(drafts: ReadonlyMap<number, Edited>): Promise<ChangePlan | null> {
    const next = new Map(drafts)
    const fresh = [...tags]
    for (const at of changedSections) {
      const section = sections[at]
      const draft = drafts.get(at)
      if (!section || !draft) continue
      const reply = await call(section.endpoints.show, {} as CallOptions)
      const theirs = reply.data as Item
      fresh[at] = reply.etag
      if (isEqual(theirs, draft.base)) continue
      const merge = mergeItems(draft.base, draft.value, theirs)
      if (merge.conflicts.length > 0) {
        setConflict({ at, merge, theirs })
        return null
      }
      next.set(at, { base: theirs, value: merge.merged })
    }
    setEdited(next)
    void readAgain(...sections.map(({ endpoints: { show } }) => show))
    return planOf(next, fresh)
  }

  const review = (): void => {
    setAllShown(true)
    if (isDirty && isValid && editing.isAllowed) open(planOf(edited, tags))
  }
  const failure = reads.map(({ error }) => error as Failure | null).find((one) => one !== null) ?? null
  if (failure && stored.every((one) => one === null))
    return <ProblemBox failure={failure} onRetry={() => void Promise.all(reads.map((read) => read.refetch()))} />
  const canChange = sections.some((section) => changeOf(section) !== undefined)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the form work in all of its fields
    <div
      className={styles.sections}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          review()
        } else if (event.altKey && event.code === 'KeyC') {
          event.preventDefault()
          setCommands((isShown) => !isShown)
        }
      }}
    >
      {failure ? <ProblemBox failure={failure} /> : null}
      {!editing.isAllowed && editing.why && canChange ? <Bar tone="plain">{editing.why}</Bar> : null}
      {sections.map((section, at) => {
        const draft = draftOf(at)
        const key = section.endpoints.show.path
        const others = rest[at] ?? []
        return (
          <section key={key} className={styles.section}>
            {section.title === undefined ? null : <h2 className={formStyles.heading}>{t(section.title)}</h2>}
            {section.text === undefined ? null : <p className={styles.text}>{t(section.text)}</p>}
            {draft === null ? (
              <Skeleton lines={4} />
            ) : (
              <>
                <Form
                  fields={fields[at] ?? []}
                  groups={section.groups}
                  value={draft.value}
                  base={draft.base}
                  faults={faultsOf(at)}
                  isDisabled={!editing.isAllowed}
                  onChange={(path, value) => set(at, path, value)}
                  speaking={speaking}
                />
                {others.length > 0 ? <ObjectView fields={others} value={draft.base} /> : null}
              </>
            )}
          </section>
        )
      })}
      {canChange ? (
        <div className={`${formStyles.foot} ${formStyles.sticky}`}>
          <Button kind="quiet" icon="command" keys="Alt C" onClick={() => setCommands(!hasCommands)}>
            {t('As command')}
          </Button>
          <span className={formStyles.footText} aria-live="polite">
            {isDirty
              ? t('{count, plural, one {# change} other {# changes}}: {fields}', {
                  count: names.length,
                  fields: names.join(', '),
                })
              : ''}
          </span>
          <Button onClick={discard} isDisabled={!isDirty}>
            {t('Discard')}
          </Button>
          <Button
            kind="primary"
            keys="Ctrl Enter"
            isDisabled={!isDirty || !editing.isAllowed || (isAllShown && !isValid)}
            why={editing.why ?? (isDirty ? t('Some fields are wrong.') : t('Nothing is changed.'))}
            onClick={review}
          >
            {t('Review')}
          </Button>
        </div>
      ) : null}
      {hasCommands ? <SettingsCommands sections={sections} calls={callsOf(edited, tags)} /> : null}
      {conflict ? (
        <ConflictDialog
          merge={conflict.merge}
          fields={fields[conflict.at] ?? []}
          speaking={speaking}
          onClose={() => setConflict(null)}
          onSettle={(choices) => {
            const next = new Map(edited).set(conflict.at, {
              base: conflict.theirs,
              value: settle(conflict.merge, choices),
            })
            setEdited(next)
            setConflict(null)
            void onConflict(next).then((plan) => {
              if (plan) open(plan)
            })
          }}
        />
      ) : null}
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

/** Refusals of several calls name the call: `calls[1].body.port` belongs to the second section that changed. */
export function spread(
  found: readonly Problem[],
  changed: readonly number[],
  count: number,
): readonly (readonly Problem[])[] {
  const lists: Problem[][] = Array.from({ length: count }, () => [])
  for (const problem of found) {
    const match = /^calls\[(\d+)\]\.(?:body\.)?(.*)$/.exec(problem.field)
    const at = match ? changed[Number(match[1])] : changed[0]
    lists[at ?? 0]?.push(match ? { ...problem, field: match[2] ?? '' } : problem)
  }
  return lists
}
