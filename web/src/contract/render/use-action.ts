// One call that a person asked for: its body is checked, then it is reviewed or made at once, and its reply is kept.

import type { Endpoint } from '@gateway/server/contract'
import { useMemo, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { type CallOptions, call, send } from '../../api/call.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain } from '../../api/reads.ts'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words.ts'
import { checkBody } from '../check.ts'
import type { FieldSpec, Item } from '../define.ts'
import { type Faults, isItem, noFaults, sortFaults } from '../draft.ts'
import { bodyObject, emptyItem, type FormField, type Schema } from '../schema.ts'
import { saveFile } from './save-file.ts'

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

export interface ActionState {
  /** Of the fields that the person fills in. */
  readonly value: Item
  readonly setValue: (change: (now: Item) => Item) => void
  readonly faults: Faults
  readonly failure: Failure | null
  readonly isBusy: boolean
  /** The review was opened for it. */
  readonly isReviewed: boolean
  /** Undefined until the gateway has answered. */
  readonly reply: unknown
  readonly run: () => Promise<void>
}

export function useAction(ready: ReadyAction, fields: readonly FormField[], onClose: () => void): ActionState {
  const { endpoint } = ready
  const [value, setValue] = useState<Item>(() => emptyItem(fields))
  const [faults, setFaults] = useState(noFaults)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [reply, setReply] = useState<unknown>(undefined)
  const { open } = useReview()
  const [isReviewed, setReviewed] = useState(false)
  const names = useMemo(() => new Set(fields.map(({ name }) => name)), [fields])

  const review = (options: ActionOptions): void => {
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
  }

  const make = async (options: ActionOptions): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      if (ready.isDownload) {
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

  const run = async (): Promise<void> => {
    const body = bodyOf(ready, fields, value)
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
    if (endpoint.effect === 'configuration') review(options)
    else await make(options)
  }
  return { value, setValue, faults, failure, isBusy, isReviewed, reply, run }
}

interface ActionOptions extends Pick<ReadyAction, 'params' | 'query'> {
  readonly body?: unknown
}

function bodyOf({ endpoint, body }: ReadyAction, fields: readonly FormField[], value: Item): unknown {
  if (endpoint.body === null) return undefined
  return fields.length > 0 ? { ...(body as Item | undefined), ...value } : body
}
