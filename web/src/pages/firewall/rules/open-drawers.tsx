// Whichever drawer or dialog is open over the table: one rule, several rules, their new place, or a file with rules.

import type { Editing } from '../../../api/editing.ts'
import { useGo, usePlace } from '../../../place.ts'
import { BulkDrawer, ImportDrawer, MoveDialog, RuleDrawer } from './drawers.tsx'
import { orderAt } from './moves.ts'
import type { RuleTable } from './tables.ts'
import { keptSearch, type RuleActs } from './use-rule-acts.ts'
import type { RuleTableData } from './use-rule-table.ts'
import type { TableChanges } from './use-table-changes.ts'

interface OpenDrawersProps {
  readonly table: RuleTable
  readonly data: RuleTableData
  readonly editing: Editing
  readonly changes: TableChanges
  readonly acts: RuleActs
  /** A file with rules that was dropped on the page. */
  readonly dropped: File | null
  readonly onImported: () => void
}

export function OpenDrawers({ table, data, editing, changes, acts, dropped, onImported }: OpenDrawersProps) {
  const { rules, etag, index, numberOf } = data
  const { item, search } = usePlace()
  const go = useGo()
  const { asked } = acts
  const isImporting = search.import !== undefined || dropped !== null
  const endImport = (): void => {
    onImported()
    go.setSearch({ import: null }, { replace: true })
  }
  const endAsking = (): void => acts.ask(null)
  return (
    <>
      {item !== null && data.list.data && data.isReady && !isImporting ? (
        <RuleDrawer
          key={`${item} ${search.copy ?? ''} ${search.after ?? ''} ${search.before ?? ''}`}
          {...{ table, rules, etag, index, item, numberOf, editing }}
          mark={data.marks.get(Number(item))}
          onClose={() => go.open(`policy/rules/${table.name}`, keptSearch(search))}
          onRemove={(rule) => acts.remove([rule])}
          onLog={acts.openLog}
          onTrace={acts.openTracer}
        />
      ) : null}
      {asked?.what === 'bulk' ? (
        <BulkDrawer
          {...{ table, etag, index, numberOf }}
          rules={asked.rules}
          onClose={endAsking}
          onApplied={endAsking}
        />
      ) : null}
      {asked?.what === 'move' ? (
        <MoveDialog
          count={asked.rules.length}
          total={rules.length}
          onMove={(position) => {
            const block = new Set(asked.rules.map(({ id }) => id))
            changes.reorder((order) => orderAt(order, block, Math.min(position, rules.length - block.size + 1)))
            endAsking()
          }}
          onClose={endAsking}
        />
      ) : null}
      {isImporting ? (
        <ImportDrawer {...{ table, rules, etag, index }} file={dropped} onClose={endImport} onApplied={endImport} />
      ) : null}
    </>
  )
}
