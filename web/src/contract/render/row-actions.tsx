// Actions of the page on its rows: calls with or without questions, downloads, links; by menu, by key, or on several rows.

import { type ReactNode, useState } from 'react'
import { needsRole } from '../../api/editing.ts'
import { useSession } from '../../api/session.ts'
import { useGo } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import type { MenuItem } from '../../ui/menu.tsx'
import { t } from '../../words.ts'
import type { Collection, Item, RowAction } from '../define.ts'
import { type Around, idOf, paramsOf } from '../plan.ts'
import { ActionDialog } from './action-dialog.tsx'
import type { ReadyAction } from './use-action.ts'

interface Asked {
  readonly action: RowAction
  readonly ready: ReadyAction
}

export interface RowActions {
  readonly menuOf: (row: Item) => readonly MenuItem[]
  readonly bulkOf: (rows: readonly Item[]) => ReactNode
  /** True when an action has this key. */
  readonly onKey: (key: string, rows: readonly Item[]) => boolean
  readonly dialog: ReactNode
}

export function useRowActions(
  collection: Pick<Collection, 'row' | 'endpoints' | 'idField' | 'title'>,
  around: Around,
): RowActions {
  const [asked, setAsked] = useState<Asked | null>(null)
  const go = useGo()
  const { may } = useSession()
  const actions = collection.row ?? []
  const isFor = (action: RowAction, row: Item): boolean => action.isShown?.(row) ?? true
  const mayUse = ({ endpoint }: RowAction): boolean => endpoint === undefined || may(endpoint.access)

  const run = (action: RowAction, rows: readonly Item[]): void => {
    const [row] = rows
    if (!row || !mayUse(action)) return
    const { endpoint, to } = action
    if (to) go.open(to(row))
    if (to || !endpoint) return
    const aim = action.aimAll ? action.aimAll(rows) : action.aim?.(row)
    const params = { ...paramsOf(endpoint, around, idOf(collection as Collection, row)), ...aim?.params }
    setAsked({
      action,
      ready: {
        endpoint,
        title: t(action.title),
        params,
        ...(aim?.query === undefined ? {} : { query: aim.query }),
        ...(aim?.body === undefined ? {} : { body: aim.body }),
        asks: action.asks ?? [],
        fields: action.fields ?? {},
        confirm: action.confirm === undefined ? null : t(action.confirm),
        about: rows.slice(0, 10).map((one) => collection.title(one)),
        done: action.done === undefined ? null : t(action.done),
        isDanger: action.isDanger === true,
        isDownload: action.isDownload === true,
        fileName: action.fileName?.(row) ?? null,
        reads: [collection.endpoints.list],
      },
    })
  }

  const itemOf = (action: RowAction, row: Item): MenuItem => ({
    label: t(action.title),
    icon: action.icon,
    keys: action.keys?.toUpperCase(),
    isDanger: action.isDanger,
    isDisabled: !mayUse(action),
    why: action.endpoint && !mayUse(action) ? needsRole(action.endpoint.access) : undefined,
    onSelect: () => run(action, [row]),
  })

  return {
    menuOf: (row) => actions.filter((action) => isFor(action, row)).map((action) => itemOf(action, row)),
    bulkOf: (rows) =>
      actions
        .filter(({ aimAll }) => aimAll !== undefined)
        .map((action) => (
          <Button
            key={action.title}
            size="small"
            icon={action.icon}
            isDisabled={!mayUse(action)}
            onClick={() => run(action, rows)}
          >
            {t(action.title)}
          </Button>
        )),
    onKey: (key, rows) => {
      const [row] = rows
      const found = actions.find(
        (action) => action.keys?.toLowerCase() === key.toLowerCase() && row && isFor(action, row),
      )
      if (found) run(found, rows)
      return found !== undefined
    },
    dialog: asked ? <ActionDialog ready={asked.ready} onClose={() => setAsked(null)} /> : null,
  }
}
