// The traffic log in the explorer.

import type { HandPage } from '../../page.ts'
import { LogExplorer } from './explorer.tsx'
import { trafficSource } from './source-journals.ts'

export const page: HandPage = { kind: 'hand', Component: () => <LogExplorer source={trafficSource} /> }
