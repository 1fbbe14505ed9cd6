// Leads packets of inspected connections to the queues of the engine. Kernels of which nftables has no queue get the same rules by
// iptables, in its security table; while it is not installed either, channels that must not pass without the engine are
// dropped. Works from what the kernel shows, so that nothing has to be remembered over a restart or a crash.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { channelMark, type InspectedChannel, inspection } from '../../../plan/inspection.ts'
import { run } from '../../processes.ts'
import { oneLine } from '../../text.ts'

const timeoutMs = 10_000
export const queueCount = Math.min(inspection.mostQueues, availableParallelism())
export const ownTable = 'inet portcullis_inspection'
const lastQueue = inspection.firstQueue + queueCount - 1
const [mask, wholeMask] = [hex(inspection.channelMask | inspection.doneBit), hex(inspection.channelMask)]
const [chain, outputChain] = ['PC_INSPECT', 'PC_INSPECT_OUT'] as const
const families = {
  ip: { prefix: '/usr/sbin/iptables-nft', loopback: '127.0.0.0/8', control: 'icmp' },
  ip6: { prefix: '/usr/sbin/ip6tables-nft', loopback: '::1/128', control: 'ipv6-icmp' },
} as const
type Family = keyof typeof families
const familyNames: readonly Family[] = ['ip', 'ip6']

function hex(value: number): string {
  return `0x${value.toString(16)}`
}

export type QueueForm = 'nftables' | 'iptables' | 'none'

/** What becomes of packets of a channel: of its test (see `canaryPort`) and of all others. */
const verdictOf = ({ isReady, isFailOpen }: InspectedChannel): 'queue' | 'queue-or-pass' | 'drop' | null =>
  isReady ? (isFailOpen ? 'queue-or-pass' : 'queue') : isFailOpen ? null : 'drop'
const canaryPort = ({ number }: InspectedChannel): number => inspection.firstCanaryPort + number

/** Lines as iptables-nft-save writes them. The test of a channel comes to the queue before it is ready: that makes it ready. */
function chainLines(channels: readonly InspectedChannel[], family: Family): string[] {
  const { loopback, control } = families[family]
  const queue =
    queueCount === 1
      ? `NFQUEUE --queue-num ${inspection.firstQueue}`
      : `NFQUEUE --queue-balance ${inspection.firstQueue}:${lastQueue}`
  const targets = { queue, 'queue-or-pass': `${queue} --queue-bypass`, drop: 'DROP' }
  const rules = channels.flatMap((channel) => {
    const match = `-m connmark --mark ${hex(channelMark(channel.number))}/${mask}`
    const verdict = verdictOf(channel)
    const test = `-s ${loopback} -d ${loopback} -p udp -m udp --dport ${canaryPort(channel)} ${match}`
    return [
      ...(channel.isReady ? [] : [`-A ${chain} ${test} -j ${targets['queue-or-pass']}`]),
      ...(verdict === null ? [] : [`-A ${chain} ${match} -j ${targets[verdict]}`]),
    ]
  })
  return [
    ...rules,
    // A reset with which the engine rejects a connection has the mark of that connection, and would be rejected again.
    `-A ${outputChain} -p tcp -m tcp --tcp-flags RST RST -j RETURN`,
    `-A ${outputChain} -p ${control} -j RETURN`,
    `-A ${outputChain} -j ${chain}`,
  ]
}

const baseLines = [
  ...['INPUT', 'FORWARD'].map((base) => `-A ${base} -m connmark ! --mark 0x0/${wholeMask} -j ${chain}`),
  `-A OUTPUT -m connmark ! --mark 0x0/${wholeMask} -j ${outputChain}`,
]

/** Rules of the own table by chain, each with a comment by which it is found again. */
function tableRules(channels: readonly InspectedChannel[], canQueue: boolean): ReadonlyMap<string, readonly string[]> {
  const number = queueCount === 1 ? `${inspection.firstQueue}` : `${inspection.firstQueue}-${lastQueue}`
  const targets = { queue: `queue to ${number}`, 'queue-or-pass': `queue flags bypass to ${number}`, drop: 'drop' }
  const rules = channels.flatMap((channel) => {
    const match = `ct mark & ${mask} == ${hex(channelMark(channel.number))}`
    if (!canQueue) return channel.isFailOpen ? [] : [`${match} drop`]
    const verdict = verdictOf(channel)
    const test = `${match} fib daddr type local udp dport ${canaryPort(channel)}`
    return [
      ...(channel.isReady ? [] : [`${test} ${targets['queue-or-pass']}`]),
      ...(verdict === null ? [] : [`${match} ${targets[verdict]}`]),
    ]
  })
  const exempt = ['tcp flags & rst == rst return', 'meta l4proto { icmp, ipv6-icmp } return']
  const noted = (lines: readonly string[]) => lines.map((line) => `${line} comment "${commentOf(line)}"`)
  return new Map([
    ['input', noted(rules)],
    ['forward', noted(rules)],
    ['output', noted([...exempt, ...rules])],
  ])
}

const commentOf = (line: string): string => createHash('sha256').update(line).digest('hex').slice(0, 16)

/** A chain is emptied and filled, never removed: the kernel drops what waits in a queue when a hook goes. */
function tableScript(rules: ReadonlyMap<string, readonly string[]>): string {
  const chains = [...rules].map(
    ([name, lines]) =>
      `  chain ${name} {\n    type filter hook ${name} priority 150; policy accept;\n${lines.map((line) => `    ${line}\n`).join('')}  }\n`,
  )
  return `table ${ownTable}\nflush table ${ownTable}\ntable ${ownTable} {\n${chains.join('')}}\n`
}

/** `nft` is the program after any wrapper, in whose namespace all others run too. */
export function createQueues(nft: readonly string[], isInstalled: (path: string) => boolean = existsSync) {
  const wrapper = nft.slice(0, -1)
  let canQueue: boolean | null = null
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

  async function save(family: Family, tables: readonly string[]): Promise<readonly string[]> {
    const program = `${families[family].prefix}-save`
    if (!tables.includes(`${family} security`) || !isInstalled(program)) return []
    return (await call([...wrapper, program, '-t', 'security'])).stdout.split('\n')
  }

  const ownLines = (lines: readonly string[]): string[] => lines.filter((line) => line.includes(` ${chain}`))
  const isChain = (line: string): boolean => line.startsWith(`:${chain}`)

  async function isXtCurrent(family: Family, channels: readonly InspectedChannel[] | null): Promise<boolean> {
    const lines = await save(family, await listTables())
    const wanted = channels === null ? [] : [...baseLines, ...chainLines(channels, family)]
    return ownLines(lines).toSorted().join('\n') === wanted.toSorted().join('\n') && inOrder(lines, wanted)
  }

  async function isTableCurrent(rules: ReadonlyMap<string, readonly string[]> | null): Promise<boolean> {
    const isThere = (await listTables()).includes(ownTable)
    if (rules === null || !isThere) return rules === null && !isThere
    const { stdout } = await call([...nft, '-j', 'list', 'table', ...ownTable.split(' ')])
    const { nftables = [] } = JSON.parse(stdout || '{}') as { nftables?: readonly { rule?: ShownRule }[] }
    const shown = nftables.flatMap(({ rule }) => (rule ? [`${rule.chain} ${rule.comment ?? ''}`] : []))
    const wanted = [...rules].flatMap(([name, lines]) => lines.map((line) => `${name} ${line.split('"')[1]}`))
    return shown.toSorted().join('\n') === wanted.toSorted().join('\n')
  }

  const wantedOf = (channels: readonly InspectedChannel[], form: QueueForm) => ({
    xt: form === 'iptables' && channels.length > 0 ? channels : null,
    rules: form === 'iptables' || channels.length === 0 ? null : tableRules(channels, form === 'nftables'),
  })

  async function isCurrent(channels: readonly InspectedChannel[]): Promise<boolean> {
    const form = await findForm()
    const { xt, rules } = wantedOf(channels, fault === null ? form : 'none')
    if (!(await isTableCurrent(rules))) return false
    for (const family of familyNames) if (!(await isXtCurrent(family, xt))) return false
    return true
  }

  async function applyXt(family: Family, channels: readonly InspectedChannel[] | null): Promise<void> {
    const lines = await save(family, await listTables())
    const bases = ownLines(lines).filter((line) => !line.startsWith(`-A ${chain}`))
    const old = bases.filter((line) => channels === null || !baseLines.includes(line) || isRepeated(bases, line))
    const kept = new Set(bases.filter((line) => !old.includes(line)))
    if (channels === null && old.length === 0 && !lines.some(isChain)) return
    const script = [
      ...['*security', `:${chain} - [0:0]`, `:${outputChain} - [0:0]`],
      ...old.map((line) => line.replace(/^-A/, '-D')),
      ...(channels === null ? [`-X ${outputChain}`, `-X ${chain}`] : chainLines(channels, family)),
      ...(channels === null ? [] : baseLines.filter((line) => !kept.has(line))),
      ...['COMMIT', ''],
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

  async function applyTable(rules: ReadonlyMap<string, readonly string[]> | null): Promise<void> {
    if (await isTableCurrent(rules)) return
    await change([...nft, '-f', '-'], rules ? tableScript(rules) : `delete table ${ownTable}\n`)
  }

  /** What must not pass is dropped until iptables has its rules, so a way that fails leaves nothing open. */
  async function apply(channels: readonly InspectedChannel[]): Promise<void> {
    const form = await findForm()
    const { xt, rules } = wantedOf(channels, form)
    try {
      fault = null
      if (form !== 'none') for (const family of familyNames) await applyXt(family, xt)
    } catch (cause) {
      if (xt === null) throw cause
      fault = oneLine(String(cause instanceof Error ? cause.message : cause))
    }
    await applyTable(fault === null ? rules : wantedOf(channels, 'none').rules)
  }

  async function ensure(channels: readonly InspectedChannel[]): Promise<void> {
    if (!(await isCurrent(channels))) await apply(channels)
  }

  /** How packets come to the engine, and why they do not. */
  const observe = async (): Promise<{ form: QueueForm; fault: string | null }> => ({ form: await findForm(), fault })

  return { isCurrent, apply, ensure, observe }
}

interface ShownRule {
  readonly chain?: string
  readonly comment?: string
}

const isRepeated = (lines: readonly string[], line: string): boolean => lines.filter((one) => one === line).length > 1

/** The rules of a chain stand in the order that is wanted. */
function inOrder(lines: readonly string[], wanted: readonly string[]): boolean {
  const ofChain = (all: readonly string[]) => all.filter((line) => line.startsWith(`-A ${chain} `))
  return ofChain(lines).join('\n') === ofChain(wanted).join('\n')
}
