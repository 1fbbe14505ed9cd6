// The editor of an object: its fields, who uses it, what it stands for now, its history, and the call as a command.

import { listAll, useCounts, whereUsed } from '@gateway/server/contract/objects'
import { type KeyboardEvent, type ReactNode, useMemo } from 'react'
import { commandsOf } from '../../api/commands.ts'
import { type Editing, useEditing } from '../../api/editing.ts'
import { readAgain, useRead } from '../../api/reads.ts'
import type { Item } from '../../contract/define.ts'
import { rowsIn } from '../../contract/plan.ts'
import { ConflictDialog } from '../../contract/render/conflict-dialog.tsx'
import { Form } from '../../contract/render/form.tsx'
import { type ItemDraft, useItemDraft } from '../../contract/render/use-item-draft.ts'
import { useSpeaking } from '../../contract/render/use-speaking.ts'
import { useGo, useLeaveGuard, usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { CommandBlock } from '../../ui/command-block.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { later } from '../../ui/later.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { kindOfId, type ObjectIndex } from '../../util/objects.ts'
import { t } from '../../words.ts'
import { kindById, type ObjectKind } from './kinds.ts'
import styles from './object-drawer.module.css'
import { ResolvesTo } from './resolves-to.tsx'

export interface ObjectDrawerProps {
  /** Id of an object, or `new`. */
  readonly item: string
  readonly index: ObjectIndex
  readonly uses: ReadonlyMap<string, number>
  readonly onRemove: (id: string) => void
  readonly onClose: () => void
}

export function ObjectDrawer(props: ObjectDrawerProps) {
  const { item, index, onClose } = props
  const { search } = usePlace()
  const kind = kindById.get(item === 'new' ? (search.kind ?? 'ip') : kindOfId(item))
  if (kind) return <KnownObject {...props} kind={kind} />
  const object = index.byId.get(item)
  return (
    <Drawer title={object?.title ?? item} onClose={onClose}>
      {object ? (
        <div className={styles.body}>
          <p>{t('This object is always there and cannot be changed.')}</p>
          <ItemUses endpoint={whereUsed} id={item} />
        </div>
      ) : (
        <p>{t('There is no object with this id. It was removed, or the id is wrong.')}</p>
      )}
    </Drawer>
  )
}

function KnownObject(props: ObjectDrawerProps & { readonly kind: ObjectKind }) {
  const { item, kind, onClose } = props
  const { search } = usePlace()
  const list = useRead(kind.collection.endpoints.list)
  const rows = list.data ? rowsIn(list.data.data, undefined) : null
  if (rows === null)
    return (
      <Drawer title={t(kind.word)} onClose={onClose}>
        <Skeleton lines={5} />
      </Drawer>
    )
  const row = item === 'new' ? null : (rows.find(({ id }) => id === item) ?? null)
  if (row === null && item !== 'new')
    return (
      <Drawer title={item} onClose={onClose}>
        <p>{t('There is no object with this id. It was removed, or the id is wrong.')}</p>
      </Drawer>
    )
  const original = search.copy === undefined ? undefined : rows.find(({ id }) => id === search.copy)
  const start = original ? copyOf(original) : startOf(search)
  return <ObjectEditor {...props} row={row} start={start} etag={list.data?.etag ?? null} />
}

/** Two objects of one name would be hard to tell apart. */
function copyOf({ id: _, type: __, title, ...rest }: Item): Item {
  return { ...rest, title: t('{name} copy', { name: String(title) }).slice(0, 42) }
}

/** `?title=…&value=…` of a link that adds an object. */
function startOf({ title, value }: Readonly<Record<string, string>>): Item | undefined {
  if (title === undefined && value === undefined) return undefined
  return { ...(title === undefined ? {} : { title: title.slice(0, 42) }), ...(value === undefined ? {} : { value }) }
}

interface EditorProps extends ObjectDrawerProps {
  readonly kind: ObjectKind
  readonly row: Item | null
  readonly start: Item | undefined
  readonly etag: string | null
}

/** Of tabs that are opened now and then. */
const ItemHistory = later(async () => (await import('../../contract/render/item-history.tsx')).ItemHistory)
const ItemUses = later(async () => (await import('../../contract/render/item-used.tsx')).ItemUses)
const ValuesEditor = later(async () => (await import('./values-editor.tsx')).ValuesEditor)

const around = {}

function ObjectEditor(props: EditorProps) {
  const { item, kind, row, onClose } = props
  const go = useGo()
  const { search } = usePlace()
  const editing = useEditing('firewall')
  const draft = useObjectDraft(props)
  const speaking = useSpeaking(draft.fields)
  const used = props.uses.get(item) ?? 0
  const tabs = tabsOf(props, used)
  const tab = tabs.some(({ id }) => id === search.tab) ? (search.tab ?? 'details') : 'details'
  const canReview = editing.isAllowed && draft.planned !== null && (row === null || draft.isDirty)
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && tab !== 'values') {
      event.preventDefault()
      if (canReview) draft.review()
    } else if (event.altKey && event.code === 'KeyC') {
      event.preventDefault()
      go.setSearch({ tab: 'command' }, { replace: true })
    }
  }
  return (
    <Drawer
      title={
        <span className={styles.title}>
          {row === null ? t('New {item}', { item: t(kind.word) }) : <PlainText text={String(row.title)} limit={80} />}
          {row === null ? null : <Chip>{t(kind.word)}</Chip>}
        </span>
      }
      onClose={onClose}
      width={kind.values === null ? 'normal' : 'wide'}
      head={
        <Tabs
          tabs={tabs}
          active={tab}
          onChange={(id) => go.setSearch({ tab: id === 'details' ? null : id }, { replace: true })}
          label={t('Parts of the object')}
        />
      }
      actions={row === null ? null : <ObjectActions {...props} editing={editing} used={used} />}
      foot={tab === 'values' ? null : <EditorFoot {...{ draft, editing, canReview, onClose }} isNew={row === null} />}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole form */}
      <div className={styles.body} onKeyDown={onKey}>
        <TabContent {...props} {...{ tab, draft, speaking, used }} isDisabled={!editing.isAllowed} />
        {draft.conflict ? (
          <ConflictDialog
            merge={draft.conflict}
            fields={draft.fields}
            speaking={speaking}
            onSettle={draft.settleConflict}
            onClose={draft.closeConflict}
          />
        ) : null}
      </div>
    </Drawer>
  )
}

/** The draft of the object, which is not left unsaved without a question. */
function useObjectDraft({ kind, row, start, etag, onClose }: EditorProps): ItemDraft {
  const go = useGo()
  const { path } = usePlace()
  const { collection } = kind
  const draft = useItemDraft({
    collection,
    around,
    row,
    start,
    spot: null,
    etag,
    onApplied: (id) => {
      void readAgain(listAll, useCounts)
      if (id === null) onClose()
      else go.open(`${path}/${encodeURIComponent(id)}`, {})
    },
  })
  const { changed } = draft
  useLeaveGuard(draft.isDirty && changed.length > 0, () =>
    changed.map((name) => t(collection.fields?.[name]?.label ?? name)),
  )
  return draft
}

function tabsOf({ kind, row }: EditorProps, used: number) {
  const isList = kind.values !== null && row !== null
  const isResolved = row !== null && (kind.group === 'addresses' || row.values !== undefined)
  return [
    { id: 'details', title: t('Details') },
    ...(row === null ? [] : [{ id: 'used', title: t('Used by'), count: used }]),
    ...(isResolved ? [{ id: 'resolves', title: t('Resolves to') }] : []),
    ...(isList ? [{ id: 'values', title: t('Add and remove') }] : []),
    ...(row === null ? [] : [{ id: 'history', title: t('History') }]),
    { id: 'command', title: t('As command') },
  ]
}

interface TabContentProps extends EditorProps {
  readonly tab: string
  readonly draft: ItemDraft
  readonly speaking: ReturnType<typeof useSpeaking>
  readonly used: number
  readonly isDisabled: boolean
}

function TabContent(props: TabContentProps): ReactNode {
  const { tab, item, kind, index, etag, draft, speaking } = props
  const { list } = kind.collection.endpoints
  switch (tab) {
    case 'details':
      return <Details {...props} />
    case 'used':
      return <ItemUses endpoint={whereUsed} id={item} />
    case 'resolves':
      return <ResolvesTo id={item} index={index} />
    case 'values':
      return kind.values ? (
        <ValuesEditor
          endpoint={kind.values}
          id={item}
          index={index}
          list={list}
          etag={etag}
          isByName={kind.id === 'address_list'}
        />
      ) : null
    case 'history':
      return (
        <ItemHistory stored={kind.collection.stored} list={list} id={item} fields={draft.fields} speaking={speaking} />
      )
    default:
      return <Commands draft={draft} />
  }
}

function Details({ row, draft, speaking, used, isDisabled }: TabContentProps): ReactNode {
  return (
    <>
      {used > 0 && draft.isDirty ? (
        <Bar tone="plain">
          {t(
            '{count, plural, one {# place uses it and changes with it.} other {# places use it and change with it.}}',
            { count: used },
          )}
        </Bar>
      ) : null}
      <Form
        fields={draft.fields}
        speaking={speaking}
        value={draft.draft.value}
        base={draft.draft.base}
        faults={draft.faults}
        isDisabled={isDisabled}
        onChange={draft.set}
        isFocused={row === null}
      />
    </>
  )
}

interface ObjectActionsProps extends EditorProps {
  readonly editing: Editing
  readonly used: number
}

function ObjectActions({ item, kind, editing, used, onRemove }: ObjectActionsProps): ReactNode {
  const go = useGo()
  const { path } = usePlace()
  return (
    <>
      <IconButton
        icon="copy"
        label={t('Copy')}
        keys="C"
        side="bottom"
        isDisabled={!editing.isAllowed}
        why={editing.why}
        onClick={() => go.open(`${path}/new`, { kind: kind.id, copy: item })}
      />
      <IconButton
        icon="remove"
        label={t('Remove')}
        keys="Del"
        side="bottom"
        isDisabled={!editing.isAllowed || used > 0}
        why={used > 0 ? t('It is used; see Used by.') : editing.why}
        onClick={() => onRemove(item)}
      />
    </>
  )
}

interface EditorFootProps {
  readonly draft: ItemDraft
  readonly isNew: boolean
  readonly editing: Editing
  readonly canReview: boolean
  readonly onClose: () => void
}

function EditorFoot({ draft, isNew, editing, canReview, onClose }: EditorFootProps): ReactNode {
  return (
    <div className={styles.foot}>
      <span className={styles.count}>
        {isNew
          ? ''
          : t('{count, plural, =0 {Nothing changed} one {# field changed} other {# fields changed}}', {
              count: draft.changed.length,
            })}
      </span>
      <Button onClick={isNew ? onClose : draft.discard} isDisabled={!isNew && !draft.isDirty}>
        {isNew ? t('Cancel') : t('Discard')}
      </Button>
      <Button kind="primary" keys="Ctrl Enter" isDisabled={!canReview} why={editing.why} onClick={draft.review}>
        {t('Review')}
      </Button>
    </div>
  )
}

function Commands({ draft }: { readonly draft: ItemDraft }) {
  const { planned } = draft
  const commands = useMemo(() => {
    if (planned === null) return []
    const { endpoint, params, body, etag } = planned
    return commandsOf(endpoint, { ...(params ? { params } : {}), body, ...(etag ? { etag } : {}) })
  }, [planned])
  if (commands.length === 0) return <p className={styles.count}>{t('Change a field, and the call appears here.')}</p>
  return <CommandBlock commands={commands} />
}
