// The page of addresses.

import { objectsPage } from './page.tsx'

export const page = objectsPage('addresses')
