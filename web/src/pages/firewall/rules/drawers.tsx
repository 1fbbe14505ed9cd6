// What opens over the table of rules: the table is there before it.

import { later } from '../../../ui/later.tsx'
import { loadCode } from '../../../ui/load-code.ts'

export const RuleDrawer = later(async () => (await loadCode(() => import('./rule-drawer.tsx'))).RuleDrawer)
export const BulkDrawer = later(async () => (await loadCode(() => import('./bulk-drawer.tsx'))).BulkDrawer)
export const ImportDrawer = later(async () => (await loadCode(() => import('./import-drawer.tsx'))).ImportDrawer)
export const MoveDialog = later(async () => (await loadCode(() => import('./move-dialog.tsx'))).MoveDialog)
