// The sign of the product: a portcullis in the accent colour.

import type { ReactNode } from 'react'
import styles from './brand.module.css'

export function Brand({ size = 20 }: { readonly size?: number }): ReactNode {
  return (
    <svg className={styles.sign} width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d="M2 18V8a8 8 0 0 1 16 0v10" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      <path
        d="M6.5 5v11.5M10 3v15M13.5 5v11.5M3 8.5h14M3 13h14"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
      />
    </svg>
  )
}
