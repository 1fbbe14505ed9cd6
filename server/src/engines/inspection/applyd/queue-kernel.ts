// The rules of the queues in the kernel: compared with what the kernel shows, written, counted. Kernels of which nftables has no queue get the same rules
// by iptables, in its security table; while it is not installed either, channels that must not pass without the engine are dropped.

import { type InspectedChannel, inspection } from '../../../core/plan/inspection-marks.ts'
import { run } from '../../kit/processes.ts'
import { oneLine, wordsOf } from '../../kit/text.ts'
import {
  baseLines,
  chain,
  chainLines,
  countLines,
  countRules,
  type Family,
  families,
  familyNames,
  inOrder,
  outputChain,
  ownTable,
  tableRules,
  tableScript,
} from './queue-rules.ts'

const timeoutMs = 10_000

export type QueueForm = 'nftables' | 'iptables' | 'none'

/** `nft` is the program after any wrapper, in whose namespace all others run too. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export function createQueueKernel(nft: readonly string[], isInstalled: (path: string) => boolean) {
  const wrapper = nft.slice(0, -1)
  let canQueue: boolean | null = null
  /** Packets pass by queues that are overrun (queue-flow.ts). */
  let isOverrun = false
  /** Why iptables did not take the rules; it is asked again with the next change. */
  let fault: string | null = null

  const call = (command: readonly string[], input = '') => run(command, timeoutMs, input)

  async function change(command: readonly string[], input: string): Promise<void> {
    const { code, stderr, failure } = await call(command, input)
    const words = oneLine(stderr) || failure || `status ${code}`
    if (code !== 0) throw new Error(`Packets cannot be led to the inspection engine: ${words}.`)
  }

  /** Asked once: a kernel does not learn it while it runs. */
  async function findForm(): Promise<QueueForm> {
    if (canQueue === null) {
      const probe = `table ${ownTable} {\n  chain try {\n    queue flags bypass to ${inspection.firstQueue}\n  }\n}\n`
      canQueue = (await call([...nft, '-c', '-f', '-'], probe)).code === 0
    }
    if (canQueue) return 'nftables'
    const programs = familyNames.flatMap((name) => ['-restore', '-save'].map((end) => families[name].prefix + end))
    return programs.every(isInstalled) ? 'iptables' : 'none'
  }

  const listTables = async (): Promise<readonly string[]> =>
    (await call([...nft, 'list', 'tables'])).stdout.split('\n').map((line) => line.replace(/^table /, '').trim())

  async function save(
    family: Family,
    tables: readonly string[],
    more: readonly string[] = [],
  ): Promise<readonly string[]> {
    const program = `${families[family].prefix}-save`
    if (!tables.includes(`${family} security`) || !isInstalled(program)) return []
    return (await call([...wrapper, program, ...more, '-t', 'security'])).stdout.split('\n')
  }

  const ownLines = (lines: readonly string[]): string[] => lines.filter((line) => line.includes(` ${chain}`))
  const isChain = (line: string): boolean => line.startsWith(`:${chain}`)

  type Wanted = { readonly xt: readonly InspectedChannel[] | null; readonly rules: TableRules | null }

  async function isXtCurrent(family: Family, { xt: channels }: Wanted, tables: readonly string[]): Promise<boolean> {
    const lines = await save(family, tables)
    const wanted = channels === null ? [] : [...baseLines, ...chainLines(channels, family, isOverrun)]
    return ownLines(lines).toSorted().join('\n') === wanted.toSorted().join('\n') && inOrder(lines, wanted)
  }

  async function isTableCurrent({ rules }: Wanted, tables: readonly string[]): Promise<boolean> {
    const isThere = tables.includes(ownTable)
    if (rules === null || !isThere) return rules === null && !isThere
    const { stdout } = await call([...nft, '-j', 'list', 'table', ...ownTable.split(' ')])
    const { nftables = [] } = JSON.parse(stdout || '{}') as { nftables?: readonly { rule?: ShownRule }[] }
    const shown = nftables.flatMap(({ rule }) => (rule ? [`${rule.chain} ${rule.comment ?? ''}`] : []))
    const wanted = [...rules].flatMap(([name, lines]) => lines.map((line) => `${name} ${line.split('"')[1]}`))
    return shown.toSorted().join('\n') === wanted.toSorted().join('\n')
  }

  const wantedOf = (channels: readonly InspectedChannel[], form: QueueForm): Wanted => ({
    xt: form === 'iptables' && channels.length > 0 ? channels : null,
    rules: form === 'iptables' || channels.length === 0 ? null : tableRules(channels, form === 'nftables', isOverrun),
  })

  /** Nothing is asked of the machine that no one needs. */
  const formFor = async (channels: readonly InspectedChannel[]): Promise<QueueForm> =>
    channels.length === 0 || fault !== null ? 'none' : findForm()

  async function matches(channels: readonly InspectedChannel[]): Promise<boolean> {
    const [wanted, tables] = [wantedOf(channels, await formFor(channels)), await listTables()]
    if (!(await isTableCurrent(wanted, tables))) return false
    for (const family of familyNames) if (!(await isXtCurrent(family, wanted, tables))) return false
    return true
  }

  async function applyXt(family: Family, channels: readonly InspectedChannel[] | null): Promise<void> {
    const lines = await save(family, await listTables())
    const bases = ownLines(lines).filter((line) => !line.startsWith(`-A ${chain}`))
    const old = bases.filter((line) => channels === null || !baseLines.includes(line) || isRepeated(bases, line))
    const kept = new Set(bases.filter((line) => !old.includes(line)))
    if (channels === null && old.length === 0 && !lines.some(isChain)) return
    const script = [
      '*security',
      `:${chain} - [0:0]`,
      `:${outputChain} - [0:0]`,
      ...old.map((line) => line.replace(/^-A/, '-D')),
      ...(channels === null ? [`-X ${outputChain}`, `-X ${chain}`] : chainLines(channels, family, isOverrun)),
      ...(channels === null ? [] : baseLines.filter((line) => !kept.has(line))),
      'COMMIT',
      '',
    ].join('\n')
    await change([...wrapper, `${families[family].prefix}-restore`, '-w', '--noflush'], script)
    if (channels === null) await removeEmpty(family)
  }

  /** The table that iptables made, when no rule is left in it. */
  async function removeEmpty(family: Family): Promise<void> {
    const left = await save(family, await listTables())
    if (left.some((line) => /^-A|^:\S+ (?:DROP|-)/.test(line))) return
    await change([...nft, '-f', '-'], `delete table ${family} security\n`)
  }

  async function applyTable(wanted: Wanted): Promise<void> {
    if (await isTableCurrent(wanted, await listTables())) return
    await change([...nft, '-f', '-'], wanted.rules ? tableScript(wanted.rules) : `delete table ${ownTable}\n`)
  }

  /** What must not pass is dropped while iptables does not have its rules: a way that fails leaves nothing open. */
  async function bring(channels: readonly InspectedChannel[]): Promise<void> {
    fault = null
    const wanted = wantedOf(channels, await formFor(channels))
    try {
      for (const family of familyNames) await applyXt(family, wanted.xt)
    } catch (cause) {
      if (wanted.xt === null) throw cause
      fault = wordsOf(cause)
    }
    await applyTable(fault === null ? wanted : wantedOf(channels, 'none'))
  }

  /** Packets of channels that may pass without the engine, as their rules counted them. */
  async function count(followed: readonly InspectedChannel[]): Promise<number> {
    if (!followed.some(({ isFailOpen }) => isFailOpen)) return 0
    const form = await formFor(followed)
    if (form === 'nftables')
      return countRules((await call([...nft, '-j', 'list', 'table', ...ownTable.split(' ')])).stdout)
    const tables = form === 'iptables' ? await listTables() : []
    const lines = await Promise.all(familyNames.map((family) => save(family, tables, ['-c'])))
    return countLines(lines.flat(), followed)
  }

  return {
    matches,
    bring,
    count,
    findForm,
    fault: (): string | null => fault,
    setOverrun: (value: boolean): void => {
      isOverrun = value
    },
  }
}

type TableRules = ReadonlyMap<string, readonly string[]>

interface ShownRule {
  readonly chain?: string
  readonly comment?: string
}

const isRepeated = (lines: readonly string[], line: string): boolean => lines.filter((one) => one === line).length > 1
