// The page of all objects; links to an object lead here.

import { objectsPage } from './page.tsx'

export const page = objectsPage(null)
