// The sign-ins of users at the portal in the explorer.

import type { HandPage } from '../../page.ts'
import { LogExplorer } from './explorer.tsx'
import { portalSource } from './source-journals.ts'

export const page: HandPage = { kind: 'hand', Component: () => <LogExplorer source={portalSource} /> }
