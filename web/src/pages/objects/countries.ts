// The page of countries.

import { objectsPage } from './page.tsx'

export const page = objectsPage('countries')
