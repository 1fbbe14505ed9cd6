// Items with lists inside: the list of profiles, and an open profile as a page of its own with a tab for each list.

import { type ReactNode, useState } from 'react'
import { applyNow } from '../../api/apply.ts'
import type { CallOptions } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import type { PageEntry } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { t } from '../../words.ts'
import type { Inside, Item, ProfilePage, Toggles } from '../define.ts'
import { aroundOf, idOf, paramsOf, rowsIn } from '../plan.ts'
import styles from './collection.module.css'
import { AddButton, isAtOnce } from './collection-page.tsx'
import { CollectionView } from './collection-view.tsx'
import { ItemPanel } from './item-panel.tsx'
import { useInsideOpener, usePageOpener } from './opener.ts'
import { EngineBars, EngineMark, useEngine } from './page-status.tsx'
import { ReadView } from './read-view.tsx'
import { useListChanges } from './use-list-changes.ts'

interface ProfileProps {
  readonly page: ProfilePage
  readonly entry: PageEntry
}

export function ProfilePageView({ page, entry }: ProfileProps): ReactNode {
  const opener = usePageOpener()
  const items = useEngine(page.status)
  if (opener.id !== null && opener.id !== 'new') return <OpenProfile page={page} entry={entry} id={opener.id} />
  return (
    <div className={styles.page}>
      <PageHead
        title={t(entry.title)}
        over={entry.section === entry.title ? null : t(entry.section)}
        status={<EngineMark items={items} />}
        lead={page.lead === undefined ? undefined : t(page.lead)}
      >
        <AddButton page={page} onAdd={() => opener.open('new')} />
      </PageHead>
      <div className={styles.bars}>
        <EngineBars items={items} />
        {page.notice ? <page.notice /> : null}
      </div>
      <CollectionView
        collection={page.collection}
        around={{}}
        opener={opener}
        name={entry.path}
        isAtOnce={isAtOnce(entry, page.confirmWithin)}
        label={t(entry.title)}
        isPanelLess
        hasOwnAdd
      />
    </div>
  )
}

function OpenProfile({ page, entry, id }: ProfileProps & { readonly id: string }): ReactNode {
  const { collection } = page
  const { search } = usePlace()
  const go = useGo()
  const items = useEngine(page.status)
  const [isEdited, setEdited] = useState(false)
  const [panelTab, setPanelTab] = useState('details')
  const read = useRead(collection.endpoints.list, { query: collection.query ?? {} } as CallOptions)
  const rows = read.data ? rowsIn(read.data.data, collection.rowsIn) : []
  const row = rows.find((one) => idOf(collection, one) === id) ?? null
  const etag = read.data?.etag ?? null
  const changes = useListChanges({ collection, around: {}, rows, etag, isAtOnce: false })
  const active = page.inside.find((part) => part.id === search.tab) ?? page.inside[0]
  return (
    <div className={styles.page}>
      <PageHead
        title={
          <span className={styles.back}>
            <Link to={entry.path}>{t(entry.title)}</Link>
            <Icon name="chevron-right" />
            <PlainText text={row ? collection.title(row) : id} limit={80} />
          </span>
        }
        status={<EngineMark items={items} />}
        tabs={
          <Tabs
            label={t('Parts of the profile')}
            tabs={page.inside.map((part) => ({ id: part.id, title: t(part.title) }))}
            active={active?.id ?? ''}
            onChange={(tab) => go.setSearch({ tab }, { replace: true })}
          />
        }
      >
        {row ? (
          <Button icon="edit" onClick={() => setEdited(true)}>
            {t('Details')}
          </Button>
        ) : null}
      </PageHead>
      <div className={styles.bars}>
        <EngineBars items={items} />
        {read.error ? <ProblemBox failure={read.error} onRetry={() => void read.refetch()} /> : null}
        {read.data && !row ? (
          <Bar tone="warn" actions={<Link to={entry.path}>{t(entry.title)}</Link>}>
            {t('There is no such entry. Someone may have removed it.')}
          </Bar>
        ) : null}
      </div>
      {active && row ? <InsideView key={active.id} part={active} profile={row} {...{ page, entry }} /> : null}
      {read.isPending ? <Skeleton lines={6} /> : null}
      {isEdited && row ? (
        <ItemPanel
          {...{ collection, row, etag }}
          around={{}}
          spot={null}
          tab={panelTab}
          onTab={setPanelTab}
          onClose={() => setEdited(false)}
          onApplied={() => setEdited(false)}
          onCopy={() => go.open(`${entry.path}/new`, { from: id })}
          onRemove={() => changes.remove([row], () => go.open(entry.path))}
        />
      ) : null}
    </div>
  )
}

interface InsideViewProps extends ProfileProps {
  readonly part: Inside
  readonly profile: Item
}

function InsideView({ part, profile, page, entry }: InsideViewProps): ReactNode {
  const opener = useInsideOpener(part.id)
  const { idField = 'id' } = page.collection
  const id = profile[idField]
  const text = part.text === undefined ? null : <p>{t(part.text)}</p>
  if (part.collection)
    return (
      <>
        {text}
        <CollectionView
          collection={part.collection}
          around={aroundOf(part.collection.endpoints.list, id)}
          opener={opener}
          name={`${entry.path}.${part.id}`}
          isAtOnce={isAtOnce(entry, page.confirmWithin)}
          label={t(part.title)}
        />
      </>
    )
  if (part.read)
    return (
      <>
        {text}
        <ReadView read={part.read} around={aroundOf(part.read.endpoint, id)} />
      </>
    )
  if (part.toggles)
    return (
      <>
        {text}
        <TogglesView toggles={part.toggles} id={id} />
      </>
    )
  return null
}

/** A switch for each thing that the profile can have on or off. */
function TogglesView({ toggles, id }: { readonly toggles: Toggles; readonly id: unknown }): ReactNode {
  const around = aroundOf(toggles.enabled, id)
  const all = useRead(toggles.list)
  const on = useRead(toggles.enabled, { params: around } as CallOptions)
  const editing = useEditing(toggles.update.access)
  const [pending, setPending] = useState<ReadonlyMap<string, boolean>>(new Map())
  const failure = all.error ?? on.error
  if (failure) return <ProblemBox failure={failure} onRetry={() => void Promise.all([all.refetch(), on.refetch()])} />
  if (!all.data || !on.data) return <Skeleton lines={6} />
  const enabled = new Set(rowsIn(on.data.data, undefined).map((row) => String(row.id)))
  const change = async (row: Item, isOn: boolean): Promise<void> => {
    const own = String(row.id)
    setPending((now) => new Map(now).set(own, isOn))
    const { update } = toggles
    await applyNow({
      title: toggles.label(row),
      calls: [{ endpoint: update, params: paramsOf(update, around, own), body: { enabled: isOn } }],
      reads: [toggles.enabled],
    })
    await on.refetch()
    setPending((now) => new Map([...now].filter(([key]) => key !== own)))
  }
  return (
    <div className={styles.toggles}>
      {rowsIn(all.data.data, undefined).map((row) => {
        const own = String(row.id)
        const isFixed = toggles.isFixed?.(row) ?? false
        return (
          <Switch
            key={own}
            isOn={pending.get(own) ?? enabled.has(own)}
            isPending={pending.has(own)}
            label={toggles.label(row)}
            hint={toggles.hint?.(row)}
            isDisabled={!editing.isAllowed || isFixed}
            why={isFixed ? t('This one is always on.') : editing.why}
            onChange={(isOn) => void change(row, isOn)}
          />
        )
      })}
    </div>
  )
}
