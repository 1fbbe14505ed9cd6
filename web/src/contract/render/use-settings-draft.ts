// What a person changed in the sections of a settings page over what is stored, with the faults of each field.

import { useQueries } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call, type Reply } from '../../api/call.ts'
import type { Failure, Problem } from '../../api/failure.ts'
import { keyOf } from '../../api/reads.ts'
import { t } from '../../words.ts'
import { checkBody } from '../check.ts'
import type { Section } from '../define.ts'
import { changedFields, type Faults, isItem, setAt, sortFaults, stepsOf } from '../draft.ts'
import { bodyObject, type Schema } from '../schema.ts'
import { bodyOf, changeOf, type Edited, type SectionFields } from './settings-section.ts'
import { titleOf } from './widget.tsx'

export interface SettingsDraft {
  /** By section: what the gateway said of its version. */
  readonly tags: readonly (string | null)[]
  readonly failure: Failure | null
  /** Nothing could be read. */
  readonly isMissing: boolean
  readonly readAgain: () => void
  readonly edited: ReadonlyMap<number, Edited>
  readonly setEdited: (edited: ReadonlyMap<number, Edited>) => void
  /** Null while it is read. */
  readonly draftOf: (at: number) => Edited | null
  readonly changedSections: readonly number[]
  /** Titles of the fields that are changed. */
  readonly changedNames: readonly string[]
  readonly isDirty: boolean
  readonly isValid: boolean
  readonly isAllShown: boolean
  readonly showAll: () => void
  readonly faultsOf: (at: number) => Faults
  readonly refuse: (problems: readonly (readonly Problem[])[]) => void
  readonly set: (at: number, path: string, value: unknown) => void
  readonly discard: () => void
}

export function useSettingsDraft(sections: readonly Section[], { fields }: SectionFields): SettingsDraft {
  const reads = useQueries({
    queries: sections.map(({ endpoints: { show } }) => ({
      queryKey: keyOf(show),
      queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<Reply<unknown>> =>
        call(show, { signal, isBackground: true }),
    })),
  })
  const [edited, setEdited] = useState<ReadonlyMap<number, Edited>>(new Map())
  const stored = reads.map(({ data }) => (isItem(data?.data) ? data.data : null))
  const draftOf = (at: number): Edited | null => {
    const base = stored[at]
    return edited.get(at) ?? (base ? { base, value: base } : null)
  }
  const changed = sections.flatMap((_, at) => {
    const draft = draftOf(at)
    return draft ? changedFields(draft).map((name) => ({ at, name })) : []
  })
  const { clearFaults, settleFault, ...faults } = useSectionFaults(sections, fields, draftOf)
  const set = useCallback(
    (at: number, path: string, value: unknown): void => {
      setEdited((now) => {
        const base = stored[at]
        const draft = now.get(at) ?? (base ? { base, value: base } : null)
        return draft ? new Map(now).set(at, { ...draft, value: setAt(draft.value, path, value) }) : now
      })
      settleFault(at, String(stepsOf(path)[0] ?? path))
    },
    [stored, settleFault],
  )
  const failure = reads.map(({ error }) => error as Failure | null).find((one) => one !== null) ?? null
  return {
    ...faults,
    tags: reads.map(({ data }) => data?.etag ?? null),
    failure,
    isMissing: stored.every((one) => one === null),
    readAgain: () => void Promise.all(reads.map((read) => read.refetch())),
    edited,
    setEdited,
    draftOf,
    changedSections: [...new Set(changed.map(({ at }) => at))],
    changedNames: changed.map(({ at, name }) => {
      const field = fields[at]?.find((one) => one.name === name)
      return field ? titleOf(field) : name
    }),
    isDirty: changed.length > 0,
    set,
    discard: () => {
      setEdited(new Map())
      clearFaults()
    },
  }
}

interface SectionFaults extends Pick<SettingsDraft, 'isValid' | 'isAllShown' | 'showAll' | 'faultsOf' | 'refuse'> {
  readonly clearFaults: () => void
  /** The field is changed: what the gateway said of it is over, and its own faults are shown. */
  readonly settleFault: (at: number, name: string) => void
}

/** Faults that the browser finds are shown once their field was touched, those of the gateway at once. */
function useSectionFaults(
  sections: readonly Section[],
  fields: SectionFields['fields'],
  draftOf: SettingsDraft['draftOf'],
): SectionFaults {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [isAllShown, setAllShown] = useState(false)
  const [refused, setRefused] = useState<readonly (readonly Problem[])[]>([])
  const problems = sections.map((section, at): readonly Problem[] => {
    const draft = draftOf(at)
    const schema = changeOf(section)?.body as Schema | undefined
    return draft && schema ? checkBody(bodyObject(schema), bodyOf(section, draft.base, draft.value), t) : []
  })
  return {
    isValid: problems.every((own) => own.length === 0),
    isAllShown,
    showAll: () => setAllShown(true),
    faultsOf: (at) => {
      const own = (problems[at] ?? []).filter(
        ({ field }) => isAllShown || touched.has(`${at} ${String(stepsOf(field)[0] ?? field)}`),
      )
      return sortFaults([...(refused[at] ?? []), ...own], new Set(fields[at]?.map(({ name }) => name)))
    },
    refuse: setRefused,
    settleFault: useCallback((at: number, name: string): void => {
      setTouched((now) => new Set([...now, `${at} ${name}`]))
      setRefused((now) =>
        now.map((own, index) => (index === at ? own.filter(({ field }) => stepsOf(field)[0] !== name) : own)),
      )
    }, []),
    clearFaults: () => {
      setTouched(new Set())
      setAllShown(false)
      setRefused([])
    },
  }
}
