// The INPUT rules.

import { rulesPage } from './rules-page.tsx'

export const page = rulesPage('input')
