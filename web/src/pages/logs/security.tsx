// The security events in the explorer, each with a panel of its own.

import type { HandPage } from '../../page.ts'
import { later } from '../../ui/later.tsx'
import { loadCode } from '../../ui/load-code.ts'
import { LogExplorer } from './explorer.tsx'
import { securitySource } from './source-security.ts'

const EventPanel = later(async () => (await loadCode(() => import('./event-panel.tsx'))).EventPanel)

export const page: HandPage = {
  kind: 'hand',
  Component: () => <LogExplorer source={securitySource} Panel={EventPanel} />,
}
