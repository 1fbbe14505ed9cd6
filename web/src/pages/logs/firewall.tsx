// The firewall log in the explorer.

import type { HandPage } from '../../page.ts'
import { LogExplorer } from './explorer.tsx'
import { firewallSource } from './source-firewall.ts'

export const page: HandPage = { kind: 'hand', Component: () => <LogExplorer source={firewallSource} /> }
