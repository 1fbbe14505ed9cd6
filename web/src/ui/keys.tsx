// Shows a key or a combination such as `Ctrl Enter`.

import { cx } from './cx.ts'
import styles from './keys.module.css'

const signs: Readonly<Record<string, string>> = { Up: '↑', Down: '↓', Left: '←', Right: '→', Enter: '↵' }

export function Keys({ keys, isOnSolid = false }: { readonly keys: string; readonly isOnSolid?: boolean }) {
  return (
    <span className={cx(styles.keys, isOnSolid && styles.solid)} aria-hidden="true">
      {keys
        .split(' ')
        .map((key) => signs[key] ?? key)
        .join(' ')}
    </span>
  )
}
