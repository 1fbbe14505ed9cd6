// What the gateway refuses about other objects than the one in the form, each with its page.

import type { ReactNode } from 'react'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { type NumberOf, renumber } from '../../util/rule-numbers.ts'
import { heard } from '../../words.ts'
import { linkOfStored } from './stored-link.ts'

interface RefusedField {
  readonly field: string
  readonly message: string
}

export function RefusedFields({
  refused,
  numberOf,
}: {
  readonly refused: readonly RefusedField[]
  readonly numberOf: NumberOf
}): ReactNode {
  return (
    <ul>
      {refused.map(({ field, message }) => {
        const link = linkOfStored(field, numberOf)
        return (
          <li key={`${field} ${message}`}>
            {link ? <Link to={link.path}>{link.title}</Link> : <PlainText text={field} />}:{' '}
            <PlainText text={renumber(heard(message), numberOf)} />
          </li>
        )
      })}
    </ul>
  )
}
