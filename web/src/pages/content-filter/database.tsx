// The category database: whether one is in place, where its entries come from, and how new lists get in.

import type { ReplyOf } from '@gateway/server/contract'
import { categories, rebuildDatabase, showDatabase } from '@gateway/server/contract/content-filter'
import { uploadFilterDatabases } from '@gateway/server/contract/updates'
import type { ReactNode } from 'react'
import { useRead } from '../../api/reads.ts'
import { action } from '../../contract/define.ts'
import { ActionView } from '../../contract/render/action-view.tsx'
import type { HandPage } from '../../page.ts'
import { Bar } from '../../ui/bar.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Figure } from '../../ui/figure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status, type StatusState } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { printBytes } from '../../util/amount.ts'
import { heard, msg, t, useLanguage } from '../../words.ts'
import styles from './content-filter.module.css'

type Database = ReplyOf<typeof showDatabase>

const states: Readonly<Record<Database['state'], readonly [state: StatusState, word: string]>> = {
  ready: ['active', msg('Ready')],
  building: ['activating', msg('Being built')],
  failed: ['failed', msg('Failed')],
}

const sourceWords: Readonly<Record<string, string>> = {
  starter: msg('Starter set'),
  uploaded: msg('Uploaded archive'),
  operator: msg('Lists on the gateway'),
}

const upload = action({
  endpoint: uploadFilterDatabases,
  title: msg('Lists from an archive'),
  text: msg(
    'A tar archive (.tar, .tar.gz or .tgz) with one folder for each category and in it the files “domains” and “urls”. It replaces the archive that was uploaded before.',
  ),
  button: msg('Upload'),
  accept: '.tar,.tar.gz,.tgz',
  done: msg('The gateway has the archive and builds the database. The old one decides until then.'),
  reads: [showDatabase, categories.list],
})

const rebuild = action({
  endpoint: rebuildDatabase,
  title: msg('Lists on the gateway'),
  text: msg(
    'Put lists into the folder of the operator, then have them read. The old database decides until the new one is ready.',
  ),
  button: msg('Read the lists again'),
  done: msg('The database is being built.'),
  reads: [showDatabase],
})

function DatabasePage(): ReactNode {
  const read = useRead(showDatabase, { everyMs: 3_000 })
  const database = read.data?.data
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Category database')}
        over={t('Web filter')}
        lead={t('Which sites belong to which topic. Rules name the topics.')}
        status={database ? <State database={database} /> : undefined}
      />
      {read.error ? <ProblemBox failure={read.error} onRetry={() => void read.refetch()} /> : null}
      {database ? <DatabaseView database={database} /> : read.error ? null : <Skeleton lines={6} />}
      <ActionView action={upload} reads={[]} />
      <ActionView action={rebuild} reads={[]} />
    </div>
  )
}

function State({ database: { state } }: { readonly database: Database }): ReactNode {
  const [shape, word] = states[state]
  return <Status state={shape}>{t(word)}</Status>
}

function DatabaseView({ database }: { readonly database: Database }): ReactNode {
  const language = useLanguage()
  const { entries, bytes, built_at, folder, sources, message, state, progress } = database
  const number = new Intl.NumberFormat(language)
  return (
    <>
      {message === '' ? null : (
        <Bar tone={state === 'failed' ? 'warn' : 'plain'}>
          <PlainText text={heard(message)} limit={600} />
        </Bar>
      )}
      {progress === null ? null : (
        <Panel title={t('Being built')}>
          <div className={styles.line}>
            <progress max={100} value={progress} aria-label={t('Lists that are read')} className={styles.progress} />
            <span>{t('{percent} % of the lists are read', { percent: number.format(progress) })}</span>
          </div>
          {built_at === null ? (
            <p className={styles.quiet}>{t('Until the first one is ready, no site is in a topic.')}</p>
          ) : (
            <p className={styles.quiet}>{t('The old one decides until then.')}</p>
          )}
        </Panel>
      )}
      <Panel title={t('In place')}>
        <div className={styles.figures}>
          <Figure label={t('Entries')} value={number.format(entries)} />
          <Figure label={t('Size')} value={printBytes(bytes, language)} />
          <Figure label={t('Built')} value={built_at === null ? t('never') : <Time unix={built_at} />} />
        </div>
      </Panel>
      <Panel title={t('Where the entries come from')}>
        {sources.length === 0 ? (
          <Empty title={t('No list has been read yet.')} />
        ) : (
          <div className={styles.scroll}>
            <table className={styles.table}>
              <thead>
                <tr>
                  <th scope="col">{t('Source')}</th>
                  <th scope="col" className={styles.number}>
                    {t('Entries')}
                  </th>
                  <th scope="col" className={styles.number}>
                    {t('Categories')}
                  </th>
                  <th scope="col" className={styles.number}>
                    {t('Refused lines')}
                  </th>
                  <th scope="col">{t('Folders that name no category')}</th>
                </tr>
              </thead>
              <tbody>
                {sources.map((source) => (
                  <tr key={source.name}>
                    <td>{sourceWords[source.name] === undefined ? source.name : t(sourceWords[source.name] ?? '')}</td>
                    <td className={styles.number}>{number.format(source.entries)}</td>
                    <td className={styles.number}>{number.format(source.categories)}</td>
                    <td className={styles.number}>{number.format(source.refused)}</td>
                    <td>
                      <UnknownFolders names={source.unknown_folders} count={source.unknown_count} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <p className={styles.quiet}>
          {t('Folder of the operator on the gateway:')} <span className={styles.mono}>{folder}</span>
          <CopyButton text={folder} label={t('Copy the folder')} />
        </p>
      </Panel>
    </>
  )
}

const shownFolders = 8

/** Some by name, and how many more there are: an archive may have thousands. */
function UnknownFolders({ names, count }: { readonly names: readonly string[]; readonly count: number }): ReactNode {
  if (count === 0) return t('none')
  const shown = names.slice(0, shownFolders)
  return (
    <>
      <PlainText text={shown.join(', ')} limit={300} />
      {count > shown.length ? <> {t('and {count} more', { count: count - shown.length })}</> : null}
    </>
  )
}

export const page: HandPage = { kind: 'hand', Component: DatabasePage }
