// Settings of one or several calls as one form with one review, and reads and actions below it.

import type { Endpoint } from '@gateway/server/contract'
import type { ReactNode } from 'react'
import type { PageEntry } from '../../page.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { t } from '../../words.ts'
import type { StackPage } from '../define.ts'
import { ActionView } from './action-view.tsx'
import { EngineBars, EngineMark, useEngine } from './page-status.tsx'
import { ReadView } from './read-view.tsx'
import { SettingsForm } from './settings-form.tsx'
import styles from './stack.module.css'

export function StackPageView({ page, entry }: { readonly page: StackPage; readonly entry: PageEntry }): ReactNode {
  const items = useEngine(page.status)
  const { sections, reads = [], actions = [] } = page
  const all: readonly Endpoint[] = [
    ...sections.map(({ endpoints }) => endpoints.show),
    ...reads.map(({ endpoint }) => endpoint),
  ]
  const hasMany = sections.length + reads.length + actions.length > 1
  return (
    <div className={styles.stack}>
      <PageHead
        title={t(entry.title)}
        over={entry.section === entry.title ? null : t(entry.section)}
        status={<EngineMark items={items} />}
        lead={page.lead === undefined ? undefined : t(page.lead)}
      />
      <EngineBars items={items} />
      {page.notice ? <page.notice /> : null}
      {sections.length > 0 ? (
        <SettingsForm
          sections={sections}
          title={t(entry.title)}
          {...(page.confirmWithin === undefined ? {} : { confirmWithin: page.confirmWithin })}
        />
      ) : null}
      {reads.map((read) => (
        <ReadView
          key={`${read.endpoint.method} ${read.endpoint.path} ${read.title ?? ''}`}
          read={hasMany || read.title !== undefined ? read : { ...read }}
          around={{}}
        />
      ))}
      {actions.map((action) => (
        <ActionView
          key={`${action.endpoint.method} ${action.endpoint.path} ${action.title}`}
          action={action}
          reads={all}
        />
      ))}
    </div>
  )
}
