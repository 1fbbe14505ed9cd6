// The words of the themes, for the sign-in and for the menu of the account.

import { t } from '../words.ts'
import type { Theme } from './appearance.ts'

export const themeWords = (theme: Theme): string =>
  ({ system: t('Theme of the system'), light: t('Light theme'), dark: t('Dark theme') })[theme]
