// What the table and the form of content rules say beside the fields: the sentence of a rule, what it cannot do as it is,
// and that the filter is off.

import { contentRules, filterSettings, filterState } from '@gateway/server/contract/content-filter'
import type { ReactNode } from 'react'
import { useRead } from '../../api/reads.ts'
import type { Item } from '../../contract/define.ts'
import { usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { t } from '../../words.ts'
import styles from './content-filter.module.css'
import { type Naming, ruleSentence } from './sentence.ts'
import { useNaming } from './use-naming.ts'
import { type Rule, type RuleDraft, ruleWarnings, type Warning } from './warnings.ts'

/** A sentence about each rule, in the words of the person; an off rule tells what it would do. */
export function RuleSentence({ rule }: { readonly rule: Rule }): ReactNode {
  const naming = useNaming()
  const text = ruleSentence(rule, naming)
  const warnings = useWarnings(rule, rule.id)
  const said = warnings.map((warning) => warningText(warning, naming)).join(' ')
  return (
    <span className={styles.sentence} title={said === '' ? text : `${text} ${said}`}>
      {said === '' ? null : (
        <span className={styles.warning} role="img" aria-label={said}>
          <Icon name="warning" size={14} />
        </span>
      )}
      <PlainText text={text} limit={300} />
    </span>
  )
}

/** The rules above: of a new one those before its place, or all of them. */
function useWarnings(rule: RuleDraft, id: number | null): readonly Warning[] {
  const { search } = usePlace()
  const rules = useRead(contentRules.list).data?.data
  const settings = useRead(filterSettings.show).data?.data
  if (!rules || !settings || !rule.enabled) return []
  const at = (wanted: string | undefined): number => rules.findIndex((one) => String(one.id) === wanted)
  const place =
    id !== null
      ? at(String(id))
      : search.before !== undefined
        ? at(search.before)
        : search.after !== undefined
          ? at(search.after) + 1
          : rules.length
  return ruleWarnings(rule, rules.slice(0, Math.max(0, place)), { hasTopics: settings.enabled_extended_categorizer })
}

export function warningText(warning: Warning, naming: Naming): string {
  const names = (ids: readonly string[]): string => ids.slice(0, 4).map(naming.category).join(', ')
  switch (warning.kind) {
    case 'shadowed':
      return t('Never reached: rule “{name}” above decides first.', { name: warning.rule.name })
    case 'no-topics':
      return t('Topic categories are off in the settings, so these never match: {names}.', {
        names: names(warning.categories),
      })
    default:
      return warning.access === 'redirect'
        ? t('Only plain HTTP is redirected: HTTPS needs a decryption rule above for {names}.', {
            names: names(warning.categories),
          })
        : t('Decides about plain HTTP only: HTTPS needs a decryption rule above for {names}.', {
            names: names(warning.categories),
          })
  }
}

const draftOf = (item: Item): RuleDraft => ({
  access: 'deny',
  aliases: [],
  categories: [],
  http_methods: [],
  content_types: [],
  timetable: [],
  enabled: true,
  ...(item as Partial<RuleDraft>),
})

/** In the form: what the draft would do, and what it cannot. */
export function DraftSummary({ item }: { readonly item: Item }): ReactNode {
  const { item: opened } = usePlace()
  const naming = useNaming()
  const rule = draftOf(item)
  const id = opened === null || opened === 'new' ? null : Number(opened)
  const warnings = useWarnings(rule, id)
  if (rule.categories.length === 0) return null
  const redirect_url = typeof item.redirect_url === 'string' ? item.redirect_url : null
  return (
    <div className={styles.summary}>
      <p className={styles.told}>
        <PlainText text={ruleSentence({ ...rule, redirect_url }, naming)} />
      </p>
      {warnings.map((warning) => (
        <Bar key={warning.kind} tone="warn">
          <PlainText text={warningText(warning, naming)} />{' '}
          {warning.kind === 'no-topics' ? <Link to="protection/web-filter/settings">{t('Settings')}</Link> : null}
        </Bar>
      ))}
    </div>
  )
}

/** Rules are stored while the filter is off, and decide nothing. */
export function OffNotice(): ReactNode {
  const { data } = useRead(filterState.show)
  if (data?.data.enabled !== false) return null
  return (
    <Bar tone="plain" actions={<Link to="protection/web-filter/settings">{t('Settings')}</Link>}>
      {t('The filter is off, so no rule decides about web traffic.')}
    </Bar>
  )
}
