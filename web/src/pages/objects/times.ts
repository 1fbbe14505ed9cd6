// The page of times.

import { objectsPage } from './page.tsx'

export const page = objectsPage('times')
