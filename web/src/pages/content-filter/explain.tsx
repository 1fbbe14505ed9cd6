// Explain for the web: a request, what happens to it, and which rule decides at each stage. The request is in the address, so
// that the journal can link to it. Nothing is sent to the site.

import { explainRequest } from '@gateway/server/contract/content-filter'
import { users } from '@gateway/server/contract/users'
import { type ReactNode, useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import { Failure } from '../../api/failure.ts'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { useGatewayZone } from '../../ui/zone.ts'
import { fromLocalText, toLocalText } from '../../util/time.ts'
import { heard, t } from '../../words.ts'
import styles from './content-filter.module.css'
import { type Explanation, ExplanationView } from './explanation-view.tsx'
import {
  bodyOfRequest,
  methods,
  type RequestDraft,
  type RequestField,
  requestFromSearch,
  searchOfRequest,
} from './request.ts'

type Answer =
  | { readonly state: 'idle' | 'waiting' }
  | { readonly state: 'failed'; readonly failure: Failure }
  | { readonly state: 'done'; readonly explanation: Explanation }

function useExplanation(request: RequestDraft): Answer & { readonly again: () => void } {
  const [answer, setAnswer] = useState<Answer>({ state: 'idle' })
  const [round, setRound] = useState(0)
  const key = JSON.stringify(request)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the request; `round` asks once more
  useEffect(() => {
    if (request.url === '') return setAnswer({ state: 'idle' })
    const controller = new AbortController()
    setAnswer({ state: 'waiting' })
    const settle = (next: Answer): void => {
      if (!controller.signal.aborted) setAnswer(next)
    }
    call(explainRequest, { body: bodyOfRequest(request), signal: controller.signal }).then(
      ({ data }) => settle({ state: 'done', explanation: data }),
      (error: unknown) => {
        if (error instanceof Failure) settle({ state: 'failed', failure: error })
        else if (!controller.signal.aborted) throw error
      },
    )
    return () => controller.abort()
  }, [key, round])
  return { ...answer, again: () => setRound((now) => now + 1) }
}

function ExplainPage(): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  const asked = requestFromSearch(search)
  const askedKey = JSON.stringify(asked)
  const [request, setRequest] = useState(asked)
  const [isChecked, setChecked] = useState(false)
  useEffect(() => setRequest(JSON.parse(askedKey) as RequestDraft), [askedKey])
  const answer = useExplanation(asked)
  const problems = answer.state === 'failed' ? answer.failure.problems : []
  const problemOf = (name: RequestField): string | undefined => {
    if (name === 'url' && isChecked && request.url.trim() === '') return t('Needed')
    const found = problems.find(({ field }) => field === name)
    return found && request[name].trim() === asked[name].trim() ? heard(found.message) : undefined
  }
  const isPlaced = problems.some(({ field }) => Object.hasOwn(asked, field))
  const ask = (): void => {
    setChecked(true)
    const next = searchOfRequest(request)
    if (next.url === undefined) return
    if (JSON.stringify(next) === JSON.stringify(searchOfRequest(asked))) answer.again()
    else go.open('protection/web-filter/explain', next)
  }
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Explain a request')}
        over={t('Web filter')}
        lead={t('What the filter does with a request, and why no earlier rule decides. Nothing is sent.')}
      />
      <RequestForm request={request} onChange={setRequest} onEnter={ask} problemOf={problemOf} />
      <div className={styles.line}>
        <Button kind="primary" icon="trace" onClick={ask} keys="Enter">
          {t('Explain')}
        </Button>
      </div>
      <div className={styles.stages} aria-live="polite">
        {answer.state === 'idle' ? (
          <Empty title={t('What would happen?')}>{t('Fill in an address of a page and who opens it.')}</Empty>
        ) : null}
        {answer.state === 'waiting' ? <Skeleton lines={6} /> : null}
        {answer.state === 'failed' && !isPlaced ? <ProblemBox failure={answer.failure} onRetry={answer.again} /> : null}
        {answer.state === 'done' ? <ExplanationView explanation={answer.explanation} url={asked.url} /> : null}
      </div>
    </div>
  )
}

interface RequestFormProps {
  readonly request: RequestDraft
  readonly onChange: (request: RequestDraft) => void
  readonly onEnter: () => void
  readonly problemOf: (name: RequestField) => string | undefined
}

function RequestForm({ request, onChange, onEnter, problemOf }: RequestFormProps): ReactNode {
  const known = useRead(users.list).data?.data ?? []
  const set = (name: RequestField, value: string): void => onChange({ ...request, [name]: value })
  const text = (name: RequestField, label: string, placeholder: string, hint?: string): ReactNode => (
    <Field label={label} problem={problemOf(name)} hint={hint}>
      {(ids) => (
        <TextInput
          {...ids}
          isMono
          autoFocus={name === 'url'}
          value={request[name]}
          onChange={(value) => set(name, value)}
          onEnter={onEnter}
          maxLength={2_048}
          placeholder={placeholder}
        />
      )}
    </Field>
  )
  return (
    <div className={styles.ask}>
      <div className={styles.wide}>{text('url', t('Address of a page'), 'https://www.example.com/page')}</div>
      {text('source', t('Address of the client'), '10.1.2.9')}
      <Field label={t('User')} problem={problemOf('user')} hint={t('Without one, who is signed in at the address.')}>
        {(ids) => (
          <Combobox
            {...ids}
            isMultiple={false}
            value={request.user === '' ? [] : [request.user]}
            options={known.map(({ id, name, login }) => ({
              value: `user.id.${String(id).replace(/^user\.id\./, '')}`,
              label: `${name} (${login})`,
            }))}
            onChange={([user = '']) => set('user', user)}
            placeholder={t('none')}
          />
        )}
      </Field>
      <Field label={t('Method')} problem={problemOf('method')}>
        {(ids) => (
          <Select
            {...ids}
            value={request.method === '' ? 'GET' : request.method}
            options={methods.map((value) => ({ value, label: value }))}
            onChange={(method) => set('method', method)}
          />
        )}
      </Field>
      {text('content_type', t('Type of the reply'), 'text/html')}
      {text('request_type', t('Type of what is sent'), 'multipart/form-data')}
      <When value={request.time} onChange={(time) => set('time', time)} problem={problemOf('time')} />
    </div>
  )
}

/** By the clock of the gateway; the address has unix seconds. */
function When({
  value,
  onChange,
  problem,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly problem: string | undefined
}): ReactNode {
  const zone = useGatewayZone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const shown = /^\d{1,12}$/.test(value) ? toLocalText(Number(value), zone) : ''
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  const change = (next: string): void => {
    setText(next)
    const unix = fromLocalText(next, zone)
    if (next === '') onChange('')
    else if (unix !== null) onChange(String(unix))
  }
  return (
    <Field label={t('When')} problem={problem}>
      {(ids) => <TextInput {...ids} isMono value={text} onChange={change} placeholder={t('now')} />}
    </Field>
  )
}

export const page: HandPage = { kind: 'hand', Component: ExplainPage }
