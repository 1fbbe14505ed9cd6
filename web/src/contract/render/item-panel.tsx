// The side panel of one item: its fields, what uses it, what happened to it, and the call as a command.

import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { commandsOf } from '../../api/commands.ts'
import { useEditing } from '../../api/editing.ts'
import { useLeaveGuard } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { CommandBlock } from '../../ui/command-block.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { t } from '../../words.ts'
import type { Collection, Item } from '../define.ts'
import { type Around, changeEndpoint, idOf, paramsOf, type Spot, shownOnly } from '../plan.ts'
import styles from './collection.module.css'
import { ConflictDialog } from './conflict-dialog.tsx'
import formStyles from './form.module.css'
import { Form } from './form.tsx'
import { FormContext } from './form-context.ts'
import { ItemHistory } from './item-history.tsx'
import { ItemUses, useUses } from './item-used.tsx'
import { useItemDraft } from './use-item-draft.ts'
import { useSpeaking } from './use-speaking.ts'
import { ShownValue, titleOf } from './widget.tsx'

export interface ItemPanelProps {
  readonly collection: Collection
  readonly around: Around
  readonly row: Item | null
  /** What a new item begins with: a copy or an example. */
  readonly start?: Item | undefined
  readonly spot: Spot | null
  readonly etag: string | null
  readonly tab: string
  readonly onTab: (tab: string) => void
  readonly onClose: () => void
  /** With the id of a new item. */
  readonly onApplied: (id: string | null) => void
  readonly onCopy: () => void
  readonly onRemove: () => void
}

export function ItemPanel(props: ItemPanelProps): ReactNode {
  const { collection, row, tab, onTab, onClose, onCopy, onRemove } = props
  const title = row === null ? t('New {item}', { item: t(collection.itemName) }) : collection.title(row)
  const uses = useUses(collection.usedBy, row === null ? '' : idOf(collection, row))
  const tabs = [
    { id: 'details', title: t('Details') },
    ...(row !== null && collection.usedBy ? [{ id: 'used', title: t('Used by'), count: uses?.length }] : []),
    ...(row === null ? [] : [{ id: 'history', title: t('History') }]),
    { id: 'command', title: t('As command') },
  ]
  const active = tabs.some(({ id }) => id === tab) ? tab : 'details'
  return (
    <ItemForm key={row === null ? 'new' : idOf(collection, row)} {...props} active={active}>
      {({ body, foot, onKeyDown }) => (
        <Drawer
          title={<PlainText text={title} limit={80} />}
          onClose={onClose}
          head={<Tabs tabs={tabs} active={active} onChange={onTab} label={t('Parts of the item')} />}
          actions={row === null ? null : <PanelActions {...{ collection, row, onCopy, onRemove }} />}
          foot={foot}
        >
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the form work in all of its fields */}
          <div className={styles.panelBody} onKeyDown={onKeyDown}>
            {body}
          </div>
        </Drawer>
      )}
    </ItemForm>
  )
}

interface PanelActionsProps {
  readonly collection: Collection
  readonly row: Item
  readonly onCopy: () => void
  readonly onRemove: () => void
}

function PanelActions({ collection, row, onCopy, onRemove }: PanelActionsProps): ReactNode {
  const { create, remove } = collection.endpoints
  const mayCreate = useEditing(create?.access ?? 'configure')
  const mayRemove = useEditing(remove?.access ?? 'configure')
  const fixed = collection.isFixed?.(row) ?? null
  return (
    <>
      {create ? (
        <Button size="small" icon="copy" isDisabled={!mayCreate.isAllowed} why={mayCreate.why} onClick={onCopy}>
          {t('Copy')}
        </Button>
      ) : null}
      {remove ? (
        <Button
          size="small"
          icon="remove"
          isDisabled={!mayRemove.isAllowed || fixed !== null}
          why={mayRemove.why ?? (fixed === null ? undefined : t(fixed))}
          onClick={onRemove}
        >
          {t('Remove')}
        </Button>
      ) : null}
    </>
  )
}

interface ItemFormParts {
  readonly body: ReactNode
  readonly foot: ReactNode
  readonly onKeyDown: (event: React.KeyboardEvent) => void
}

interface ItemFormProps extends ItemPanelProps {
  readonly active: string
  readonly children: (parts: ItemFormParts) => ReactNode
}

/** The form lives as long as the panel, whichever tab is shown, so that a draft survives a look into the history. */
function ItemForm({ active, children, ...props }: ItemFormProps): ReactNode {
  const { collection, around, row, onTab, onClose } = props
  const draft = useItemDraft({ ...props, start: props.start })
  const { fields, planned } = draft
  const rest = useMemo(() => (row === null ? [] : shownOnly(collection, fields)), [collection, fields, row])
  const all = useMemo(() => [...fields, ...rest], [fields, rest])
  const speaking = useSpeaking(all)
  const endpoint = row === null ? collection.endpoints.create : changeEndpoint(collection)
  const editing = useEditing(endpoint?.access ?? 'configure')
  const isOff = endpoint === undefined || !editing.isAllowed
  const changedNames = draft.changed.map((name) => {
    const field = fields.find((one) => one.name === name)
    return field ? titleOf(field) : name
  })
  useLeaveGuard(draft.isDirty && draft.changed.length > 0, () => changedNames)
  const reason = row === null ? null : (collection.isFixed?.(row) ?? null)
  const fixed = reason === null ? null : { why: t(reason), except: collection.stillChangeable ?? [] }
  const canReview = !isOff && planned !== null && (draft.isDirty || row === null)
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      if (canReview) draft.review()
    } else if (event.altKey && event.code === 'KeyC') {
      event.preventDefault()
      onTab('command')
    }
  }
  const foot =
    endpoint === undefined ? undefined : (
      <div className={formStyles.foot}>
        <span className={formStyles.footText} aria-live="polite">
          {row === null || !draft.isDirty
            ? ''
            : t('{count, plural, one {# change} other {# changes}}: {fields}', {
                count: changedNames.length,
                fields: changedNames.join(', '),
              })}
        </span>
        <Button onClick={row === null ? onClose : draft.discard} isDisabled={row !== null && !draft.isDirty}>
          {row === null ? t('Cancel') : t('Discard')}
        </Button>
        <Button kind="primary" keys="Ctrl Enter" isDisabled={!canReview} why={editing.why} onClick={draft.review}>
          {endpoint.effect === 'action' ? t('Add') : t('Review')}
        </Button>
      </div>
    )
  const id = row === null ? '' : idOf(collection, row)
  const body = (
    <>
      {isOff && endpoint !== undefined && editing.why ? <Bar tone="plain">{editing.why}</Bar> : null}
      {fixed ? <Bar tone="plain">{fixed.why}</Bar> : null}
      {active === 'details' ? (
        <>
          {endpoint === undefined ? null : (
            <Form
              {...{ fields, speaking, fixed }}
              groups={collection.groups}
              value={draft.draft.value}
              base={draft.draft.base}
              faults={draft.faults}
              isDisabled={isOff}
              onChange={draft.set}
              isFocused
            />
          )}
          {row === null || rest.length === 0 ? null : <ShownFields fields={rest} row={row} speaking={speaking} />}
        </>
      ) : null}
      {active === 'used' && collection.usedBy ? <ItemUses endpoint={collection.usedBy} id={id} /> : null}
      {active === 'history' ? (
        <ItemHistory
          list={collection.endpoints.list}
          stored={collection.stored}
          id={id}
          fields={all}
          speaking={speaking}
        />
      ) : null}
      {active === 'command' ? <Commands {...{ collection, around, row, planned }} /> : null}
      {draft.conflict ? (
        <ConflictDialog
          merge={draft.conflict}
          fields={fields}
          speaking={speaking}
          onSettle={draft.settleConflict}
          onClose={draft.closeConflict}
        />
      ) : null}
      <FocusFault faults={draft.faults.at.size} />
    </>
  )
  return children({ body, foot, onKeyDown })
}

/** After a refusal the first wrong field takes the focus. */
function FocusFault({ faults }: { readonly faults: number }): ReactNode {
  const mark = useRef<HTMLSpanElement>(null)
  const before = useRef(faults)
  useEffect(() => {
    const isNew = faults > before.current
    before.current = faults
    if (!isNew) return
    const active = document.activeElement
    const isTyping = active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement
    if (isTyping) return
    mark.current?.parentElement?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [faults])
  return <span ref={mark} hidden />
}

interface ShownFieldsProps {
  readonly fields: ReturnType<typeof shownOnly>
  readonly row: Item
  readonly speaking: ReturnType<typeof useSpeaking>
}

/** What no call of this list changes: states, counters, times. */
function ShownFields({ fields, row, speaking }: ShownFieldsProps): ReactNode {
  const state = {
    value: row,
    base: row,
    faults: { at: new Map<string, string>(), rest: [] },
    isDisabled: true,
    speaking,
    names: speaking.names,
    onChange: () => {},
    focused: null,
    fixed: null,
  }
  return (
    <FormContext value={state}>
      <dl className={formStyles.shown}>
        {fields.map((field) => (
          <div key={field.name} style={{ display: 'contents' }}>
            <dt>{titleOf(field)}</dt>
            <dd>
              <ShownValue field={field} value={row[field.name]} />
            </dd>
          </div>
        ))}
      </dl>
    </FormContext>
  )
}

type CommandsProps = Pick<ItemPanelProps, 'collection' | 'around' | 'row'> & {
  readonly planned: ReturnType<typeof useItemDraft>['planned']
}

/** The call that Review would make; without a change the one that reads the list. */
function Commands({ collection, around, row, planned }: CommandsProps): ReactNode {
  const { list, remove } = collection.endpoints
  const commands = planned
    ? commandsOf(planned.endpoint, { ...planned, etag: null })
    : commandsOf(list, { params: paramsOf(list, around, '') })
  return (
    <>
      <CommandBlock commands={commands} />
      {row !== null && remove ? (
        <>
          <h3 className={formStyles.heading}>{t('Remove')}</h3>
          <CommandBlock commands={commandsOf(remove, { params: paramsOf(remove, around, idOf(collection, row)) })} />
        </>
      ) : null}
    </>
  )
}
