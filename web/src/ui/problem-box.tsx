// Why something could not be read or done, in the words of the gateway, with what still works and another try.

import { heard, t } from '../words.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'
import { PlainText } from './plain-text.tsx'
import styles from './problem-box.module.css'

export interface ProblemBoxProps {
  readonly failure: {
    readonly message: string
    readonly requestId?: string | undefined
    readonly code: string
  }
  readonly onRetry?: (() => void) | undefined
  /** What still works. */
  readonly still?: string | undefined
}

export function ProblemBox({ failure, onRetry, still }: ProblemBoxProps) {
  const hasId = failure.requestId !== undefined && failure.requestId !== ''
  return (
    <div className={styles.box} role="alert" data-code={failure.code}>
      <span className={styles.mark}>
        <Icon name="error" />
      </span>
      <div className={styles.words}>
        <p className={styles.message}>
          <PlainText text={heard(failure.message)} limit={2000} />
        </p>
        {still === undefined ? null : <p className={styles.still}>{still}</p>}
        {hasId ? (
          <p className={styles.id}>
            {t('Request')} <span className="mono">{failure.requestId}</span>
            <CopyButton text={failure.requestId ?? ''} label={t('Copy the request id')} />
          </p>
        ) : null}
      </div>
      {onRetry === undefined ? null : (
        <Button onClick={onRetry} icon="refresh">
          {t('Try again')}
        </Button>
      )}
    </div>
  )
}
