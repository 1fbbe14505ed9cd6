// Rules that were refused of an upload: a page of them at a time, and all of them as a file.

import type { ReplyOf } from '@gateway/server/contract'
import { customSignatures, ruleArchives } from '@gateway/server/contract/intrusion-prevention'
import { type ReactNode, useState } from 'react'
import { addressOf } from '../../api/call.ts'
import { useRead } from '../../api/reads.ts'
import { Button } from '../../ui/button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { printCount } from '../../util/amount.ts'
import { currentLanguage, heard, t } from '../../words.ts'
import styles from './ips.module.css'

type Refusal = ReplyOf<typeof ruleArchives.refusals>['refusals'][number]

const pageSize = 100

/** Of an archive by its id, or of the last file of own signatures that was not loaded. */
export function RefusedRules({ archiveId }: { readonly archiveId: string | null }): ReactNode {
  const [page, setPage] = useState(0)
  const query = { offset: page * pageSize, limit: pageSize }
  const isArchive = archiveId !== null
  const params = { archive_id: archiveId ?? '' }
  const ofArchive = useRead(ruleArchives.refusals, { params, query, isEnabled: isArchive })
  const ofFile = useRead(customSignatures.refusals, { query, isEnabled: !isArchive })
  const read = isArchive ? ofArchive : ofFile
  const reply = read.data?.data
  const href = isArchive
    ? addressOf(ruleArchives.refusals, { params, query: { format_type: 'CSV' } })
    : addressOf(customSignatures.refusals, { query: { format_type: 'CSV' } })
  if (reply === undefined)
    return read.error ? <ProblemBox failure={read.error} onRetry={() => void read.refetch()} /> : <Skeleton lines={4} />
  const pages = Math.max(1, Math.ceil(reply.total / pageSize))
  const language = currentLanguage()
  return (
    <>
      <div className={styles.scroll}>
        <RefusedTable refusals={reply.refusals} hasFile={isArchive} />
      </div>
      <div className={styles.pager}>
        <Button size="small" onClick={() => setPage(page - 1)} isDisabled={page === 0}>
          {t('Previous')}
        </Button>
        <span>
          {t('Page {page} of {pages}', { page: printCount(page + 1, language), pages: printCount(pages, language) })}
        </span>
        <Button size="small" onClick={() => setPage(page + 1)} isDisabled={page + 1 >= pages}>
          {t('Next')}
        </Button>
        <a href={href} download="refused-rules.csv">
          {t('Download all as CSV')}
        </a>
      </div>
    </>
  )
}

interface TableProps {
  readonly refusals: readonly Refusal[]
  readonly hasFile: boolean
}

function RefusedTable({ refusals, hasFile }: TableProps): ReactNode {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {hasFile ? <th scope="col">{t('File')}</th> : null}
          <th scope="col">{t('Line')}</th>
          <th scope="col">{t('SID')}</th>
          <th scope="col">{t('Why')}</th>
        </tr>
      </thead>
      <tbody>
        {refusals.map(({ file, line, sid, reason }) => (
          <tr key={`${file} ${line} ${sid}`}>
            {hasFile ? (
              <td>
                <PlainText text={file} limit={120} />
              </td>
            ) : null}
            <td className={styles.mono}>{line === 0 ? '–' : line}</td>
            <td className={styles.mono}>{sid === 0 ? '–' : sid}</td>
            <td lang="en">
              <PlainText text={heard(reason)} limit={400} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
