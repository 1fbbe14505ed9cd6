// The log explorer: time range, histogram, facets and virtual lines of any log, live or still. Everything that was chosen is in the address.

import { showLoggedRules } from '@gateway/server/contract/firewall-log'
import { type ComponentType, type ReactNode, useCallback, useMemo, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { useSession } from '../../api/session.ts'
import { Histogram } from '../../charts/histogram.tsx'
import { hrefOf, useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column } from '../../ui/grid/types.ts'
import { Menu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { toast } from '../../ui/toast.tsx'
import { useKept } from '../../ui/use-kept.ts'
import { useSpace } from '../../ui/use-pause.ts'
import { printCount } from '../../util/amount.ts'
import { printCsv, saveText } from '../../util/save-file.ts'
import { printMoment } from '../../util/time.ts'
import { currentLanguage, msg, t } from '../../words.ts'
import { type CellTools, LineCell } from './cells.tsx'
import styles from './explorer.module.css'
import { Facets } from './facets.tsx'
import { type Condition, join, type LogFilter, parseTyped, readFilter, toggle, without, writeFilter } from './filter.ts'
import { LinePanel, type LinePanelProps, useLineActs } from './line-panel.tsx'
import { type LogLine, mostLines } from './lines.ts'
import { type LogRange, type Preset, presets, writeRange } from './range.ts'
import { type RuleWord, useRuleWords } from './rule-words.ts'
import { type LogSource, pathOfRule, type RuleMention } from './source.ts'
import { useDevices } from './use-devices.ts'
import { type LogState, useLog } from './use-log.ts'

const presetTitles: Readonly<Record<Preset, string>> = {
  '-5m': msg('Last 5 minutes'),
  '-15m': msg('Last 15 minutes'),
  '-1h': msg('Last hour'),
  '-6h': msg('Last 6 hours'),
  '-1d': msg('Last day'),
  '-7d': msg('Last 7 days'),
  '-30d': msg('Last 30 days'),
}

const conditionText = (source: LogSource, ruleWord: RuleWord, { column, value, isNot }: Condition): string => {
  const title = [...source.facets, ...source.columns.map(({ id, title: text }) => ({ column: id, title: text }))].find(
    (one) => one.column === column,
  )
  const word = ruleWord(column, value) ?? source.wordOf?.(column, value) ?? value
  return `${title ? t(title.title) : column} ${isNot ? '≠' : '='} ${word === '' ? value : word}`
}

interface ExplorerProps {
  readonly source: LogSource
  /** Shows one line; all its values unless said. */
  readonly Panel?: ComponentType<LinePanelProps>
}

export function LogExplorer({ source, Panel = LinePanel }: ExplorerProps): ReactNode {
  const go = useGo()
  const { timeZone } = useSession()
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const { search } = usePlace()
  const { known, filter } = useFilter(source)
  const { isLive, setLive } = useLive()
  const log = useLog(source, search, filter, zone, isLive)
  const [chosen, setChosen] = useState<LogLine | null>(null)
  const devices = useDevices()
  const acts = useLineActs(source, devices.idOf)
  const onPick = useCallback(
    (column: string, value: string, isNot: boolean) =>
      go.setSearch(writeFilter(toggle(filter, { column, value, isNot }), known)),
    [go, filter, known],
  )
  const nameOfRule = useRuleNames(source, log.lines)
  const ruleWord = useRuleWords(source, log.lines, nameOfRule)
  const tools: CellTools = { source, zone, onPick, nameOfRule, titleOfDevice: devices.titleOf }
  return (
    <div className={styles.page}>
      <PageHead title={t(source.title)} lead={t(source.lead)}>
        <Button icon={isLive ? 'pause' : 'live'} keys="Space" isPressed={isLive} onClick={setLive}>
          {isLive ? t('Pause') : t('Live')}
        </Button>
        <Views source={source} />
        <CsvButton source={source} log={log} question={{ filter, zone, range: log.range, most: mostLines }} />
      </PageHead>
      <div className={styles.bar}>
        <RangeSelect range={log.range} zone={zone} />
        <LogFilterBar {...{ source, filter, known, ruleWord }} />
      </div>
      {log.failure ? (
        <ProblemBox failure={log.failure} onRetry={log.retry} still={t('Other logs may still be read.')} />
      ) : null}
      <div className={styles.histogram}>
        <Summary log={log} isLive={isLive} />
        <Histogram
          buckets={log.buckets}
          onRange={(from, until) => go.setSearch({ ...writeRange({ from, until }), live: null })}
        />
      </div>
      <div className={styles.body}>
        <Facets
          source={source}
          lines={log.lines}
          isCut={log.isCut}
          filter={filter}
          onPick={onPick}
          titleOfDevice={tools.titleOfDevice}
          ruleWord={ruleWord}
        />
        <div className={styles.lines}>
          <LineGrid
            {...{ tools, acts, log, chosen }}
            onOpen={setChosen}
            empty={
              <NothingFound
                source={source}
                isFiltered={filter.conditions.length > 0 || filter.text !== ''}
                known={known}
              />
            }
          />
        </div>
      </div>
      {chosen ? <Panel {...tools} key={chosen.key} line={chosen} acts={acts} onClose={() => setChosen(null)} /> : null}
    </div>
  )
}

/** The filter of the address, and the columns that it can name. */
function useFilter(source: LogSource): { readonly known: readonly string[]; readonly filter: LogFilter } {
  const { search } = usePlace()
  const known = useMemo(
    () => [
      ...new Set([
        ...source.facets.map(({ column }) => column),
        ...source.columns.filter(({ isText }) => !isText).flatMap(({ id, parts }) => parts ?? [id]),
      ]),
    ],
    [source],
  )
  const filter = useMemo(() => readFilter(search, known), [search, known])
  return { known, filter }
}

/** Whether new lines are shown as they come; Space and a button change it. */
function useLive(): { readonly isLive: boolean; readonly setLive: () => void } {
  const { search } = usePlace()
  const go = useGo()
  const isLive = search.until === undefined && search.live !== '0'
  const setLive = useCallback(() => {
    go.setSearch(search.until === undefined ? { live: isLive ? '0' : null } : { from: null, until: null, live: null }, {
      replace: true,
    })
  }, [go, isLive, search.until])
  useSpace(setLive)
  return { isLive, setLive }
}

interface LogFilterBarProps {
  readonly source: LogSource
  readonly filter: LogFilter
  readonly known: readonly string[]
  readonly ruleWord: RuleWord
}

function LogFilterBar({ source, filter, known, ruleWord }: LogFilterBarProps): ReactNode {
  const go = useGo()
  const [typed, setTyped] = useState<string | null>(null)
  const setText = (text: string): void => {
    setTyped(text)
    const read = parseTyped(text, known)
    if (read.conditions.length > 0 && !text.endsWith(' ')) return
    go.setSearch(writeFilter(join(filter, read), known), { replace: true })
    if (read.conditions.length > 0) setTyped(null)
  }
  return (
    <FilterBar
      text={typed ?? filter.text}
      onText={setText}
      placeholder={t('Text, or column=value')}
      chips={filter.conditions.map((condition) => ({
        id: `${condition.column}=${condition.value}`,
        label: conditionText(source, ruleWord, condition),
        onRemove: () => go.setSearch(writeFilter(without(filter, condition), known)),
      }))}
    />
  )
}

interface LineGridProps {
  readonly tools: CellTools
  readonly acts: ReturnType<typeof useLineActs>
  readonly log: LogState
  readonly chosen: LogLine | null
  readonly onOpen: (line: LogLine) => void
  readonly empty: ReactNode
}

function LineGrid({ tools, acts, log, chosen, onOpen, empty }: LineGridProps): ReactNode {
  return (
    <Grid
      label={t(tools.source.title)}
      rows={log.lines}
      rowKey={({ key }) => key}
      columns={columnsOf(tools, acts)}
      height="fill"
      isLoading={log.isPending && log.lines.length === 0}
      activeKey={chosen?.key ?? null}
      onOpen={onOpen}
      onKey={({ key, row }) => {
        if (!row) return false
        if (key === 'r') acts.makeRule(row)
        else if (key === 't') acts.trace(row)
        else if (key === 'c') acts.copy(row)
        else return false
        return true
      }}
      empty={empty}
    />
  )
}

function Summary({ log, isLive }: { readonly log: LogState; readonly isLive: boolean }): ReactNode {
  const language = currentLanguage()
  const shown = printCount(log.lines.length, language)
  return (
    <div className={styles.summary} role="status">
      <span className={styles.live}>
        <span className={cx(styles.pulse, !isLive && styles.still)} />
        {log.isTroubled ? t('The gateway does not answer, it is tried again') : isLive ? t('Live') : t('Still')}
      </span>
      <span className={styles.count}>
        {log.isCut && log.total !== null
          ? t('the newest {shown} of {total} lines', { shown, total: printCount(log.total, language) })
          : t('{count, plural, one {# line} other {# lines}}', { count: log.lines.length })}
      </span>
      {log.isCut && log.total === null ? <span>{t('The log reaches further back than what is shown.')}</span> : null}
      {log.readOlder ? (
        <Button size="small" onClick={log.readOlder}>
          {t('Read older lines')}
        </Button>
      ) : log.isCut && !log.isPending && log.lines.length >= mostLines ? (
        <span>{t('Choose a shorter time or more conditions to see the older ones.')}</span>
      ) : null}
      {log.lost > 0 ? (
        <span className={styles.warn}>
          {t('{count, plural, one {# line was} other {# lines were}} left out because they came too fast.', {
            count: log.lost,
          })}
        </span>
      ) : null}
      <span>{t('Drag over the bars to look closer.')}</span>
    </div>
  )
}

function RangeSelect({ range, zone }: { readonly range: LogRange; readonly zone: string }): ReactNode {
  const go = useGo()
  const language = currentLanguage()
  const own = `${printMoment(range.from, zone, language)} – ${printMoment(range.until, zone, language)}`
  return (
    <Select
      isCompact
      label={t('Time')}
      value={range.preset ?? 'own'}
      onChange={(value) => {
        if (value !== 'own') go.setSearch({ ...writeRange(value as Preset), live: null })
      }}
      options={[
        ...presets.map((preset) => ({ value: preset, label: t(presetTitles[preset]) })),
        ...(range.preset === null ? [{ value: 'own', label: own }] : []),
      ]}
    />
  )
}

function Views({ source }: { readonly source: LogSource }): ReactNode {
  const go = useGo()
  const place = usePlace()
  const copy = (): void => {
    const address = new URL(hrefOf(place.path, place.search), window.location.href).href
    navigator.clipboard.writeText(address).then(
      () => toast(t('The address of this view is copied. It opens with the same filter and time.'), { tone: 'ok' }),
      () => toast(t('The browser did not let it be copied.'), { tone: 'warn' }),
    )
  }
  return (
    <Menu
      label={t('Views')}
      items={[
        ...source.views.map(({ title, search }) => ({
          label: t(title),
          icon: 'filter' as const,
          onSelect: () => go.open(place.path, search),
        })),
        { label: t('Everything'), icon: 'list' as const, onSelect: () => go.open(place.path) },
        { label: t('Copy the address of this view'), icon: 'copy' as const, isApart: true, onSelect: copy },
      ]}
    />
  )
}

interface CsvProps {
  readonly source: LogSource
  readonly log: LogState
  readonly question: Parameters<NonNullable<LogSource['csvHref']>>[0]
}

function CsvButton({ source, log, question }: CsvProps): ReactNode {
  const save = (): void => {
    const name = `${source.id}-log.csv`
    if (source.csvHref) {
      const link = document.createElement('a')
      link.href = source.csvHref(question)
      link.download = name
      link.click()
      return
    }
    const names = [...new Set(log.lines.flatMap(({ cells }) => Object.keys(cells)))]
    saveText(
      name,
      printCsv(
        ['time', ...names],
        log.lines.map(({ time, cells }) => [new Date(time).toISOString(), ...names.map((column) => cells[column])]),
      ),
      'text/csv',
    )
  }
  return (
    <Button icon="export" onClick={save} isDisabled={log.lines.length === 0} why={t('There are no lines to save.')}>
      {t('CSV')}
    </Button>
  )
}

interface NothingProps {
  readonly source: LogSource
  readonly isFiltered: boolean
  readonly known: readonly string[]
}

function NothingFound({ source, isFiltered, known }: NothingProps): ReactNode {
  const go = useGo()
  if (!isFiltered) return <Empty title={t(source.empty.title)}>{t(source.empty.text)}</Empty>
  return (
    <Empty
      title={t('Nothing fits')}
      action={
        <Button onClick={() => go.setSearch(writeFilter({ text: '', conditions: [] }, known))}>
          {t('Remove all conditions')}
        </Button>
      }
    >
      {t('No line of this time fits all conditions.')}
    </Empty>
  )
}

function columnsOf(tools: CellTools, acts: ReturnType<typeof useLineActs>): readonly Column<LogLine>[] {
  const { source } = tools
  return [
    ...source.columns.map(
      (column): Column<LogLine> => ({
        id: column.id,
        title: t(column.title),
        width: column.width,
        ...(column.width === 'rest' ? { minWidth: 176 } : {}),
        isNumber: column.isNumber ?? false,
        cell: (line) => <LineCell {...tools} line={line} column={column} />,
      }),
    ),
    ...(source.packetOf
      ? [
          {
            id: 'menu',
            title: '',
            width: 40,
            cell: (line: LogLine) => <LineMenu line={line} source={source} acts={acts} />,
          },
        ]
      : []),
  ]
}

interface LineMenuProps {
  readonly line: LogLine
  readonly source: LogSource
  readonly acts: ReturnType<typeof useLineActs>
}

function LineMenu({ line, source, acts }: LineMenuProps): ReactNode {
  const rule = source.ruleOf?.(line) ?? null
  return (
    <Menu
      label={t('What to do with this line')}
      icon="more"
      items={[
        ...(rule && pathOfRule(rule)
          ? [{ label: t('Open the rule'), icon: 'rule' as const, onSelect: () => acts.openRule(line) }]
          : []),
        {
          label: t('Make a rule'),
          icon: 'add' as const,
          keys: 'R',
          isDisabled: !acts.mayChange,
          why: t('Needs a role that may change rules.'),
          onSelect: () => acts.makeRule(line),
        },
        { label: t('Trace'), icon: 'trace' as const, keys: 'T', onSelect: () => acts.trace(line) },
        { label: t('Copy as text'), icon: 'copy' as const, keys: 'C', onSelect: () => acts.copy(line) },
      ]}
    />
  )
}

const mostRules = 100

/** Names of the rules that the newest lines speak of, as the rules are now. */
function useRuleNames(source: LogSource, lines: readonly LogLine[]): (rule: RuleMention) => string {
  const { may } = useSession()
  const isAsked = source.id === 'firewall' && may('view')
  const asked = useMemo(() => {
    if (!isAsked) return []
    const found = new Map<string, RuleMention>()
    for (const line of lines) {
      const rule = source.ruleOf?.(line) ?? null
      if (rule && pathOfRule(rule)) found.set(`${rule.table} ${rule.id}`, rule)
      if (found.size >= mostRules) break
    }
    return [...found.keys()].sort().flatMap((key) => found.get(key) ?? [])
  }, [isAsked, source, lines])
  const { data: read } = useRead(showLoggedRules, {
    query: { rules: asked.map(({ table, id }) => ({ table: table as 'FWD', rule_id: id })) },
    isEnabled: asked.length > 0,
  })
  const data = useKept(read)
  return useCallback(
    ({ table, id }) => {
      const rule = data?.data.find((one) => one.table === table && one.rule_id === id)
      return rule ? (rule.exists ? rule.name : t('removed since')) : ''
    },
    [data],
  )
}
