// Own signatures: written one by one, or loaded from a file as a whole.

import type { ReplyOf } from '@gateway/server/contract'
import {
  customSignatures,
  listSignatures,
  showSignature,
  showStatus,
  signatureGroups,
} from '@gateway/server/contract/intrusion-prevention'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { call } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { Failure, type Problem } from '../../api/failure.ts'
import { readAgain, useRead } from '../../api/reads.ts'
import { EngineBars, EngineMark, useEngine } from '../../contract/render/page-status.tsx'
import type { HandPage } from '../../page.ts'
import { useGo, useLeaveGuard, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import { FileDrop } from '../../ui/file-drop.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words.ts'
import { CheckProgress } from './check-progress.tsx'
import styles from './ips.module.css'
import { RefusedRules } from './refused-rules.tsx'
import { signatureColumns } from './signatures.tsx'

type Custom = ReplyOf<typeof customSignatures.list>['signatures'][number]

const reads = [customSignatures.list, listSignatures, signatureGroups, showSignature]
const example =
  'alert tcp $EXTERNAL_NET any -> $HOME_NET 8080 (msg:"Request for the old application"; content:"/old/"; http_uri; classtype:web-application-activity; sid:100001; rev:1;)'

export function CustomSignatures(): ReactNode {
  const { item, search } = usePlace()
  const go = useGo()
  const review = useReview()
  const editing = useEditing('configure')
  const list = useRead(customSignatures.list)
  const { data: groups } = useRead(signatureGroups)
  const engine = useEngine(showStatus)
  const [isLoading, setLoading] = useState(false)
  const needle = (search.q ?? '').trim().toLowerCase()
  const rows = (list.data?.data.signatures ?? []).filter(
    ({ sid, msg, comment }) =>
      needle === '' || [String(sid), msg, comment].some((text) => text.toLowerCase().includes(needle)),
  )
  const names = new Map(
    (groups?.data.signature_groups ?? []).map(({ classtype, classtype_name }) => [classtype, classtype_name]),
  )
  const remove = (chosen: readonly Custom[]): void => {
    const [first] = chosen
    if (!first || !editing.isAllowed) return
    review.open({
      title:
        chosen.length === 1
          ? t('Remove the signature {sid}', { sid: first.sid })
          : t('Remove {count} signatures', { count: chosen.length }),
      calls: chosen.map(({ sid }) => ({ endpoint: customSignatures.remove, params: { sid } })),
      reads,
      onApplied: () => go.openItem(null),
    })
  }
  const chosen = item === null ? null : (rows.find(({ sid }) => String(sid) === item) ?? null)
  return (
    <>
      <PageHead
        title={t('Own signatures')}
        lead={t('Suricata rules with a SID from 1 to 999999.')}
        status={<EngineMark items={engine} />}
      >
        <Button icon="import" onClick={() => setLoading(true)} isDisabled={!editing.isAllowed} why={editing.why}>
          {t('Load a file')}
        </Button>
        <Button
          icon="add"
          kind="primary"
          keys="O"
          onClick={() => go.openItem('new')}
          isDisabled={!editing.isAllowed}
          why={editing.why}
        >
          {t('Add a signature')}
        </Button>
      </PageHead>
      <EngineBars items={engine} />
      <FilterBar
        text={search.q ?? ''}
        onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
        count={t('{count, plural, one {# signature} other {# signatures}}', { count: rows.length })}
      />
      {list.error ? <ProblemBox failure={list.error} onRetry={() => void list.refetch()} /> : null}
      <Grid
        label={t('Own signatures')}
        rows={rows}
        rowKey={({ sid }) => String(sid)}
        height="fill"
        isLoading={list.isPending}
        activeKey={item}
        onOpen={({ sid }) => go.openItem(String(sid))}
        onKey={({ key, rows: marked }) => {
          if (key === 'o') go.openItem('new')
          else if (key === 'Delete') remove(marked)
          else return false
          return true
        }}
        columns={[
          ...signatureColumns(names).filter(({ id }) => id !== 'source' && id !== 'updated'),
          {
            id: 'comment',
            title: t('Comment'),
            width: 180,
            text: ({ comment }: Custom) => comment,
            cell: ({ comment }: Custom) => <PlainText text={comment} limit={80} />,
          },
        ]}
        empty={
          <Empty
            title={t('There are no own signatures')}
            action={
              <Button
                onClick={() => go.open('protection/intrusion-prevention/custom/new', { example: '1' })}
                isDisabled={!editing.isAllowed}
                why={editing.why}
              >
                {t('Begin with an example')}
              </Button>
            }
          >
            {t('An own signature notices what only your network knows, such as requests to an old application.')}
          </Empty>
        }
      />
      {item === 'new' ? (
        <Editor key="new" signature={null} start={search.example === '1' ? example : ''} onRemove={null} />
      ) : null}
      {chosen ? <Editor key={chosen.sid} signature={chosen} start="" onRemove={() => remove([chosen])} /> : null}
      {isLoading ? <LoadDialog onClose={() => setLoading(false)} /> : null}
    </>
  )
}

interface EditorProps {
  readonly signature: Custom | null
  readonly start: string
  readonly onRemove: (() => void) | null
}

function Editor({ signature, start, onRemove }: EditorProps): ReactNode {
  const go = useGo()
  const review = useReview()
  const editing = useEditing('configure')
  const text = useRead(showSignature, { params: { sid: signature?.sid ?? 0 }, isEnabled: signature !== null })
  const [rule, setRule] = useState<string | null>(signature === null ? start : null)
  const [comment, setComment] = useState(signature?.comment ?? '')
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const stored = text.data?.data.signature
  useEffect(() => {
    if (stored !== undefined) setRule((now) => now ?? stored)
  }, [stored])
  const isDirty =
    signature === null ? (rule ?? '') !== start : (rule !== null && rule !== stored) || comment !== signature.comment
  const saved = useLeaveGuard(isDirty, () => [t('Own signature')])
  const send = (): void => {
    setProblems([])
    const body =
      signature === null
        ? { rule: rule ?? '', comment }
        : { ...(rule === stored ? {} : { rule: rule ?? '' }), ...(comment === signature.comment ? {} : { comment }) }
    review.open({
      title: signature === null ? t('Add a signature') : t('Change the signature {sid}', { sid: signature.sid }),
      calls: [
        signature === null
          ? { endpoint: customSignatures.create, body }
          : { endpoint: customSignatures.update, params: { sid: signature.sid }, body },
      ],
      reads,
      onProblems: setProblems,
      onApplied: () => {
        saved()
        go.open('protection/intrusion-prevention/custom')
      },
    })
  }
  const problemOf = (name: string): string | undefined => problems.find(({ field }) => field === name)?.message
  return (
    <Drawer
      title={signature === null ? t('New signature') : t('Signature {sid}', { sid: signature.sid })}
      width="wide"
      onClose={() => go.open('protection/intrusion-prevention/custom')}
      foot={
        <div className={styles.acts}>
          {onRemove === null ? null : (
            <span className={styles.start}>
              <Button icon="remove" kind="quiet" onClick={onRemove} isDisabled={!editing.isAllowed} why={editing.why}>
                {t('Remove')}
              </Button>
            </span>
          )}
          <Button
            kind="primary"
            keys="Ctrl Enter"
            onClick={send}
            isDisabled={!editing.isAllowed || (!isDirty && start === '')}
            why={editing.why}
          >
            {t('Review')}
          </Button>
        </div>
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          send()
        }}
      >
        <Field
          label={t('Rule')}
          hint={t('One rule in one line; it must have a SID from 1 to 999999.')}
          problem={problemOf('rule')}
          isRequired
        >
          {({ id, describedBy, isInvalid }) => (
            <textarea
              id={id}
              className={styles.area}
              aria-describedby={describedBy}
              aria-invalid={isInvalid ? true : undefined}
              value={rule ?? ''}
              onChange={(event) => setRule(event.currentTarget.value.replaceAll(/[\r\n]+/g, ' '))}
              maxLength={8_196}
              spellCheck={false}
              dir="ltr"
              disabled={!editing.isAllowed}
            />
          )}
        </Field>
        <Field label={t('Comment')} problem={problemOf('comment')}>
          {(ids) => (
            <TextInput {...ids} value={comment} onChange={setComment} maxLength={255} isDisabled={!editing.isAllowed} />
          )}
        </Field>
      </form>
    </Drawer>
  )
}

function LoadDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [file, setFile] = useState<File | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const ending = useRef<AbortController | null>(null)
  // The check on the gateway ends with the call.
  useEffect(() => () => ending.current?.abort(), [])
  const load = async (): Promise<void> => {
    if (!file) return
    setBusy(true)
    setFailure(null)
    ending.current = new AbortController()
    const { signal } = ending.current
    try {
      const { data } = await call(customSignatures.load, { file, signal, headers: { 'content-type': 'text/plain' } })
      await readAgain(...reads)
      toast(t('{count, plural, one {# signature was} other {# signatures were}} loaded.', { count: data.count }), {
        tone: 'ok',
      })
      onClose()
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Failure)) throw error
      await readAgain(customSignatures.refusals)
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={t('Load a file of signatures')}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" onClick={() => void load()} isDisabled={file === null} isBusy={isBusy}>
            {t('Load')}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <p className={styles.muted}>
          {t(
            'One rule a line. A rule of the file replaces the signature with the same SID; a file with a fault changes nothing.',
          )}
        </p>
        <FileDrop label={t('File of signatures')} accept=".rules,.txt,text/plain" onFile={setFile} />
        {isBusy ? <CheckProgress isMeant={({ kind }) => kind === 'file'} /> : null}
        {failure ? <ProblemBox failure={failure} /> : null}
        {failure?.problems.some(({ field }) => field.startsWith('line ')) ? <RefusedRules archiveId={null} /> : null}
      </div>
    </Dialog>
  )
}

export const page: HandPage = { kind: 'hand', Component: CustomSignatures }
