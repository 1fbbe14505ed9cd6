// One call that is made now: what it asks for, its confirmation, and what the gateway answers. Calls that change the
// configuration go through the review.

import type { Endpoint } from '@gateway/server/contract'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { reviewStore, useReview } from '../../api/apply.ts'
import { type CallOptions, call, send } from '../../api/call.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain } from '../../api/reads.ts'
import { useStore } from '../../api/store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words.ts'
import { checkBody } from '../check.ts'
import type { FieldSpec, Item } from '../define.ts'
import { isItem, noFaults, setAt, sortFaults } from '../draft.ts'
import { bodyObject, emptyItem, formFields, type Schema } from '../schema.ts'
import { Form } from './form.tsx'
import { ReplyView } from './reply-view.tsx'
import { saveFile } from './save-file.ts'
import { useSpeaking } from './use-speaking.ts'

export interface ReadyAction {
  readonly endpoint: Endpoint
  readonly title: string
  readonly params: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** Fields of the body that the person fills in. */
  readonly asks: readonly string[]
  readonly fields: Readonly<Record<string, FieldSpec>>
  readonly confirm: string | null
  /** Names of the rows it is about. */
  readonly about: readonly string[]
  readonly done: string | null
  readonly isDanger: boolean
  readonly isDownload: boolean
  readonly fileName: string | null
  readonly reads: readonly Endpoint[]
  readonly confirmWithin?: number
  readonly hidesReply?: boolean
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function ActionDialog({
  ready,
  onClose,
}: {
  readonly ready: ReadyAction
  readonly onClose: () => void
}): ReactNode {
  const { endpoint, asks, confirm, isDownload } = ready
  const fields = useMemo(
    () =>
      endpoint.body ? formFields(endpoint.body as Schema, ready.fields).filter(({ name }) => asks.includes(name)) : [],
    [endpoint, ready.fields, asks],
  )
  const speaking = useSpeaking(fields)
  const [value, setValue] = useState<Item>(() => emptyItem(fields))
  const [faults, setFaults] = useState(noFaults)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [reply, setReply] = useState<unknown>(undefined)
  const { open } = useReview()
  const [isReviewed, setReviewed] = useState(false)
  const isReviewOpen = useStore(reviewStore) !== null
  const names = useMemo(() => new Set(fields.map(({ name }) => name)), [fields])

  const run = async (): Promise<void> => {
    const body =
      endpoint.body === null
        ? undefined
        : fields.length > 0
          ? { ...(ready.body as Item | undefined), ...value }
          : ready.body
    if (body !== undefined) {
      const problems = checkBody(bodyObject(endpoint.body as Schema), body, t)
      setFaults(sortFaults(problems, names))
      if (problems.length > 0) return
    }
    const options = {
      params: ready.params,
      ...(ready.query ? { query: ready.query } : {}),
      ...(body === undefined ? {} : { body }),
    }
    if (endpoint.effect === 'configuration') {
      open({
        title: [ready.title, ...ready.about.slice(0, 1)].join(' '),
        calls: [{ endpoint, ...options }],
        reads: ready.reads,
        ...(ready.confirmWithin === undefined ? {} : { confirmWithin: ready.confirmWithin }),
        onProblems: (problems) => setFaults(sortFaults(problems, names)),
        onApplied: ([answer]) =>
          isItem(answer) && !ready.hidesReply && Object.keys(answer).some((name) => name !== 'id')
            ? setReply(answer)
            : onClose(),
      })
      setReviewed(true)
      if (fields.length === 0) onClose()
      return
    }
    setBusy(true)
    setFailure(null)
    try {
      if (isDownload) {
        await saveFile(await send(endpoint, options as CallOptions), ready.fileName)
        onClose()
        return
      }
      const answer = await call(endpoint, options as CallOptions)
      await readAgain(...ready.reads)
      if (isItem(answer.data) && Object.keys(answer.data).length > 0) setReply(answer.data)
      else {
        toast(ready.done ?? t('Done.'), { tone: 'ok' })
        onClose()
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.problems.length > 0) setFaults(sortFaults(error.problems, names))
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }

  // Nothing to ask: it happens at once.
  const isStarted = useRef(false)
  const isPlain = confirm === null && fields.length === 0
  useEffect(() => {
    if (!isPlain || isStarted.current) return
    isStarted.current = true
    void run()
  })
  if (isPlain && reply === undefined && failure === null) return null
  // The review takes its place; whoever goes back finds it as it was.
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
