// The security events in the explorer, each with a panel of its own.

import type { HandPage } from '../../page.ts'
import { EventPanel } from './event-panel.tsx'
import { LogExplorer } from './explorer.tsx'
import { securitySource } from './source-security.ts'

export const page: HandPage = {
  kind: 'hand',
  Component: () => <LogExplorer source={securitySource} Panel={EventPanel} />,
}
