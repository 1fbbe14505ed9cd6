// The list of keys, with the switch for single letters (WCAG 2.1.4).

import type { ReactNode } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { Keys } from '../ui/keys.tsx'
import { Switch } from '../ui/switch.tsx'
import { t } from '../words.ts'
import { choose, useAppearance } from './appearance.ts'
import { keyLines } from './global-keys.ts'
import styles from './keys-help.module.css'

export function KeysHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { hasLetterKeys } = useAppearance()
  return (
    <Dialog title={t('Keys')} onClose={onClose} width="wide">
      <div className={styles.columns}>
        {keyLines().map(({ title, lines }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl className={styles.lines}>
              {lines.map(({ keys, what }) => (
                <div key={keys} className={styles.line}>
                  <dt>
                    <Keys keys={keys} />
                    <span className="visually-hidden">{keys}</span>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch
        isOn={hasLetterKeys}
        onChange={(isOn) => choose({ hasLetterKeys: isOn })}
        label={t('Single letters act while a table has the focus')}
      />
    </Dialog>
  )
}
