// The account: who is signed in, own sessions, language, theme, density, keys, sign-out.

import { roles } from '@gateway/server/core/access'
import { type ReactNode, useState } from 'react'
import { useSession } from '../api/session.ts'
import { Menu } from '../ui/menu.tsx'
import { currentLanguage, type Language, languages, speak, t } from '../words.ts'
import { choose, densities, themes, useAppearance } from './appearance.ts'
import { OwnSessions } from './dialogs.tsx'
import { signOut } from './sign-out.ts'
import { themeWords } from './theme-words.ts'

export function AccountMenu({ onHelp }: { readonly onHelp: () => void }): ReactNode {
  const { login, role } = useSession()
  const { theme, density } = useAppearance()
  const [isListOpen, setListOpen] = useState(false)
  const nextTheme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  const nextDensity = densities[(densities.indexOf(density) + 1) % densities.length] ?? 'compact'
  const otherLanguage: Language = currentLanguage() === 'en' ? 'ru' : 'en'
  return (
    <>
      <Menu
        label={t('Account {login}, {role}', { login, role: t(roles[role]) })}
        items={[
          {
            label: languages[otherLanguage],
            icon: 'language',
            onSelect: () => void speak(otherLanguage, { isChoice: true }),
          },
          {
            label: themeWords(nextTheme),
            icon: 'theme',
            onSelect: () => choose({ theme: nextTheme }),
          },
          {
            label: nextDensity === 'compact' ? t('Compact rows') : t('Roomy rows'),
            icon: 'density',
            onSelect: () => choose({ density: nextDensity }),
          },
          { label: t('Keys'), icon: 'keyboard', keys: '?', onSelect: onHelp },
          { label: t('My sessions'), icon: 'session', onSelect: () => setListOpen(true) },
          { label: t('Sign out'), icon: 'signout', onSelect: () => void signOut() },
        ]}
      >
        {login}
      </Menu>
      {isListOpen ? <OwnSessions onClose={() => setListOpen(false)} /> : null}
    </>
  )
}
