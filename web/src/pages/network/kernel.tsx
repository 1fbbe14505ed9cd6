// Settings of the kernel: read from the machine, next to what the gateway wants and what was there before it.

import type { ReplyOf } from '@gateway/server/contract'
import { showKernelSettings, showStatus } from '@gateway/server/contract/network'
import type { ReactNode } from 'react'
import { useRead } from '../../api/reads.ts'
import { EngineBars, EngineMark, useEngine } from '../../contract/render/page-status.tsx'
import type { HandPage } from '../../page.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status, type StatusState } from '../../ui/status.tsx'
import { currentLanguage, heard, msg, t } from '../../words.ts'
import { groups, meanings, otherGroup } from './kernel-words.ts'
import styles from './network.module.css'

type Setting = ReplyOf<typeof showKernelSettings>[number]

const states: Readonly<Record<Setting['state'], readonly [state: StatusState, word: string]>> = {
  set: ['ok', msg('as wanted')],
  missing: ['unknown', msg('not here')],
  refused: ['warning', msg('not allowed here')],
  different: ['failed', msg('changed by another program')],
}

function Kernel(): ReactNode {
  const read = useRead(showKernelSettings, { everyMs: 10_000 })
  const engine = useEngine(showStatus)
  const settings = read.data?.data
  const groupOf = ({ name }: Setting): string => meanings[name]?.group ?? otherGroup
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Kernel settings')}
        over={t('Connections')}
        lead={t(
          'What the gateway sets in the kernel so that it can forward safely. The values are read from the machine.',
        )}
        status={<EngineMark items={engine} />}
      >
        <Button icon="refresh" isBusy={read.isFetching} onClick={() => void read.refetch()}>
          {t('Look again')}
        </Button>
      </PageHead>
      <EngineBars items={engine} />
      {read.error ? <ProblemBox failure={read.error} onRetry={() => void read.refetch()} /> : null}
      {settings === undefined && !read.error ? <Skeleton lines={8} /> : null}
      {settings?.length === 0 ? <Empty title={t('Nothing is applied on this machine, so nothing is set.')} /> : null}
      {groups.map((group) => {
        const inside = settings?.filter((setting) => groupOf(setting) === group) ?? []
        return inside.length === 0 ? null : (
          <Panel key={group} title={t(group)}>
            <SettingTable settings={inside} label={t(group)} />
          </Panel>
        )
      })}
    </div>
  )
}

function SettingTable({
  settings,
  label,
}: {
  readonly settings: readonly Setting[]
  readonly label: string
}): ReactNode {
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{t('Setting')}</th>
          <th scope="col">{t('Now')}</th>
          <th scope="col">{t('Wanted')}</th>
          <th scope="col">{t('Before the gateway')}</th>
          <th scope="col">{t('State')}</th>
        </tr>
      </thead>
      <tbody>
        {settings.map((setting) => (
          <SettingRow key={setting.name} setting={setting} />
        ))}
      </tbody>
    </table>
  )
}

function SettingRow({
  setting: { name, value, wanted, before, state, message },
}: {
  readonly setting: Setting
}): ReactNode {
  const meaning = meanings[name]
  const [shape, word] = states[state]
  return (
    <tr>
      <th scope="row">
        {meaning ? <span className={styles.meaning}>{t(meaning.title)}</span> : null}
        <span className={styles.sysctl}>
          <PlainText text={name} limit={120} />
        </span>
      </th>
      <td data-label={t('Now')}>{wordOf(name, value)}</td>
      <td data-label={t('Wanted')}>{wordOf(name, wanted)}</td>
      <td data-label={t('Before the gateway')}>{wordOf(name, before)}</td>
      <td data-label={t('State')}>
        <Status state={shape}>{t(word)}</Status>
        {message === '' ? null : (
          <span className={styles.message}>
            <PlainText text={heard(message)} limit={400} />
          </span>
        )}
      </td>
    </tr>
  )
}

/** `on (1)`: the word for people, the number for who compares it with sysctl. */
function wordOf(name: string, value: string | null): string {
  if (value === null) return t('none')
  const words = meanings[name]?.values
  const word = words?.[value]
  if (word !== undefined) return `${t(word)} (${value})`
  if (words === undefined && /^\d{1,15}$/.test(value))
    return new Intl.NumberFormat(currentLanguage()).format(Number(value))
  return value
}

export const page: HandPage = { kind: 'hand', Component: Kernel }
