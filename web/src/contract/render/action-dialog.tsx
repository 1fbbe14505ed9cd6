// One call that is made now: what it asks for, its confirmation, and what the gateway answers. Calls that change the
// configuration go through the review.

import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { reviewStore } from '../../api/apply.ts'
import { useStore } from '../../api/store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { t } from '../../words.ts'
import { setAt } from '../draft.ts'
import { formFields, type Schema } from '../schema.ts'
import { Form } from './form.tsx'
import { ReplyView } from './reply-view.tsx'
import { type ReadyAction, useAction } from './use-action.ts'
import { useSpeaking } from './use-speaking.ts'

interface ActionDialogProps {
  readonly ready: ReadyAction
  readonly onClose: () => void
}

export function ActionDialog({ ready, onClose }: ActionDialogProps): ReactNode {
  const { endpoint, asks, confirm } = ready
  const fields = useMemo(
    () =>
      endpoint.body ? formFields(endpoint.body as Schema, ready.fields).filter(({ name }) => asks.includes(name)) : [],
    [endpoint, ready.fields, asks],
  )
  const speaking = useSpeaking(fields)
  const { value, setValue, faults, failure, isBusy, isReviewed, reply, run } = useAction(ready, fields, onClose)
  const isReviewOpen = useStore(reviewStore) !== null

  // Nothing to ask: it happens at once.
  const isStarted = useRef(false)
  const isPlain = confirm === null && fields.length === 0
  useEffect(() => {
    if (!isPlain || isStarted.current) return
    isStarted.current = true
    void run()
  })
  if (isPlain && reply === undefined && failure === null) return null
  // The review takes its place; anyone who goes back finds it as it was.
  if (isReviewed && isReviewOpen) return null
  const isDone = reply !== undefined
  return (
    <Dialog
      title={ready.title}
      onClose={onClose}
      foot={
        isDone ? (
          <Button kind="primary" onClick={onClose}>
            {t('Close')}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button kind={ready.isDanger ? 'danger' : 'primary'} isBusy={isBusy} onClick={() => void run()}>
              {ready.title}
            </Button>
          </>
        )
      }
    >
      {confirm === null || isDone ? null : <p>{confirm}</p>}
      {ready.about.length > 1 && !isDone ? (
        <ul>
          {ready.about.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      ) : null}
      {failure ? <ProblemBox failure={failure} /> : null}
      {isDone ? (
        <ReplyView endpoint={endpoint} reply={reply} />
      ) : (
        <Form
          {...{ fields, value, faults, speaking }}
          base={null}
          isDisabled={isBusy}
          onChange={(path, next) => setValue((now) => setAt(now, path, next))}
          isFocused
        />
      )}
    </Dialog>
  )
}
