// The palette: one line to find a page, an object, a rule, a user, or to ask about an address, a packet or a revision.

import { Dialog } from '@base-ui/react/dialog'
import { revertToRevision } from '@gateway/server/contract/configuration'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { needsRole } from '../../api/editing.ts'
import { useSession } from '../../api/session.ts'
import { useStore } from '../../api/store.ts'
import { pages } from '../../pages/index.ts'
import { useGo } from '../../place.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/icon.tsx'
import { Keys } from '../../ui/keys.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { currentLanguage, speak, t } from '../../words.ts'
import { appearance, choose } from '../appearance.ts'
import { signOut } from '../sign-out.ts'
import { useFound } from './found.ts'
import { readQuestion } from './grammar.ts'
import { type Act, actionItems, answersOf, type Band, type Item, pageItems } from './items.ts'
import styles from './palette.module.css'
import { closePalette, longestText, noteChosen, paletteStore, setTyped } from './palette-store.ts'

/** How often each was chosen in this tab; forgotten with it. */
const uses = new Map<string, number>()
const mostPages = 8

export function Palette(): ReactNode {
  const { typed: text, isEntered } = useStore(paletteStore)
  const [active, setActive] = useState(0)
  const listId = useId()
  const input = useRef<HTMLInputElement>(null)
  const bands = useBands(text)
  const items = bands.flatMap((band) => band.items)
  const choose = useChoose()
  useEffect(() => {
    const first = items.find(({ needs }) => needs === undefined)
    if (!isEntered || !first) return
    noteChosen()
    choose(first)
  }, [isEntered, items, choose])
  const current = Math.min(active, items.length - 1)
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      setActive((current + step + items.length) % Math.max(1, items.length))
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      const item = items[current]
      if (item) choose(item)
    }
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && closePalette()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup
          data-palette=""
          className={styles.palette}
          initialFocus={input}
          finalFocus={false}
          aria-label={t('Find or ask')}
        >
          <div className={styles.line}>
            <Icon name="search" />
            <input
              ref={input}
              className={styles.input}
              role="combobox"
              aria-expanded="true"
              aria-controls={listId}
              aria-autocomplete="list"
              aria-label={t('Find or ask')}
              aria-activedescendant={items[current] ? `${listId}-${current}` : undefined}
              value={text}
              placeholder={t('10.1.2.3, a -> b:443, rule 42, block 10.1.2.3, revert to 810, page …')}
              onChange={(event) => {
                setTyped(event.currentTarget.value)
                setActive(0)
              }}
              onKeyDown={onKey}
              spellCheck={false}
              autoComplete="off"
              maxLength={longestText}
            />
            <Keys keys="Esc" />
          </div>
          <div className={styles.list} id={listId} role="listbox" aria-label={t('Answers')}>
            {bands.map((band) => (
              <BandView key={band.title} band={band} items={items} {...{ listId, current, choose, setActive }} />
            ))}
            {items.length === 0 ? (
              <p className={styles.nothing}>
                {t('Nothing fits. Try an address, a packet such as a -> b:443, or a page.')}
              </p>
            ) : null}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface BandProps {
  readonly band: Band
  readonly items: readonly Item[]
  readonly listId: string
  readonly current: number
  readonly choose: (item: Item) => void
  readonly setActive: (index: number) => void
}

function BandView({ band, items, listId, current, choose, setActive }: BandProps): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options, which has no element of its own
    <div role="group" aria-label={band.title}>
      <div className={styles.band} aria-hidden="true">
        {band.title}
      </div>
      {band.items.map((item) => {
        const index = items.indexOf(item)
        return (
          <ItemView
            key={item.id}
            item={item}
            id={`${listId}-${index}`}
            isCurrent={index === current}
            onChoose={() => choose(item)}
            onPoint={() => setActive(index)}
          />
        )
      })}
    </div>
  )
}

interface ItemProps {
  readonly item: Item
  readonly id: string
  readonly isCurrent: boolean
  readonly onChoose: () => void
  readonly onPoint: () => void
}

function ItemView({ item, id, isCurrent, onChoose, onPoint }: ItemProps): ReactNode {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isCurrent) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus and points here
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isCurrent}
      aria-disabled={item.needs === undefined ? undefined : true}
      className={cx(styles.item, isCurrent && styles.current, item.needs !== undefined && styles.locked)}
      onClick={onChoose}
      onPointerMove={onPoint}
    >
      <Icon name={item.needs === undefined ? item.icon : 'lock'} />
      <span className={styles.title}>
        <PlainText text={item.title} />
      </span>
      <span className={styles.hint}>{item.needs ?? <PlainText text={item.hint} />}</span>
      {isCurrent ? <Keys keys="Enter" /> : null}
    </div>
  )
}

function useBands(text: string): readonly Band[] {
  const { role, may } = useSession()
  const question = useMemo(() => readQuestion(text), [text])
  const asker = { role, may, needs: needsRole }
  const words = question.kind === 'words' ? question.words : null
  const found = useFound(question, asker)
  const usesOf = (id: string) => uses.get(id) ?? 0
  const bands: Band[] = [
    { title: t('Answers'), items: answersOf(question, asker) },
    ...(words === null
      ? []
      : [
          { title: t('Pages'), items: pageItems(pages, words, asker, usesOf).slice(0, mostPages) },
          { title: t('Actions'), items: actionItems(words, asker) },
        ]),
    ...found,
  ]
  return bands.filter(({ items }) => items.length > 0)
}

function useChoose(): (item: Item) => void {
  const go = useGo()
  const review = useReview()
  return (item) => {
    if (item.needs !== undefined) return
    uses.set(item.id, (uses.get(item.id) ?? 0) + 1)
    closePalette({ isLeaving: item.to !== undefined })
    if (item.act) act(item.act, item.value ?? 0, review.open)
    else if (item.to?.startsWith('/')) window.location.assign(item.to)
    else if (item.to !== undefined) go.open(item.to, item.search)
  }
}

function act(what: Act, value: number, openReview: ReturnType<typeof useReview>['open']): void {
  const { theme, density } = appearance.get()
  switch (what) {
    case 'put-back':
      openReview({
        title: t('Revert to revision {revision}', { revision: value }),
        calls: [{ endpoint: revertToRevision, params: { revision_id: value } }],
        confirmWithin: 90,
        reads: [],
      })
      return
    case 'theme':
      choose({ theme: isDark(theme) ? 'light' : 'dark' })
      return
    case 'density':
      choose({ density: density === 'compact' ? 'normal' : 'compact' })
      return
    case 'language':
      void speak(currentLanguage() === 'en' ? 'ru' : 'en', { isChoice: true })
      return
    case 'keys':
      window.dispatchEvent(new CustomEvent('portcullis-keys'))
      return
    case 'sign-out':
      void signOut()
  }
}

const isDark = (theme: string): boolean =>
  theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
