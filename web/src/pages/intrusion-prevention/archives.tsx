// Archives of rules that the operator uploads: how new ones get in, what became of each, and which rules were left out and why.

import type { ReplyOf } from '@gateway/server/contract'
import {
  listSignatures,
  ruleArchives,
  showStatus,
  signatureGroups,
  signatureUpdates,
} from '@gateway/server/contract/intrusion-prevention'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain, useRead } from '../../api/reads.ts'
import { action } from '../../contract/define.ts'
import { ActionView } from '../../contract/render/action-view.tsx'
import { EngineBars, EngineMark, useEngine } from '../../contract/render/page-status.tsx'
import type { HandPage } from '../../page.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status, type StatusState } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { printCount } from '../../util/amount.ts'
import { currentLanguage, heard, msg, t } from '../../words.ts'
import { CheckProgress } from './check-progress.tsx'
import styles from './ips.module.css'
import { RefusedRules } from './refused-rules.tsx'

type Archive = ReplyOf<typeof ruleArchives.list>[number]

const reads = [ruleArchives.list, ruleArchives.refusals, listSignatures, signatureGroups, signatureUpdates.showAdvanced]

const states: Readonly<Record<Archive['state'], readonly [state: StatusState, word: string]>> = {
  checking: ['activating', msg('Being checked')],
  active: ['active', msg('In use')],
  failed: ['failed', msg('Failed')],
}

const upload = action({
  endpoint: ruleArchives.create,
  title: msg('Rules from an archive'),
  text: msg(
    'A tar archive (.tar, .tar.gz or .tgz), a zip archive or a file of Suricata rules, of at most 64 MB. An archive with the same name replaces the one before.',
  ),
  button: msg('Upload'),
  accept: '.tar,.tar.gz,.tgz,.zip,.rules',
  nameField: 'name',
  done: msg('The rules are read. They are in use when the inspection engine has checked them.'),
  reads,
})

function Archives(): ReactNode {
  const read = useRead(ruleArchives.list, { everyMs: 3_000 })
  const engine = useEngine(showStatus)
  const archives = read.data?.data
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Rule archives')}
        lead={t('Signatures from other sources, such as the rules of Emerging Threats.')}
        status={<EngineMark items={engine} />}
      />
      <EngineBars items={engine} />
      {read.error ? <ProblemBox failure={read.error} onRetry={() => void read.refetch()} /> : null}
      <ActionView action={upload} reads={[]} />
      {archives === undefined ? (
        read.error ? null : (
          <Skeleton lines={4} />
        )
      ) : archives.length === 0 ? (
        <Panel title={t('Archives')}>
          <Empty title={t('No archive was uploaded yet')}>
            {t('The gateway comes with a small set of signatures. Large sets are uploaded here.')}
          </Empty>
        </Panel>
      ) : (
        archives.map((archive) => <ArchivePanel key={archive.id} archive={archive} />)
      )}
    </div>
  )
}

function ArchivePanel({ archive }: { readonly archive: Archive }): ReactNode {
  const editing = useEditing('configure')
  const language = currentLanguage()
  const [isAsking, setAsking] = useState(false)
  /** What belongs to it is not asked for any more. */
  const [isLeaving, setLeaving] = useState(false)
  const [state, word] = states[archive.state]
  const remove = async (): Promise<void> => {
    setAsking(false)
    setLeaving(true)
    try {
      await call(ruleArchives.remove, { params: { archive_id: archive.id } })
      await readAgain(...reads)
      toast(t('The archive is removed, and its signatures with it.'), { tone: 'ok' })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setLeaving(false)
      toast(heard(error.message), { tone: 'bad' })
    }
  }
  return (
    <Panel title={<PlainText text={archive.name} limit={128} />}>
      <div className={styles.archive}>
        <div className={styles.counts}>
          <Status state={state}>{t(word)}</Status>
          {archive.message === '' ? null : (
            <span lang="en">
              <PlainText text={heard(archive.message)} limit={600} />
            </span>
          )}
        </div>
        {archive.state === 'checking' ? (
          <CheckProgress isMeant={({ archive_id }) => archive_id === archive.id} />
        ) : null}
        <dl className={styles.facts}>
          <dt>{t('Received')}</dt>
          <dd>
            <Time unix={archive.received_at} />
          </dd>
          <dt>{t('Rules in use')}</dt>
          <dd>
            {t('{rules} from {files, plural, one {# file} other {# files}}', {
              rules: printCount(archive.rules, language),
              files: archive.files,
            })}
            {archive.checked ? '' : `, ${t('not checked by the inspection engine yet')}`}
          </dd>
          <dt>{t('Turned off in the archive')}</dt>
          <dd>{printCount(archive.disabled, language)}</dd>
          <dt>{t('Left out')}</dt>
          <dd>{printCount(archive.failed_count, language)}</dd>
        </dl>
        {archive.notes.map((note) => (
          <p key={note} className={styles.muted} lang="en">
            <PlainText text={heard(note)} limit={400} />
          </p>
        ))}
        {archive.failed_count === 0 || isLeaving ? null : <LeftOut archive={archive} />}
        <div>
          <Button
            icon="remove"
            onClick={() => setAsking(true)}
            isDisabled={!editing.isAllowed}
            why={editing.why}
            label={t('Remove {name}', { name: archive.name })}
          >
            {t('Remove')}
          </Button>
        </div>
      </div>
      {isAsking ? (
        <Confirm
          title={t('Remove {name}', { name: archive.name })}
          action={t('Remove')}
          isDanger
          onConfirm={() => void remove()}
          onClose={() => setAsking(false)}
        >
          {t('Its {count, plural, one {# signature is} other {# signatures are}} gone at once.', {
            count: archive.rules,
          })}
        </Confirm>
      ) : null}
    </Panel>
  )
}

function LeftOut({ archive: { id, failed_count } }: { readonly archive: Archive }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.leftOut} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {t('{count, plural, one {# rule that was} other {# rules that were}} left out', { count: failed_count })}
      </summary>
      {isOpen ? <RefusedRules archiveId={id} /> : null}
    </details>
  )
}

export const page: HandPage = { kind: 'hand', Component: Archives }
