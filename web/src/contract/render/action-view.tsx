// A call by itself: a button in the head of a page, or a panel with its words, its fields and its file.

import type { Endpoint } from '@gateway/server/contract'
import { type ReactNode, useState } from 'react'
import { useEditing } from '../../api/editing.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { FileDrop } from '../../ui/file-drop.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { printBytes } from '../../util/amount.ts'
import { t, useLanguage } from '../../words.ts'
import type { Action } from '../define.ts'
import type { Around } from '../plan.ts'
import { bodyObject, formFields, type Schema } from '../schema.ts'
import { ActionDialog } from './action-dialog.tsx'
import { Chooser } from './read-view.tsx'
import styles from './stack.module.css'
import type { ReadyAction } from './use-action.ts'
import { useUpload } from './use-upload.ts'

interface ActionProps {
  readonly action: Action
  /** What is read again afterwards, beside what the action names. */
  readonly reads: readonly Endpoint[]
}

function readyOf(action: Action, params: Around, reads: readonly Endpoint[]): ReadyAction {
  const { endpoint } = action
  const names = endpoint.body
    ? formFields(bodyObject(endpoint.body as Schema), action.fields).map(({ name }) => name)
    : []
  const given = Object.keys((action.body as object | undefined) ?? {})
  return {
    endpoint,
    title: t(action.button),
    params,
    ...(action.query === undefined ? {} : { query: action.query }),
    ...(action.body === undefined ? {} : { body: action.body }),
    asks: names.filter((name) => !given.includes(name)),
    fields: action.fields ?? {},
    confirm: action.confirm === undefined ? null : t(action.confirm),
    about: [],
    done: action.done === undefined ? null : t(action.done),
    isDanger: action.isDanger === true,
    isDownload: action.isDownload === true,
    fileName: action.fileName ?? null,
    reads: [...reads, ...(action.reads ?? [])],
    hidesReply: action.hidesReply === true,
    ...(action.confirmWithin === undefined ? {} : { confirmWithin: action.confirmWithin }),
  }
}

/** In the head of a page. An upload opens its file chooser in a panel of its own, so it is not for here. */
export function ActionButton({ action, reads }: ActionProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const { isAllowed, why } = useEditing(action.endpoint.access)
  return (
    <>
      <Button isDisabled={!isAllowed} why={why} onClick={() => setOpen(true)}>
        {t(action.button)}
      </Button>
      {isOpen ? <ActionDialog ready={readyOf(action, {}, reads)} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

export function ActionView({ action, reads }: ActionProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const [params, setParams] = useState<Around>({})
  const { isAllowed, why } = useEditing(action.endpoint.access)
  const isComplete = action.endpoint.params.every((name) => params[name] !== undefined)
  return (
    <Panel title={t(action.title)}>
      <div className={styles.action}>
        {action.text === undefined ? null : <p className={styles.text}>{t(action.text)}</p>}
        {Object.entries(action.choose ?? {}).map(([name, choices]) => (
          <Chooser
            key={name}
            name={name}
            choices={choices}
            value={params[name]}
            onChange={(value) => setParams((now) => ({ ...now, [name]: value }))}
          />
        ))}
        {action.endpoint.rawBodyType === null ? (
          <div>
            <Button
              icon={action.isDownload ? 'export' : undefined}
              isDisabled={!isAllowed || !isComplete}
              why={why ?? (isComplete ? undefined : t('Choose first.'))}
              onClick={() => setOpen(true)}
            >
              {t(action.button)}
            </Button>
          </div>
        ) : (
          <Upload action={action} reads={reads} />
        )}
      </div>
      {isOpen ? <ActionDialog ready={readyOf(action, params, reads)} onClose={() => setOpen(false)} /> : null}
    </Panel>
  )
}

/** A file is sent with its progress; the gateway reads it while it comes. */
function Upload({ action, reads }: ActionProps): ReactNode {
  const { isAllowed, why } = useEditing(action.endpoint.access)
  const language = useLanguage()
  const [file, setFile] = useState<File | null>(null)
  const upload = useUpload(action.endpoint, [...reads, ...(action.reads ?? [])], action.nameField)
  const { progress } = upload
  return (
    <>
      <FileDrop
        label={t(action.title)}
        accept={action.accept}
        isDisabled={!isAllowed || progress !== null}
        onFile={(next) => {
          setFile(next)
          upload.clear()
        }}
      />
      {why === undefined ? null : <p className={styles.text}>{why}</p>}
      {progress === null ? null : (
        <div className={styles.progress}>
          <progress max={1} value={progress.share} aria-label={t('Progress of the upload')} />
          <span>
            {progress.share < 1
              ? t('{percent} %, {sent} of {total}', {
                  percent: Math.floor(progress.share * 100),
                  sent: printBytes(progress.sent, language),
                  total: printBytes(progress.total, language),
                })
              : t('All of it is sent. The gateway checks it.')}
          </span>
          <Button size="small" onClick={upload.stop}>
            {t('Stop')}
          </Button>
        </div>
      )}
      {upload.failure ? <ProblemBox failure={upload.failure} /> : null}
      {upload.isDone ? (
        <Bar tone="plain">{action.done === undefined ? t('The gateway has taken the file.') : t(action.done)}</Bar>
      ) : null}
      <div>
        <Button
          kind="primary"
          icon="import"
          isDisabled={file === null || !isAllowed || progress !== null}
          why={why ?? (file === null ? t('Choose a file first.') : undefined)}
          onClick={() => {
            if (file) void upload.start(file)
          }}
        >
          {t(action.button)}
        </Button>
      </div>
    </>
  )
}
