// A short name for a content: equal texts give equal names, and no two different ones do.

import { createHash } from 'node:crypto'

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
