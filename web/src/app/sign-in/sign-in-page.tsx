// The sign-in page: which gateway this is, its certificate to compare, language and theme.

import { type ReactNode, useEffect } from 'react'
import { sessionStore } from '../../api/session.ts'
import { useStore } from '../../api/store.ts'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Select } from '../../ui/select.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { currentLanguage, type Language, languages, speak, t } from '../../words.ts'
import { choose, themes, useAppearance } from '../appearance.ts'
import { Brand } from '../brand.tsx'
import { themeWords } from '../theme-words.ts'
import styles from './sign-in.module.css'
import { SignInForm } from './sign-in-form.tsx'

export function SignInPage(): ReactNode {
  const { gateway } = useStore(sessionStore)
  const { hostName = '', fingerprint = null } = gateway ?? {}
  useEffect(() => {
    document.title = [t('Sign in'), hostName, 'Portcullis'].filter(Boolean).join(' · ')
  }, [hostName])
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <header className={styles.head}>
          <Brand size={28} />
          <h1>Portcullis</h1>
          <span className={styles.host}>{hostName}</span>
        </header>
        <SignInForm action={t('Sign in')} />
        <footer className={styles.foot}>
          {fingerprint === null ? <span /> : <Fingerprint text={fingerprint} />}
          <div className={styles.choices}>
            <LanguageChoice />
            <ThemeChoice />
          </div>
        </footer>
      </div>
    </main>
  )
}

/** The whole of it can be read, since an attacker can make both ends of one fit. */
function Fingerprint({ text }: { readonly text: string }): ReactNode {
  const parts = text.split(':')
  const short = `${parts.slice(0, 3).join(':')}:…:${parts.slice(-2).join(':')}`
  return (
    <Tooltip text={<span className={styles.fingerprint}>SHA-256 {text}</span>} side="bottom">
      <button type="button" className={styles.certificate} aria-label={t('Certificate SHA-256 {text}', { text })}>
        <Icon name="certificate" />
        <span>
          {t('Certificate')} <span className="mono">{short}</span>
        </span>
      </button>
    </Tooltip>
  )
}

export function LanguageChoice(): ReactNode {
  return (
    <Select
      label={t('Language')}
      value={currentLanguage()}
      onChange={(value) => void speak(value as Language, { isChoice: true })}
      options={Object.entries(languages).map(([value, label]) => ({ value, label }))}
    />
  )
}

const themeIcons = { system: 'theme', light: 'light', dark: 'dark' } as const

function ThemeChoice(): ReactNode {
  const { theme } = useAppearance()
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return <IconButton icon={themeIcons[theme]} label={themeWords(theme)} onClick={() => choose({ theme: next })} />
}
