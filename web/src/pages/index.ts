// All pages of the console, by area. The rail, the routes and the palette are made of this list.

import type { PageEntry } from '../page.ts'

export const pages: readonly PageEntry[] = []
