// Someone else changed the same fields in the meantime: both values side by side, and the person takes one of each.

import { listRevisions } from '@gateway/server/contract/configuration'
import { type ReactNode, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { t } from '../../words.ts'
import type { Choice, Merge } from '../merge.ts'
import type { FormField } from '../schema.ts'
import { type Speaking, valueText } from '../values.ts'
import { labelOf } from '../words.ts'
import styles from './conflict.module.css'
import { titleOf } from './widget.tsx'

interface ConflictDialogProps {
  readonly merge: Merge
  readonly fields: readonly FormField[]
  readonly speaking: Speaking
  readonly onSettle: (choices: Readonly<Record<string, Choice>>) => void
  readonly onClose: () => void
}

export function ConflictDialog({ merge, fields, speaking, onSettle, onClose }: ConflictDialogProps): ReactNode {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({})
  const revisions = useRead(listRevisions, { query: { limit: 1 } })
  const newest = revisions.data?.data[0]
  const open = merge.conflicts.filter(({ field }) => choices[field] === undefined).length
  const nameOf = (name: string): string => {
    const field = fields.find((one) => one.name === name)
    return field ? titleOf(field) : t(labelOf(name))
  }
  const show = (name: string, value: unknown): string => {
    const field = fields.find((one) => one.name === name)
    const text = field ? valueText(value, field.schema, field.spec, speaking) : JSON.stringify(value)
    return text === '' ? t('none') : text
  }
  return (
    <Dialog
      title={t('Someone else changed the same')}
      onClose={onClose}
      width="wide"
      foot={
        <>
          <Button onClick={onClose}>{t('Back to editing')}</Button>
          <Button
            kind="primary"
            isDisabled={open > 0}
            why={t('{count, plural, one {One field is still open.} other {# fields are still open.}}', { count: open })}
            onClick={() => onSettle(choices)}
          >
            {t('Review with these')}
          </Button>
        </>
      }
    >
      {newest ? (
        <p className={styles.who}>
          {t('Newest change: {author}, revision {revision}', { author: newest.author, revision: newest.revision })}{' '}
          <Time iso={newest.time} />
        </p>
      ) : null}
      {merge.taken.length > 0 ? (
        <p className={styles.who}>
          {t('Taken over from them: {fields}', { fields: merge.taken.map(nameOf).join(', ') })}
        </p>
      ) : null}
      <table className={styles.table}>
        <thead>
          <tr>
            <th>{t('Field')}</th>
            <th>{t('Before')}</th>
            <th>{t('Mine')}</th>
            <th>{t('Theirs')}</th>
          </tr>
        </thead>
        <tbody>
          {merge.conflicts.map(({ field, base, mine, theirs }) => (
            <tr key={field}>
              <th scope="row">{nameOf(field)}</th>
              <td>
                <PlainText text={show(field, base)} />
              </td>
              {(['mine', 'theirs'] as const).map((side) => (
                <Side
                  key={side}
                  field={field}
                  text={show(field, side === 'mine' ? mine : theirs)}
                  isChosen={choices[field] === side}
                  onChoose={() => setChoices({ ...choices, [field]: side })}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}

interface SideProps {
  readonly field: string
  readonly text: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function Side({ field, text, isChosen, onChoose }: SideProps): ReactNode {
  return (
    <td>
      <label className={styles.side}>
        <input type="radio" name={field} checked={isChosen} onChange={onChoose} />
        <PlainText text={text} />
      </label>
    </td>
  )
}
