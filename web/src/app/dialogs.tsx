// What the shell opens over itself, and the sign-in: none of it belongs to the first load of a page.

import { later } from '../ui/later.tsx'
import { loadCode } from '../ui/load-code.ts'

export const AccountMenu = later(async () => (await loadCode(() => import('./account-menu.tsx'))).AccountMenu)
export const KeysHelp = later(async () => (await loadCode(() => import('./keys-help.tsx'))).KeysHelp)
export const OwnSessions = later(async () => (await loadCode(() => import('./own-sessions.tsx'))).OwnSessions)
export const PasswordDialog = later(
  async () => (await loadCode(() => import('./sign-in/password-dialog.tsx'))).PasswordDialog,
)
export const SignInOver = later(async () => (await loadCode(() => import('./sign-in/sign-in-over.tsx'))).SignInOver)
export const SignInPage = later(async () => (await loadCode(() => import('./sign-in/sign-in-page.tsx'))).SignInPage)
