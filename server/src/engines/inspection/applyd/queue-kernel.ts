// The rules of the queues in the kernel: compared with what the kernel shows, written, counted. Kernels of which nftables has no queue get the same rules
// by iptables, in its security table; while it is not installed either, channels that must not pass without the engine are dropped.

import { type InspectedChannel, inspection } from '../../../core/plan/inspection-marks.ts'
import { listTables, tablesIn } from '../../kit/kernel-tables.ts'
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
export class QueueKernel {
  readonly #nft: readonly string[]
  readonly #isInstalled: (path: string) => boolean
  readonly #wrapper: readonly string[]
  #canQueue: boolean | null = null
  /** Packets pass by queues that are overrun (queue-flow.ts). */
  isOverrun = false
  /** Why iptables did not take the rules; it is asked again with the next change. */
  #fault: string | null = null

  constructor(nft: readonly string[], isInstalled: (path: string) => boolean) {
    this.#nft = nft
    this.#isInstalled = isInstalled
    this.#wrapper = nft.slice(0, -1)
  }

  /** Asked once: a kernel does not learn it while it runs. */
  async findForm(): Promise<QueueForm> {
    if (this.#canQueue === null) {
      const probe = `table ${ownTable} {\n  chain try {\n    queue flags bypass to ${inspection.firstQueue}\n  }\n}\n`
      this.#canQueue = (await call([...this.#nft, '-c', '-f', '-'], probe)).code === 0
    }
    if (this.#canQueue) return 'nftables'
    const programs = familyNames.flatMap((name) => ['-restore', '-save'].map((end) => families[name].prefix + end))
    return programs.every(this.#isInstalled) ? 'iptables' : 'none'
  }

  async matches(channels: readonly InspectedChannel[]): Promise<boolean> {
    const [wanted, tables] = [this.#wantedOf(channels, await this.#formFor(channels)), await this.#listTables()]
    if (!(await this.#isTableCurrent(wanted, tables))) return false
    for (const family of familyNames) if (!(await this.#isXtCurrent(family, wanted, tables))) return false
    return true
  }

  /** What must not pass is dropped while iptables does not have its rules: a way that fails leaves nothing open. */
  async bring(channels: readonly InspectedChannel[]): Promise<void> {
    this.#fault = null
    const wanted = this.#wantedOf(channels, await this.#formFor(channels))
    try {
      for (const family of familyNames) await this.#applyXt(family, wanted.xt)
    } catch (cause) {
      if (wanted.xt === null) throw cause
      this.#fault = wordsOf(cause)
    }
    await this.#applyTable(this.#fault === null ? wanted : this.#wantedOf(channels, 'none'))
  }

  /** Packets of channels that may pass without the engine, as their rules counted them. */
  async count(followed: readonly InspectedChannel[]): Promise<number> {
    if (!followed.some(({ isFailOpen }) => isFailOpen)) return 0
    const form = await this.#formFor(followed)
    if (form === 'nftables')
      return countRules((await call([...this.#nft, '-j', 'list', 'table', ...ownTable.split(' ')])).stdout)
    const tables = form === 'iptables' ? await this.#listTables() : []
    const lines = await Promise.all(familyNames.map((family) => this.#save(family, tables, ['-c'])))
    return countLines(lines.flat(), followed)
  }

  fault = (): string | null => this.#fault

  async #listTables(): Promise<readonly string[]> {
    return tablesIn((await call([...this.#nft, ...listTables])).stdout)
  }

  async #save(family: Family, tables: readonly string[], more: readonly string[] = []): Promise<readonly string[]> {
    const program = `${families[family].prefix}-save`
    if (!tables.includes(`${family} security`) || !this.#isInstalled(program)) return []
    return (await call([...this.#wrapper, program, ...more, '-t', 'security'])).stdout.split('\n')
  }

  async #isXtCurrent(family: Family, { xt: channels }: Wanted, tables: readonly string[]): Promise<boolean> {
    const lines = await this.#save(family, tables)
    const wanted = channels === null ? [] : [...baseLines, ...chainLines(channels, family, this.isOverrun)]
    return ownLines(lines).toSorted().join('\n') === wanted.toSorted().join('\n') && inOrder(lines, wanted)
  }

  async #isTableCurrent({ rules }: Wanted, tables: readonly string[]): Promise<boolean> {
    const isThere = tables.includes(ownTable)
    if (rules === null || !isThere) return rules === null && !isThere
    const { stdout } = await call([...this.#nft, '-j', 'list', 'table', ...ownTable.split(' ')])
    const { nftables = [] } = JSON.parse(stdout || '{}') as { nftables?: readonly { rule?: ShownRule }[] }
    const shown = nftables.flatMap(({ rule }) => (rule ? [`${rule.chain} ${rule.comment ?? ''}`] : []))
    const wanted = [...rules].flatMap(([name, lines]) => lines.map((line) => `${name} ${line.split('"')[1]}`))
    return shown.toSorted().join('\n') === wanted.toSorted().join('\n')
  }

  #wantedOf(channels: readonly InspectedChannel[], form: QueueForm): Wanted {
    const isTable = form !== 'iptables' && channels.length > 0
    return {
      xt: form === 'iptables' && channels.length > 0 ? channels : null,
      rules: isTable ? tableRules(channels, form === 'nftables', this.isOverrun) : null,
    }
  }

  /** Nothing is asked of the machine that no one needs. */
  async #formFor(channels: readonly InspectedChannel[]): Promise<QueueForm> {
    return channels.length === 0 || this.#fault !== null ? 'none' : this.findForm()
  }

  async #applyXt(family: Family, channels: readonly InspectedChannel[] | null): Promise<void> {
    const lines = await this.#save(family, await this.#listTables())
    const bases = ownLines(lines).filter((line) => !line.startsWith(`-A ${chain}`))
    const old = bases.filter((line) => channels === null || !baseLines.includes(line) || isRepeated(bases, line))
    const kept = new Set(bases.filter((line) => !old.includes(line)))
    if (channels === null && old.length === 0 && !lines.some(isChain)) return
    const script = [
      '*security',
      `:${chain} - [0:0]`,
      `:${outputChain} - [0:0]`,
      ...old.map((line) => line.replace(/^-A/, '-D')),
      ...(channels === null ? [`-X ${outputChain}`, `-X ${chain}`] : chainLines(channels, family, this.isOverrun)),
      ...(channels === null ? [] : baseLines.filter((line) => !kept.has(line))),
      'COMMIT',
      '',
    ].join('\n')
    await change([...this.#wrapper, `${families[family].prefix}-restore`, '-w', '--noflush'], script)
    if (channels === null) await this.#removeEmpty(family)
  }

  /** The table that iptables made, when no rule is left in it. */
  async #removeEmpty(family: Family): Promise<void> {
    const left = await this.#save(family, await this.#listTables())
    if (left.some((line) => /^-A|^:\S+ (?:DROP|-)/.test(line))) return
    await change([...this.#nft, '-f', '-'], `delete table ${family} security\n`)
  }

  async #applyTable(wanted: Wanted): Promise<void> {
    if (await this.#isTableCurrent(wanted, await this.#listTables())) return
    await change([...this.#nft, '-f', '-'], wanted.rules ? tableScript(wanted.rules) : `delete table ${ownTable}\n`)
  }
}

const call = (command: readonly string[], input = '') => run(command, timeoutMs, input)

async function change(command: readonly string[], input: string): Promise<void> {
  const { code, stderr, failure } = await call(command, input)
  const words = oneLine(stderr) || failure || `status ${code}`
  if (code !== 0) throw new Error(`Packets cannot be led to the inspection engine: ${words}.`)
}

const ownLines = (lines: readonly string[]): string[] => lines.filter((line) => line.includes(` ${chain}`))

const isChain = (line: string): boolean => line.startsWith(`:${chain}`)

type TableRules = ReadonlyMap<string, readonly string[]>
type Wanted = { readonly xt: readonly InspectedChannel[] | null; readonly rules: TableRules | null }

interface ShownRule {
  readonly chain?: string
  readonly comment?: string
}

const isRepeated = (lines: readonly string[], line: string): boolean => lines.filter((one) => one === line).length > 1
