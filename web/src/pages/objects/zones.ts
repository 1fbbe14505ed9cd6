// The page of zones.

import { objectsPage } from './page.tsx'

export const page = objectsPage('zones')
