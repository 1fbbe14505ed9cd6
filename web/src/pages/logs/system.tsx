// The system log in the explorer.

import type { HandPage } from '../../page.ts'
import { LogExplorer } from './explorer.tsx'
import { systemSource } from './source-system.ts'

export const page: HandPage = { kind: 'hand', Component: () => <LogExplorer source={systemSource} /> }
