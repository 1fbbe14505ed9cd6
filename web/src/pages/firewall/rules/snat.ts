// The SNAT rules.

import { rulesPage } from './rules-page.tsx'

export const page = rulesPage('snat')
