// Why a change was refused, with what it means for the gateway: nothing is half done.

import type { ReactNode } from 'react'
import type { Failure } from '../../api/failure.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { type NumberOf, renumber, tablesIn } from '../../util/rule-numbers.ts'
import { pathOfObject, titleOfObject } from '../../util/stored-objects.ts'
import { heard, t } from '../../words.ts'
import { waitWords } from '../sign-in/wait-words.ts'
import styles from './review.module.css'

interface Props {
  readonly failure: Failure
  readonly secondsLeft: number
  readonly onRetry?: () => Promise<void>
}

export function Refused({ failure, secondsLeft, onRetry }: Props): ReactNode {
  const { code, message, requestId, problems } = failure
  const numberOf = useRuleNumbers(tablesIn([message, ...problems.flatMap(({ field, message: text }) => [field, text])]))
  const retry = onRetry && secondsLeft === 0 ? { onRetry: () => void onRetry() } : {}
  return (
    <>
      <ProblemBox
        failure={{ code, message: renumber(heard(message), numberOf), requestId }}
        still={stillOf(code, secondsLeft)}
        {...retry}
      />
      {problems.length === 0 ? null : (
        <ul className={styles.problems}>
          {problems.map(({ field, message: text }) => (
            <li key={`${field} ${text}`}>
              <Place field={field} numberOf={numberOf} />{' '}
              <PlainText text={renumber(heard(text), numberOf)} limit={500} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** `firewall.forward[7].source_addresses` leads to that row. */
function Place({ field, numberOf }: { readonly field: string; readonly numberOf: NumberOf }): ReactNode {
  const [, object = ''] = /^([a-z_]+\.[a-z_]+\[[^\]]+\])/.exec(field) ?? []
  const path = object === '' ? null : pathOfObject(object)
  if (path === null) return <span className="mono">{field}</span>
  return <Link to={path}>{titleOfObject(object, [], numberOf)}</Link>
}

function stillOf(code: string, secondsLeft: number): string {
  if (code === 'not_applied') return t('It was reverted: nothing has changed.')
  if (code === 'precondition_failed')
    return t('Someone else has changed the same list. Go back, look at it and review again.')
  if (code === 'unreachable')
    return t('It is not known whether the change arrived. Look at the history before you send it again.')
  if (secondsLeft > 0) return t('Nothing has changed. Worth another try in {wait}.', { wait: waitWords(secondsLeft) })
  return t('Nothing has changed, and what you entered is still there.')
}
