// The parts around the grid of rules: the filter line, what can be done with a selection, the bar of what is not applied yet, and
// the words where there is nothing to show.

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useGo } from '../../../place.ts'
import { Bar } from '../../../ui/bar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { FilterBar } from '../../../ui/filter-bar.tsx'
import { t } from '../../../words.ts'
import { splitFilter, takeChips } from './filter.ts'
import { FilterHelp } from './filter-help.tsx'
import styles from './rules-page.module.css'
import type { RuleTable } from './tables.ts'

interface RulesFilterProps {
  readonly filter: string
  readonly count: string
  readonly isAsking: boolean
  readonly onDone: () => void
  readonly children?: ReactNode
}

/** Terms such as `touches:10.1.2.40` become chips, the rest stays text; both are in the address. */
export function RulesFilter({ filter, count, isAsking, onDone, children }: RulesFilterProps) {
  const go = useGo()
  const [line, setLine] = useState(() => splitFilter(filter).words)
  const { chips, words } = splitFilter(filter)
  const written = useRef(filter)
  useEffect(() => {
    // The address was changed by a link, not by typing.
    if (written.current !== filter) setLine(splitFilter(filter).words)
    written.current = filter
  }, [filter])
  const write = (nextChips: readonly string[], nextLine: string): void => {
    const q = [...nextChips, nextLine.trim()].filter((part) => part !== '').join(' ')
    written.current = q
    go.setSearch({ q: q === '' ? null : q }, { replace: true })
  }
  const isTermOpen = splitFilter(line).chips.length > 0
  const done = isTermOpen ? chips.filter((chip) => !splitFilter(line).chips.includes(chip)) : chips
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter leaves the line for the rows
    <div
      className={styles.filter}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        const taken = takeChips(`${line} `)
        setLine(taken.line.trim())
        write([...done, ...taken.chips], taken.line)
        onDone()
      }}
    >
      <FilterBar
        text={line}
        onText={(text) => {
          const taken = takeChips(text)
          setLine(taken.line)
          write([...done, ...taken.chips], taken.line)
        }}
        chips={done.map((chip) => ({
          id: chip,
          label: chip.replace(':', ' '),
          onRemove: () =>
            write(
              done.filter((one) => one !== chip),
              words,
            ),
        }))}
        count={isAsking ? t('asking the gateway …') : count}
        label={t('Filter rules')}
        placeholder={t('Filter: words, touches:10.1.2.40, action:drop')}
      >
        {children}
        <FilterHelp onPick={(term) => write([...done.filter((one) => one !== term), term], line)} />
      </FilterBar>
    </div>
  )
}

interface SelectionBarProps {
  readonly count: number
  readonly isDisabled: boolean
  readonly why: string | undefined
  readonly onAct: (key: string) => void
}

export function SelectionBar({ count, isDisabled, why, onAct }: SelectionBarProps) {
  const shared = { isDisabled, why, size: 'small' } as const
  return (
    <span className={styles.selection}>
      <span className={styles.selected}>{t('{count} selected', { count })}</span>
      <Button {...shared} icon="edit" keys="E" onClick={() => onAct('e')}>
        {t('Edit')}
      </Button>
      <Button {...shared} icon="move" keys="M" onClick={() => onAct('m')}>
        {t('Move')}
      </Button>
      <Button {...shared} icon="remove" keys="Del" onClick={() => onAct('Delete')}>
        {t('Remove')}
      </Button>
    </span>
  )
}

interface DraftBarProps {
  readonly words: string
  readonly isOnlyMoves: boolean
  readonly isAllowed: boolean
  readonly why: string | undefined
  readonly onDiscard: () => void
  readonly onApply: (isReviewed: boolean) => void
}

export function DraftBar({ words, isOnlyMoves: isMoves, isAllowed, why, onDiscard, onApply }: DraftBarProps) {
  return (
    <div className={styles.draft}>
      <Bar
        tone="accent"
        actions={
          <>
            <Button onClick={onDiscard}>{t('Discard')}</Button>
            {isMoves ? (
              <>
                <Button onClick={() => onApply(true)} isDisabled={!isAllowed} why={why}>
                  {t('Review')}
                </Button>
                <Button
                  kind="primary"
                  keys="Ctrl Enter"
                  onClick={() => onApply(false)}
                  isDisabled={!isAllowed}
                  why={why}
                >
                  {t('Apply')}
                </Button>
              </>
            ) : (
              <Button kind="primary" keys="Ctrl Enter" onClick={() => onApply(true)} isDisabled={!isAllowed} why={why}>
                {t('Review')}
              </Button>
            )}
          </>
        }
      >
        {t('Not applied yet: {what}', { what: words })}
      </Bar>
    </div>
  )
}

interface NoRulesProps {
  readonly table: RuleTable
  readonly isFiltered: boolean
  readonly onAdd: () => void
  readonly onClear: () => void
}

export function NoRules({ table, isFiltered, onAdd, onClear }: NoRulesProps) {
  if (isFiltered)
    return (
      <Empty title={t('No rule fits the filter')} action={<Button onClick={onClear}>{t('Clear the filter')}</Button>} />
    )
  return (
    <Empty
      title={t('No {table} rules yet', { table: table.title })}
      action={
        <Button icon="add" onClick={onAdd}>
          {t('Add the first rule')}
        </Button>
      }
    >
      {t(table.lead)}
    </Empty>
  )
}
