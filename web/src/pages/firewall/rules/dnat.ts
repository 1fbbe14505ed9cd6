// The DNAT rules.

import { rulesPage } from './rules-page.tsx'

export const page = rulesPage('dnat')
