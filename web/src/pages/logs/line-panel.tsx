// One line with all its values, the rule that it names as that rule is now, and what can be done about it.

import { type ReactNode, useEffect } from 'react'
import { useSession } from '../../api/session.ts'
import { RuleNumber } from '../../contract/render/rule-number.tsx'
import { labelOf } from '../../contract/words.ts'
import { useGo } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { loneLetterOf } from '../../ui/letter-key.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { toast } from '../../ui/toast.tsx'
import { hostPath } from '../../util/address.ts'
import { printMoment } from '../../util/time.ts'
import { currentLanguage, t } from '../../words.ts'
import type { CellTools } from './cells.tsx'
import styles from './explorer.module.css'
import type { LogLine } from './lines.ts'
import { draftSearch, type LogSource, type Packet, pathOfRule, tableOfDraft, tracerSearch } from './source.ts'

/** What can be done with a line, for its menu, its panel and the keys of the grid. */
export interface LineActs {
  readonly openRule: (line: LogLine) => void
  readonly makeRule: (line: LogLine) => void
  readonly trace: (line: LogLine) => void
  readonly explain: (line: LogLine) => void
  readonly copy: (line: LogLine) => void
  readonly mayChange: boolean
}

/** `idOf`: the interface behind a device, as rules name it. */
export function useLineActs(source: LogSource, idOf: (device: string) => string): LineActs {
  const go = useGo()
  const { may } = useSession()
  const packetOf = (line: LogLine): Packet | null => {
    const packet = source.packetOf?.(line) ?? null
    return packet && { ...packet, device: idOf(packet.device) }
  }
  return {
    mayChange: may('firewall'),
    openRule(line) {
      const rule = source.ruleOf?.(line) ?? null
      const path = rule && pathOfRule(rule)
      if (path) go.open(path)
    },
    makeRule(line) {
      const packet = packetOf(line)
      const rule = source.ruleOf?.(line) ?? null
      if (!packet || !may('firewall')) return
      const isRefused = source.toneOf?.(line) === 'bad'
      go.open(`policy/rules/${tableOfDraft(rule)}/new`, draftSearch(packet, isRefused ? 'accept' : 'drop', rule))
    },
    trace(line) {
      const packet = packetOf(line)
      if (packet && may('view')) go.open('policy/tracer', tracerSearch(packet))
    },
    explain(line) {
      const search = source.explainOf?.(line)
      if (search && may('view')) go.open('protection/web-filter/explain', search)
    },
    copy(line) {
      const text = textOf(line)
      navigator.clipboard.writeText(text).then(
        () => toast(t('The line is copied.'), { tone: 'ok' }),
        () => toast(t('The browser did not let it be copied.'), { tone: 'warn' }),
      )
    },
  }
}

/** As a collector gets it, or all values in one line. */
const textOf = ({ time, cells }: LogLine): string =>
  typeof cells.text === 'string' && cells.text !== ''
    ? cells.text
    : [
        new Date(time).toISOString(),
        ...Object.entries(cells)
          .filter(([, value]) => value !== '' && value !== null && value !== 'absent')
          .map(([name, value]) => `${name}=${value}`),
      ].join(' ')

export interface LinePanelProps extends Pick<CellTools, 'source' | 'zone' | 'nameOfRule'> {
  readonly line: LogLine
  readonly acts: LineActs
  readonly onClose: () => void
}

/** The keys of a line also work while its panel has the focus. */
export function useLineKeys(line: LogLine, { makeRule, trace, copy }: LineActs): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return
      const act = new Map([
        ['r', makeRule],
        ['t', trace],
        ['c', copy],
      ]).get(loneLetterOf(event))
      if (!act) return
      event.preventDefault()
      act(line)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
}

export function LinePanel({ line, source, zone, nameOfRule, acts, onClose }: LinePanelProps): ReactNode {
  useLineKeys(line, acts)
  const rule = source.ruleOf?.(line) ?? null
  const path = rule && pathOfRule(rule)
  const hasPacket = (source.packetOf?.(line) ?? null) !== null
  return (
    <Drawer title={printMoment(line.time / 1_000, zone, currentLanguage())} onClose={onClose}>
      <div className={styles.panelActions}>
        {path ? (
          <Button icon="rule" onClick={() => acts.openRule(line)}>
            {t('Open the rule')}
          </Button>
        ) : null}
        {hasPacket ? (
          <>
            <Button
              icon="add"
              keys="R"
              isDisabled={!acts.mayChange}
              why={t('Needs a role that may change rules.')}
              onClick={() => acts.makeRule(line)}
            >
              {t('Make a rule')}
            </Button>
            <Button icon="trace" keys="T" onClick={() => acts.trace(line)}>
              {t('Trace')}
            </Button>
          </>
        ) : null}
        {source.explainOf ? (
          <Button icon="trace" onClick={() => acts.explain(line)}>
            {t('Explain the decision')}
          </Button>
        ) : null}
        <Button icon="copy" onClick={() => acts.copy(line)}>
          {t('Copy as text')}
        </Button>
      </div>
      {rule && path ? (
        <p>
          <Link to={path}>
            <RuleNumber table={rule.table} id={rule.id} />
          </Link>{' '}
          <PlainText text={nameOfRule(rule)} />
        </p>
      ) : null}
      <dl className={styles.panelList}>
        {Object.entries(line.cells)
          .filter(([, value]) => value !== '' && value !== null && value !== 'absent')
          .map(([name, value]) => {
            const text = source.wordOf?.(name, value ?? null) ?? String(value)
            const host = source.addresses.includes(name) ? hostPath(String(value)) : null
            return (
              <div key={name} style={{ display: 'contents' }}>
                <dt>{t(labelOf(name))}</dt>
                <dd>
                  {host ? (
                    <Link to={host}>{text}</Link>
                  ) : (
                    <PlainText text={text === '' ? String(value) : text} limit={4_000} />
                  )}
                </dd>
              </div>
            )
          })}
      </dl>
    </Drawer>
  )
}
