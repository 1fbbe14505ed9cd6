// The rules that lead packets of inspected connections to the queues of the engine, in the words of nftables and of iptables. Texts
// only; queues.ts brings them into the kernel.

import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { channelMark, type InspectedChannel, inspection } from '../../../core/plan/inspection-marks.ts'

export const queueCount = Math.min(inspection.mostQueues, availableParallelism())
const queuesFrom = (first: number): readonly number[] => Array.from({ length: queueCount }, (_, index) => first + index)
/** Queues that the engine reads: of channels that may pass without it, and, while there are any, of those that may not. */
export const openQueues = queuesFrom(inspection.firstQueue)
export const closedQueues = queuesFrom(inspection.firstClosedQueue)
export const ownTable = 'inet portcullis_inspection'
const [mask, wholeMask] = [hex(inspection.channelMask | inspection.doneBit), hex(inspection.channelMask)]
export const [chain, outputChain] = ['PC_INSPECT', 'PC_INSPECT_OUT'] as const
export const families = {
  ip: { prefix: '/usr/sbin/iptables-nft', loopback: '127.0.0.0/8', control: 'icmp' },
  ip6: { prefix: '/usr/sbin/ip6tables-nft', loopback: '::1/128', control: 'ipv6-icmp' },
} as const
export type Family = keyof typeof families
export const familyNames: readonly Family[] = ['ip', 'ip6']

function hex(value: number): string {
  return `0x${value.toString(16)}`
}

type Verdict = 'queue' | 'queue-or-pass' | 'pass' | 'drop'

/**
 * What becomes of packets of a channel. Where they pass without the engine they come to the queue at once: an engine that does not
 * have their rules yet lets them pass too. While that queue is overrun they pass by it. Otherwise they are dropped as long as the test of the
 * channel (see `canaryPort`) does not find it inspected. The test always comes to the queue.
 */
const verdictOf = ({ isReady, isFailOpen }: InspectedChannel, isOverrun: boolean): Verdict =>
  isFailOpen ? (isOverrun ? 'pass' : 'queue-or-pass') : isReady ? 'queue' : 'drop'
/** The first and the last queue of the kind of a channel. */
const queuesOf = ({ isFailOpen }: InspectedChannel): readonly [number, number] => {
  const first = isFailOpen ? inspection.firstQueue : inspection.firstClosedQueue
  return [first, first + queueCount - 1]
}
const canaryPort = ({ number }: InspectedChannel): number => inspection.firstCanaryPort + number

const matchOf = ({ number }: InspectedChannel): string => `-m connmark --mark ${hex(channelMark(number))}/${mask}`

/** Packets of channels that may pass without the engine, by their rules, from lines of iptables-nft-save with counters. */
export function countLines(lines: readonly string[], channels: readonly InspectedChannel[]): number {
  const starts = channels.filter(({ isFailOpen }) => isFailOpen).map((one) => `-A ${chain} ${matchOf(one)} -j `)
  return lines.reduce((sum, line) => {
    const [, packets, rule = ''] = line.match(/^\[(\d+):\d+\] (.*)$/) ?? []
    return starts.some((start) => rule.startsWith(start)) ? sum + Number(packets) : sum
  }, 0)
}

/** Lines as iptables-nft-save writes them. The test of a channel comes to the queue before it is ready: that makes it ready. */
export function chainLines(channels: readonly InspectedChannel[], family: Family, isOverrun = false): string[] {
  const { loopback, control } = families[family]
  const rules = channels.flatMap((channel) => {
    const [first, last] = queuesOf(channel)
    const queue = first === last ? `NFQUEUE --queue-num ${first}` : `NFQUEUE --queue-balance ${first}:${last}`
    const targets = { queue, 'queue-or-pass': `${queue} --queue-bypass`, pass: 'ACCEPT', drop: 'DROP' }
    const match = matchOf(channel)
    const test = `-s ${loopback} -d ${loopback} -p udp -m udp --dport ${canaryPort(channel)} ${match}`
    return [
      `-A ${chain} ${test} -j ${targets['queue-or-pass']}`,
      `-A ${chain} ${match} -j ${targets[verdictOf(channel, isOverrun)]}`,
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

export const baseLines = [
  ...['INPUT', 'FORWARD'].map((base) => `-A ${base} -m connmark ! --mark 0x0/${wholeMask} -j ${chain}`),
  `-A OUTPUT -m connmark ! --mark 0x0/${wholeMask} -j ${outputChain}`,
]

/** Rules of the own table by chain, each with a comment by which it is found again. */
export function tableRules(
  channels: readonly InspectedChannel[],
  canQueue: boolean,
  isOverrun = false,
): ReadonlyMap<string, readonly string[]> {
  const rules = channels.flatMap((channel) => {
    const [first, last] = queuesOf(channel)
    const number = first === last ? `${first}` : `${first}-${last}`
    const bypass = `queue flags bypass to ${number}`
    // Only what can pass uninspected is counted (countRules).
    const targets = {
      queue: `queue to ${number}`,
      'queue-or-pass': `counter ${bypass}`,
      pass: 'counter accept',
      drop: 'drop',
    }
    const match = `ct mark & ${mask} == ${hex(channelMark(channel.number))}`
    if (!canQueue) return channel.isFailOpen ? [] : [`${match} drop`]
    const test = `${match} fib daddr type local udp dport ${canaryPort(channel)}`
    return [`${test} ${bypass}`, `${match} ${targets[verdictOf(channel, isOverrun)]}`]
  })
  const exempt = ['tcp flags & rst == rst return', 'meta l4proto { icmp, ipv6-icmp } return']
  const noted = (lines: readonly string[]) => lines.map((line) => `${line} comment "${commentOf(line)}"`)
  return new Map([
    ['input', noted(rules)],
    ['forward', noted(rules)],
    ['output', noted([...exempt, ...rules])],
  ])
}

/** Packets of the rules that count, from the listing of the own table. */
export const countRules = (listing: string): number =>
  [...listing.matchAll(/"counter":\s*\{\s*"packets":\s*(\d{1,16})/g)].reduce((sum, [, count]) => sum + Number(count), 0)

const commentOf = (line: string): string => createHash('sha256').update(line).digest('hex').slice(0, 16)

/** A chain is emptied and filled, never removed: the kernel drops what waits in a queue when a hook goes. */
export function tableScript(rules: ReadonlyMap<string, readonly string[]>): string {
  const chains = [...rules].map(
    ([name, lines]) =>
      `  chain ${name} {\n    type filter hook ${name} priority 150; policy accept;\n${lines.map((line) => `    ${line}\n`).join('')}  }\n`,
  )
  return `table ${ownTable}\nflush table ${ownTable}\ntable ${ownTable} {\n${chains.join('')}}\n`
}

/** The rules of a chain are in the order that is wanted. */
export function inOrder(lines: readonly string[], wanted: readonly string[]): boolean {
  const ofChain = (all: readonly string[]) => all.filter((line) => line.startsWith(`-A ${chain} `))
  return ofChain(lines).join('\n') === ofChain(wanted).join('\n')
}
