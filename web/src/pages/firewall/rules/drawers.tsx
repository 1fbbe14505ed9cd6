// What opens over the table of rules: the table is there before it.

import { later } from '../../../ui/later.tsx'

export const RuleDrawer = later(async () => (await import('./rule-drawer.tsx')).RuleDrawer)
export const BulkDrawer = later(async () => (await import('./bulk-drawer.tsx')).BulkDrawer)
export const ImportDrawer = later(async () => (await import('./import-drawer.tsx')).ImportDrawer)
export const MoveDialog = later(async () => (await import('./move-dialog.tsx')).MoveDialog)
