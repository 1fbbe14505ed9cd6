// What the explorer knows about a log: its columns, how its lines are read and followed, and which of its values are addresses or rules.

import type { LogFilter } from './filter.ts'
import type { CellValue, LogLine } from './lines.ts'
import type { Bucket, LogRange } from './range.ts'

export interface LogColumn {
  readonly id: string
  readonly title: string
  readonly width: number | 'rest'
  /** The values of a line that the cell shows; its own column unless said. */
  readonly parts?: readonly string[]
  readonly isMono?: boolean
  readonly isNumber?: boolean
  /** Plain text of any length that is not filtered by clicks. */
  readonly isText?: boolean
}

export interface Question {
  readonly range: LogRange
  readonly filter: LogFilter
  /** Of the gateway. */
  readonly zone: string
  /** So many of the newest lines are wanted. */
  readonly most: number
}

export interface Found {
  /** Newest first. */
  readonly lines: readonly LogLine[]
  /** How many there are; null where only those that were read are known. */
  readonly total: number | null
  /** The log reaches further back than what was read. */
  readonly isCut: boolean
}

export interface Following {
  readonly onLines: (lines: readonly LogLine[]) => void
  readonly onLost: (count: number) => void
  readonly onTrouble: (isTroubled: boolean) => void
}

export interface View {
  readonly title: string
  readonly search: Readonly<Record<string, string>>
}

export interface LogSource {
  readonly id: string
  readonly title: string
  readonly lead: string
  readonly columns: readonly LogColumn[]
  /** Columns whose most frequent values are at the side. */
  readonly facets: readonly { readonly column: string; readonly title: string }[]
  /** Columns that hold addresses of hosts. */
  readonly addresses: readonly string[]
  /** What is refused is marked. `column`: of the cell that is drawn, where it has a tone of its own. */
  readonly toneOf?: (line: LogLine, column?: string) => 'bad' | 'warn' | 'ok' | null
  readonly wordOf?: (column: string, value: CellValue) => string
  /** Columns that are looked into for a text. */
  readonly read: (question: Question, signal: AbortSignal) => Promise<Found>
  /** Counts all lines of the question, also those that are not read. */
  readonly buckets?: (question: Question, signal: AbortSignal) => Promise<readonly Bucket[]>
  readonly follow: (question: Question, newest: LogLine | null, following: Following) => () => void
  /** The address of the whole answer as CSV; without it the lines on screen are saved. */
  readonly csvHref?: (question: Question) => string
  readonly views: readonly View[]
  readonly empty: { readonly title: string; readonly text: string }
  /** Columns whose every value the gateway can list. */
  readonly values?: Readonly<Record<string, () => Promise<readonly string[]>>>
  /** The rule that a line is about. */
  readonly ruleOf?: (line: LogLine) => RuleMention | null
  /** What the content filter is asked about a line, to explain it. */
  readonly explainOf?: (line: LogLine) => Readonly<Record<string, string>>
  /** The packet of a line, for the tracer and for a new rule. */
  readonly packetOf?: (line: LogLine) => Packet | null
}

export interface RuleMention {
  readonly table: string
  readonly id: string
}

export interface Packet {
  readonly protocol: string
  readonly source: string
  readonly destination: string
  readonly port: number | null
  readonly device: string
}

/** Tables as the logs name them, and the pages of their rules. */
const pagesOfTables: Readonly<Record<string, string>> = {
  FWD: 'policy/rules/forward',
  fwd: 'policy/rules/forward',
  INP: 'policy/rules/input',
  inp: 'policy/rules/input',
  DNAT: 'policy/rules/dnat',
  SNAT: 'policy/rules/snat',
  LOG: 'policy/rules/log',
  ACL: 'policy/access-lists',
  web: 'protection/web-filter/rules',
}

/** The page of a rule; null for what is not a rule of an administrator. */
export function pathOfRule({ table, id }: RuleMention): string | null {
  const page = pagesOfTables[table]
  return page === undefined || id === '' || id === '0' || id.includes('.sys.')
    ? null
    : `${page}/${encodeURIComponent(id)}`
}

const traced = new Set(['tcp', 'udp', 'icmp', 'gre', 'esp', 'ah'])

/** The tracer filled in with the packet of a line. */
export function tracerSearch({ protocol, source, destination, port, device }: Packet): Record<string, string> {
  const word = protocol.toLowerCase()
  return {
    p: traced.has(word) ? word : 'tcp',
    s: source,
    d: port === null ? destination : `${destination}:${port}`,
    ...(device === '' ? {} : { in: device }),
  }
}

/** A rule for packets like this one, before the rule that decided about it. */
export function draftSearch(packet: Packet, action: string, before: RuleMention | null): Record<string, string> {
  const word = packet.protocol.toLowerCase()
  return {
    source: packet.source,
    destination: packet.destination,
    ...(traced.has(word) ? { protocol: word } : {}),
    ...(packet.port === null ? {} : { port: String(packet.port) }),
    ...(packet.device === '' ? {} : { incoming: packet.device }),
    action,
    ...(before && pathOfRule(before) ? { before: before.id } : {}),
  }
}

/** A packet to the gateway itself is judged by INPUT, all others by FORWARD. */
export const tableOfDraft = (rule: RuleMention | null): 'forward' | 'input' =>
  rule !== null && /^inp/i.test(rule.table) ? 'input' : 'forward'

/** Of the gateway, which answers at most 10,000 rows at once. */
const pageSize = 5_000

/** As many rows as are wanted, page by page. `isCut`: there are more. */
export async function readPages<Row>(
  most: number,
  read: (page: { readonly limit: number; readonly offset: number }) => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly isCut: boolean }> {
  const rows: Row[] = []
  while (rows.length < most) {
    const limit = Math.min(pageSize, most - rows.length)
    const page = await read({ limit, offset: rows.length })
    rows.push(...page)
    if (page.length < limit) return { rows, isCut: false }
  }
  return { rows, isCut: true }
}

/** Asks again and again while the tab is looked at, with one request in flight; the pause doubles after a failure. */
export function repeat(
  everyMs: number,
  ask: (signal: AbortSignal) => Promise<void>,
  onTrouble: (isTroubled: boolean) => void,
): () => void {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  const next = (): void => {
    if (controller.signal.aborted) return
    timer = setTimeout(step, Math.min(60_000, everyMs * 2 ** failures))
  }
  const step = (): void => {
    if (document.hidden) {
      next()
      return
    }
    ask(controller.signal).then(
      () => {
        if (failures > 0) onTrouble(false)
        failures = 0
        next()
      },
      () => {
        if (controller.signal.aborted) return
        failures += 1
        onTrouble(true)
        next()
      },
    )
  }
  next()
  return () => {
    clearTimeout(timer)
    controller.abort()
  }
}
