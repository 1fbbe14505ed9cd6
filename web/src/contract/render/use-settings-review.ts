// The review of a settings page: all sections that changed as one plan, and the merge when someone else changed one of them.

import { useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { type CallOptions, call } from '../../api/call.ts'
import type { ChangePlan, PlannedCall } from '../../api/change.ts'
import { readAgain } from '../../api/reads.ts'
import { useLeaveGuard } from '../../place.ts'
import { t } from '../../words.ts'
import type { Item, Section } from '../define.ts'
import { isEqual } from '../draft.ts'
import { type Choice, type Merge, mergeItems, settle } from '../merge.ts'
import { bodyOf, changeOf, type Edited, spread } from './settings-section.ts'
import type { SettingsDraft } from './use-settings-draft.ts'

interface SettingsConflict {
  /** The section. */
  readonly at: number
  readonly merge: Merge
  readonly theirs: Item
}

export interface SettingsReview {
  /** The calls that a review would make now. */
  readonly calls: readonly PlannedCall[]
  readonly open: () => void
  readonly conflict: SettingsConflict | null
  readonly settleConflict: (choices: Readonly<Record<string, Choice>>) => void
  readonly closeConflict: () => void
}

interface ReviewedSettings {
  readonly sections: readonly Section[]
  readonly title: string
  readonly confirmWithin?: number | undefined
}

export function useSettingsReview(
  { sections, title, confirmWithin }: ReviewedSettings,
  draft: SettingsDraft,
): SettingsReview {
  const [conflict, setConflict] = useState<SettingsConflict | null>(null)
  const review = useReview()
  const { edited, setEdited, tags, changedSections } = draft
  const saved = useLeaveGuard(draft.isDirty, () => draft.changedNames)
  const shows = sections.map(({ endpoints: { show } }) => show)

  const planOf = (drafts: ReadonlyMap<number, Edited>, now: readonly (string | null)[]): ChangePlan => ({
    title: t('Change {what}', { what: title }),
    calls: callsOf(sections, changedSections, drafts, now),
    ...(confirmWithin === undefined ? {} : { confirmWithin }),
    reads: shows,
    onApplied: () => {
      saved()
      void readAgain(...shows).then(draft.discard)
    },
    onProblems: (found) => {
      draft.showAll()
      draft.refuse(spread(found, changedSections, sections.length))
    },
    onConflict: () => onConflict(drafts),
  })

  async function onConflict(drafts: ReadonlyMap<number, Edited>): Promise<ChangePlan | null> {
    const next = new Map(drafts)
    const fresh = [...tags]
    for (const at of changedSections) {
      const section = sections[at]
      const own = drafts.get(at)
      if (!section || !own) continue
      const reply = await call(section.endpoints.show, {} as CallOptions)
      const theirs = reply.data as Item
      fresh[at] = reply.etag
      if (isEqual(theirs, own.base)) continue
      const merge = mergeItems(own.base, own.value, theirs)
      if (merge.conflicts.length > 0) {
        setConflict({ at, merge, theirs })
        return null
      }
      next.set(at, { base: theirs, value: merge.merged })
    }
    setEdited(next)
    void readAgain(...shows)
    return planOf(next, fresh)
  }

  const settleConflict = (choices: Readonly<Record<string, Choice>>): void => {
    if (!conflict) return
    const next = new Map(edited).set(conflict.at, { base: conflict.theirs, value: settle(conflict.merge, choices) })
    setEdited(next)
    setConflict(null)
    void onConflict(next).then((plan) => {
      if (plan) review.open(plan)
    })
  }

  return {
    calls: callsOf(sections, changedSections, edited, tags),
    open: () => review.open(planOf(edited, tags)),
    conflict,
    settleConflict,
    closeConflict: () => setConflict(null),
  }
}

const callsOf = (
  sections: readonly Section[],
  changed: readonly number[],
  drafts: ReadonlyMap<number, Edited>,
  tags: readonly (string | null)[],
): readonly PlannedCall[] =>
  changed.flatMap((at) => {
    const section = sections[at]
    const draft = drafts.get(at)
    const endpoint = section ? changeOf(section) : undefined
    if (!section || !draft || !endpoint) return []
    return [{ endpoint, body: bodyOf(section, draft.base, draft.value), etag: tags[at] ?? null }]
  })
