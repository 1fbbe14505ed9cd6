// The way of a packet as stations on a line. The list is the drawing: screen readers read it in order, the line and the marks
// are style.

import { Icon } from '../../../ui/icon.tsx'
import type { IconName } from '../../../ui/icons.ts'
import { Link } from '../../../ui/link.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { msg, t } from '../../../words.ts'
import type { Station, StationState, TracePath } from './path.ts'
import styles from './path-drawing.module.css'

const stateWords: Readonly<Record<StationState, string>> = {
  passed: msg('passed'),
  matched: msg('a rule matched'),
  accepted: msg('accepted here'),
  refused: msg('stopped here'),
  off: msg('nothing to do here'),
  skipped: msg('not reached'),
}

const stateIcons: Readonly<Record<StationState, IconName | null>> = {
  passed: null,
  matched: 'check',
  accepted: 'check',
  refused: 'close',
  off: null,
  skipped: null,
}

export function PathDrawing({ path }: { readonly path: TracePath }) {
  return (
    <ol className={styles.path} aria-label={t('The way of the packet')}>
      {path.stations.map((station, at) => (
        <StationView
          key={station.stage}
          station={station}
          isLast={at === path.stations.length - 1}
          next={path.stations[at + 1]?.state}
        />
      ))}
    </ol>
  )
}

interface StationViewProps {
  readonly station: Station
  readonly isLast: boolean
  readonly next: StationState | undefined
}

function StationView({ station, isLast, next }: StationViewProps) {
  const { title, state, short, text, rule, passedCount } = station
  const icon = stateIcons[state]
  return (
    <li className={styles.station} data-state={state} data-next={isLast ? undefined : next}>
      <span className={styles.title}>{title}</span>
      <Tooltip text={text === '' ? t(stateWords[state]) : text}>
        <span className={styles.mark}>
          {icon === null ? null : <Icon name={icon} size={14} />}
          <span className="visually-hidden">{t(stateWords[state])}</span>
        </span>
      </Tooltip>
      <span className={styles.short}>
        {rule === null ? short : <Link to={`policy/rules/${rule.table}/${rule.id}`}>{short}</Link>}
      </span>
      {passedCount > 0 ? <span className={styles.count}>{t('{count} passed', { count: passedCount })}</span> : null}
    </li>
  )
}
