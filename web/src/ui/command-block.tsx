// The same act as a command of the shell, by curl or by gw, to copy.

import { Fragment, useState } from 'react'
import { t } from '../words.ts'
import styles from './command-block.module.css'
import { CopyButton } from './copy-button.tsx'
import { PlainText } from './plain-text.tsx'

export interface CommandBlockProps {
  readonly commands: readonly { readonly name: 'curl' | 'gw'; readonly text: string }[]
}

/** What is copied is shown whole. */
const longest = 1_000_000

export function CommandBlock({ commands }: CommandBlockProps) {
  const [chosen, setChosen] = useState<string>(commands[0]?.name ?? 'curl')
  const command = commands.find((one) => one.name === chosen) ?? commands[0]
  if (command === undefined) return null
  return (
    <section className={styles.block} aria-label={t('As command')}>
      <div className={styles.head}>
        <div className={styles.names} role="radiogroup" aria-label={t('Tool')}>
          {commands.map((one) => (
            <label key={one.name} className={styles.name} data-on={one === command ? '' : undefined}>
              <input
                type="radio"
                className="visually-hidden"
                checked={one === command}
                onChange={() => setChosen(one.name)}
              />
              {one.name}
            </label>
          ))}
        </div>
        <CopyButton text={command.text} label={t('Copy the command')} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre className={styles.text} tabIndex={0} dir="ltr">
        {command.text.split('\n').map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
          <Fragment key={at}>
            {at === 0 ? '' : '\n'}
            <PlainText text={line} limit={longest} />
          </Fragment>
        ))}
      </pre>
    </section>
  )
}
