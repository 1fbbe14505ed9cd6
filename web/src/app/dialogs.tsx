// What the shell opens over itself, and the sign-in: none of it belongs to the first load of a page.

import { later } from '../ui/later.tsx'

export const AccountMenu = later(async () => (await import('./account-menu.tsx')).AccountMenu)
export const KeysHelp = later(async () => (await import('./keys-help.tsx')).KeysHelp)
export const OwnSessions = later(async () => (await import('./own-sessions.tsx')).OwnSessions)
export const PasswordDialog = later(async () => (await import('./sign-in/password-dialog.tsx')).PasswordDialog)
export const SignInOver = later(async () => (await import('./sign-in/sign-in-over.tsx')).SignInOver)
export const SignInPage = later(async () => (await import('./sign-in/sign-in-page.tsx')).SignInPage)
