// What an object stands for now: the addresses of all its parts, those of domains as DNS answered last, and what has none.

import { sizeOf } from '@gateway/server/net/ranges'
import { Bar } from '../../ui/bar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { kindOfId, leavesOf, literalOf, type ObjectIndex, printRanges, resolveAddresses } from '../../util/objects.ts'
import { currentLanguage, t } from '../../words.ts'
import { kindById } from './kinds.ts'
import styles from './object-drawer.module.css'
import { useDomains } from './use-objects.ts'

const mostShown = 200

export function ResolvesTo({ id, index }: { readonly id: string; readonly index: ObjectIndex }) {
  const { addresses, states } = useDomains()
  const leaves = leavesOf(index, id)
  if (kindById.get(kindOfId(id))?.group !== 'addresses')
    return (
      <ul className={styles.values}>
        {leaves.map((leaf) => (
          <li key={leaf.id}>
            <PlainText text={leaf.title} /> <span className={styles.quiet}>{literalOf(leaf)}</span>
          </li>
        ))}
      </ul>
    )
  const { ranges, unknown } = resolveAddresses(index, id, addresses)
  const texts = printRanges(ranges, mostShown)
  const rest = ranges.length / 2 - texts.length
  const number = new Intl.NumberFormat(currentLanguage())
  const domains = leaves.filter(({ type }) => type === 'domain')
  return (
    <>
      <p className={styles.sum}>
        {t('{count} addresses in {ranges, plural, one {# range} other {# ranges}}', {
          count: number.format(sizeOf(ranges)),
          ranges: ranges.length / 2,
        })}
      </p>
      {unknown.length > 0 ? (
        <Bar tone="warn">
          {t('No address is known of: {names}', { names: unknown.map(({ title }) => title).join(', ') })}
        </Bar>
      ) : null}
      <ul className={styles.values}>
        {texts.map((text) => (
          <li key={text}>{/^[\d.]+$/.test(text) ? <Link to={`overview/host/${text}`}>{text}</Link> : text}</li>
        ))}
      </ul>
      {rest > 0 ? <p className={styles.quiet}>{t('and {rest} more ranges', { rest })}</p> : null}
      {domains.map((domain) => {
        const state = states.get(domain.id)
        return (
          <div key={domain.id} className={styles.leaf}>
            <span className={styles.leafName}>
              <Icon name="domain" size={14} /> <PlainText text={literalOf(domain)} />
            </span>
            {state?.resolved_at ? (
              <span className={styles.quiet}>
                {t('DNS answered')} <Time unix={state.resolved_at} />
              </span>
            ) : null}
            {state?.error ? <span className={styles.bad}>{state.error}</span> : null}
          </div>
        )
      })}
    </>
  )
}
