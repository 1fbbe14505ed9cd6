// Tabs for siblings of one page. The panel belongs to the page, which renders what is active.

import { Tabs as Base } from '@base-ui/react/tabs'
import { t } from '../words.ts'
import styles from './tabs.module.css'

export interface Tab {
  readonly id: string
  readonly title: string
  readonly count?: number | string | undefined
}

export interface TabsProps {
  readonly tabs: readonly Tab[]
  readonly active: string
  readonly onChange: (id: string) => void
  readonly label?: string | undefined
}

export function Tabs({ tabs, active, onChange, label }: TabsProps) {
  return (
    <Base.Root value={active} onValueChange={(id) => onChange(String(id))} className={styles.root}>
      <Base.List className={styles.list} aria-label={label ?? t('Sections of the page')} activateOnFocus={false}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.id} value={tab.id} className={styles.tab}>
            {tab.title}
            {tab.count === undefined ? null : <span className={styles.count}>{shown(tab.count)}</span>}
          </Base.Tab>
        ))}
      </Base.List>
    </Base.Root>
  )
}

const shown = (count: number | string): string => (typeof count === 'number' ? count.toLocaleString('en') : count)
