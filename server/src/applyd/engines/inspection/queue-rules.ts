// The rules that lead packets of inspected connections to the queues of the engine, in the words of nftables and of iptables. Texts
// only; queues.ts brings them into the kernel.

import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { channelMark, type InspectedChannel, inspection } from '../../../plan/inspection.ts'

export const queueCount = Math.min(inspection.mostQueues, availableParallelism())
export const ownTable = 'inet portcullis_inspection'
const lastQueue = inspection.firstQueue + queueCount - 1
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

/**
 * What becomes of packets of a channel. Where they pass without the engine they come to the queue at once: an engine that does not
 * have their rules yet lets them pass too. Otherwise they are dropped until its test (see `canaryPort`) was seen to work.
 */
const verdictOf = ({ isReady, isFailOpen }: InspectedChannel): 'queue' | 'queue-or-pass' | 'drop' =>
  isFailOpen ? 'queue-or-pass' : isReady ? 'queue' : 'drop'
/** Only the test of a channel that is dropped needs a way of its own. */
const isClosed = (channel: InspectedChannel): boolean => verdictOf(channel) === 'drop'
const canaryPort = ({ number }: InspectedChannel): number => inspection.firstCanaryPort + number

/** Lines as iptables-nft-save writes them. The test of a channel comes to the queue before it is ready: that makes it ready. */
export function chainLines(channels: readonly InspectedChannel[], family: Family): string[] {
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
      ...(isClosed(channel) ? [`-A ${chain} ${test} -j ${targets['queue-or-pass']}`] : []),
      `-A ${chain} ${match} -j ${targets[verdict]}`,
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
): ReadonlyMap<string, readonly string[]> {
  const number = queueCount === 1 ? `${inspection.firstQueue}` : `${inspection.firstQueue}-${lastQueue}`
  const targets = { queue: `queue to ${number}`, 'queue-or-pass': `queue flags bypass to ${number}`, drop: 'drop' }
  const rules = channels.flatMap((channel) => {
    const match = `ct mark & ${mask} == ${hex(channelMark(channel.number))}`
    if (!canQueue) return channel.isFailOpen ? [] : [`${match} drop`]
    const verdict = verdictOf(channel)
    const test = `${match} fib daddr type local udp dport ${canaryPort(channel)}`
    return [...(isClosed(channel) ? [`${test} ${targets['queue-or-pass']}`] : []), `${match} ${targets[verdict]}`]
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
export function tableScript(rules: ReadonlyMap<string, readonly string[]>): string {
  const chains = [...rules].map(
    ([name, lines]) =>
      `  chain ${name} {\n    type filter hook ${name} priority 150; policy accept;\n${lines.map((line) => `    ${line}\n`).join('')}  }\n`,
  )
  return `table ${ownTable}\nflush table ${ownTable}\ntable ${ownTable} {\n${chains.join('')}}\n`
}

/** The rules of a chain stand in the order that is wanted. */
export function inOrder(lines: readonly string[], wanted: readonly string[]): boolean {
  const ofChain = (all: readonly string[]) => all.filter((line) => line.startsWith(`-A ${chain} `))
  return ofChain(lines).join('\n') === ofChain(wanted).join('\n')
}
