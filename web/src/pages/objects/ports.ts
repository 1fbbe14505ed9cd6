// The page of ports.

import { objectsPage } from './page.tsx'

export const page = objectsPage('ports')
