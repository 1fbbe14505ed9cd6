// Asks before unsaved changes are lost: by a link, by Back, by closing or reloading the tab.

import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { pages } from '../pages/index.ts'
import { isUnsaved, unsavedFields } from '../place.ts'
import { later } from '../ui/later.tsx'
import { loadCode } from '../ui/load-code.ts'
import { t } from '../words.ts'
import { locate } from './locate.ts'

const Confirm = later(async () => (await loadCode(() => import('../ui/confirm.tsx'))).Confirm)

/** Filters and tabs of the same item lose nothing. */
function isLeaving(current: { readonly pathname: string }, next: { readonly pathname: string }): boolean {
  const from = locate(pages, current.pathname, '')
  const to = locate(pages, next.pathname, '')
  return from.path !== to.path || from.item !== to.item
}

export function LeaveGuard(): ReactNode {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved() && isLeaving(current, next),
    enableBeforeUnload: () => isUnsaved(),
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Confirm
      title={t('Leave without these changes?')}
      action={t('Leave and lose them')}
      isDanger
      onConfirm={() => proceed?.()}
      onClose={() => reset?.()}
    >
      <p>{t('Not applied yet:')}</p>
      <ul>
        {unsavedFields()
          .slice(0, 12)
          .map((field) => (
            <li key={field}>{field}</li>
          ))}
      </ul>
    </Confirm>
  )
}
