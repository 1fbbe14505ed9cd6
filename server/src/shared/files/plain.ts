// The option with which the runtime runs the plain copies of our TypeScript instead of stripping it (server/plain).

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** `app` is the checkout as the started process sees it. */
export const plainHook = (app: string): string => pathToFileURL(join(app, 'server/plain/hook.mjs')).href

export const plainOption = (app: string): string => `--import=${plainHook(app)}`

/** The checkout that this process runs from. */
export const ownApp = join(import.meta.dirname, '..', '..', '..', '..')
