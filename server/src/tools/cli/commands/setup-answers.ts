// The answers that gw setup needs, one for each of its options: what each may be, what is proposed, and the call that they become.
// An answer is kept as text until all are there, because each is judged beside those before it. Pure.

import type { FirstSetup } from '../../../areas/network/contract.ts'
import { addressProblems, gatewayProblems } from '../../../areas/network/rules.ts'
import { parseAddress, parseNetwork, parseSpan, printAddress } from '../../../shared/net/ipv4.ts'
import type { Card, Machine } from './setup-machine.ts'

export const setupOptions = [
  'outside',
  'outside-address',
  'gateway',
  'dns',
  'inside',
  'inside-address',
  'dhcp-range',
] as const
export type SetupOption = (typeof setupOptions)[number]
export type Answers = Readonly<Partial<Record<SetupOption, string>>>

interface Question {
  readonly option: SetupOption
  readonly words: string
  /** Null: there is nothing to propose. */
  readonly proposal: (machine: Machine, answers: Answers) => string | null
  readonly faultOf: (text: string, machine: Machine, answers: Answers) => string | null
  readonly isAsked?: (answers: Answers) => boolean
  /** What it is when it is neither given nor asked; without it the option is needed. */
  readonly otherwise?: string
}

const none = 'none'
const dhcp = 'dhcp'
/** A range of the DHCP server has no more. */
const mostLeases = 256

const isDhcp = (answers: Answers): boolean => answers['outside-address'] === dhcp

export const questions: readonly Question[] = [
  {
    option: 'outside',
    words: 'Which card leads to the provider (outside)?',
    proposal: ({ cards }) =>
      (
        cards.find(({ gateway }) => gateway !== null) ??
        cards.find(({ hasCarrier, addresses }) => hasCarrier && addresses.length === 0) ??
        cards[0]
      )?.name ?? null,
    faultOf: (text, machine) => cardFault(text, machine),
  },
  {
    option: 'outside-address',
    words: 'Its address with prefix, or dhcp',
    proposal: (machine, { outside }) => {
      const card = findCard(machine, outside)
      return card?.isDynamic ? dhcp : (card?.addresses[0] ?? dhcp)
    },
    faultOf: (text) => (text === dhcp ? null : addressFault(text, 'or dhcp')),
  },
  {
    option: 'gateway',
    words: 'The gateway of the provider, or none',
    isAsked: (answers) => !isDhcp(answers),
    proposal: (machine, answers) => {
      const address = answers['outside-address'] ?? ''
      const now = findCard(machine, answers.outside)?.gateway ?? null
      if (now !== null && gatewayFault(now, address) === null) return now
      const network = parseNetwork(address)
      const first = network ? printAddress(network.low + 1) : ''
      return gatewayFault(first, address) === null ? first : none
    },
    faultOf: (text, _, answers) => {
      if (isDhcp(answers)) return text === none ? null : 'With dhcp the provider names the gateway.'
      return text === none ? null : gatewayFault(text, answers['outside-address'] ?? '')
    },
  },
  {
    option: 'dns',
    words: 'DNS servers of the provider (at most two, with commas), or none',
    otherwise: none,
    proposal: ({ dns }) => (dns.length > 0 ? dns.join(',') : none),
    faultOf: (text) => {
      const servers = serversIn(text)
      const wrong = servers.find((server) => parseAddress(server) === null)
      if (wrong !== undefined) return `"${wrong}" is not an IPv4 address.`
      if (new Set(servers).size < servers.length) return 'Duplicate entry.'
      return servers.length > 2 ? 'At most two servers can be given.' : null
    },
  },
  {
    option: 'inside',
    words: 'Which card leads to the local network (inside)?',
    proposal: ({ cards }, { outside }) => {
      const others = cards.filter(({ name }) => name !== outside)
      return (others.find(({ addresses }) => addresses.length > 0) ?? others[0])?.name ?? null
    },
    faultOf: (text, machine, { outside }) =>
      text === outside ? 'This card is the outside one. The two must be different.' : cardFault(text, machine),
  },
  {
    option: 'inside-address',
    words: 'Its address with prefix',
    proposal: (machine, answers) => {
      const own = findCard(machine, answers.inside)?.addresses ?? []
      const usual = ['192.168.1.1/24', '192.168.100.1/24', '10.10.0.1/24']
      return [...own, ...usual].find((address) => insideFault(address, answers) === null) ?? null
    },
    faultOf: (text, _, answers) => insideFault(text, answers),
  },
  {
    option: 'dhcp-range',
    words: 'Addresses to lease there by DHCP (first-last), or none to leave DHCP as it is',
    otherwise: none,
    proposal: () => none,
    faultOf: (text, _, answers) => (text === none ? null : rangeFault(text, answers['inside-address'] ?? '')),
  },
]

const findCard = ({ cards }: Machine, name: string | undefined): Card | undefined =>
  cards.find((card) => card.name === name)

const cardFault = (text: string, machine: Machine): string | null =>
  findCard(machine, text)
    ? null
    : `There is no card "${text}". Cards: ${machine.cards.map(({ name }) => name).join(', ')}.`

function addressFault(text: string, orElse = ''): string | null {
  const form = ['an IPv4 address with the prefix of its network, such as 192.0.2.1/24', orElse].filter(Boolean)
  if (!/^[\d.]+\/(?:[1-9]|[12]\d|3[0-2])$/.test(text) || parseNetwork(text) === null)
    return `Must be ${form.join(', ')}, not "${text}".`
  return addressProblems({ addresses: [text] })[0]?.message ?? null
}

function gatewayFault(text: string, address: string): string | null {
  if (parseAddress(text) === null) return `Must be an IPv4 address or none, not "${text}".`
  return gatewayProblems({ addresses: [address], gateway: text })[0]?.message ?? null
}

function insideFault(text: string, answers: Answers): string | null {
  const fault = addressFault(text)
  const own = parseNetwork(text)
  const outside = parseNetwork(answers['outside-address'] ?? '')
  if (fault !== null || own === null || outside === null) return fault
  return own.low <= outside.high && outside.low <= own.high
    ? `Its network overlaps with ${answers['outside-address']} outside.`
    : null
}

function rangeFault(text: string, address: string): string | null {
  const span = parseSpan(text)
  const network = parseNetwork(address)
  if (!/^[\d.]+-[\d.]+$/.test(text) || span === null)
    return `Must be a range such as 192.168.1.100-192.168.1.199, or none, not "${text}".`
  const [first, last] = span
  if (last - first >= mostLeases) return `A range holds at most ${mostLeases} addresses.`
  return network && first > network.low && last < network.high ? null : `Is not inside the network of ${address}.`
}

const serversIn = (text: string): string[] =>
  text === none || text === '' ? [] : text.split(',').map((one) => one.trim())

export interface Fault {
  readonly option: SetupOption
  readonly message: string
}

/** An answer that can only be judged beside another one. */
const dependsOn: Readonly<Partial<Record<SetupOption, SetupOption>>> = {
  gateway: 'outside-address',
  'dhcp-range': 'inside-address',
}

/** What is missing or wrong, in the order of the questions; what depends on a wrong answer is left out. */
export function faultsOf(given: Answers, machine: Machine): Fault[] {
  const faults: Fault[] = []
  let good: Answers = {}
  for (const { option, faultOf, isAsked, otherwise } of questions) {
    const text = given[option]
    const isOpen = faults.some((fault) => fault.option === dependsOn[option])
    if (isOpen || (text === undefined && (otherwise !== undefined || isAsked?.(good) === false))) continue
    const message = text === undefined ? 'This option is missing.' : faultOf(text, machine, good)
    if (message !== null) faults.push({ option, message })
    else good = { ...good, [option]: text }
  }
  return faults
}

/** `keptPort` stays open from outside; null: none. */
export function bodyOf(answers: Answers, machine: Machine, keptPort: number | null): FirstSetup {
  const gateway = answers.gateway ?? none
  return {
    outside: {
      mac: findCard(machine, answers.outside)?.mac ?? '',
      enable_dhcp: isDhcp(answers),
      addresses: isDhcp(answers) ? [] : [answers['outside-address'] ?? ''],
      gateway: isDhcp(answers) || gateway === none ? null : gateway,
      dns: serversIn(answers.dns ?? none),
    },
    inside: { mac: findCard(machine, answers.inside)?.mac ?? '', addresses: [answers['inside-address'] ?? ''] },
    keep_ssh_port: keptPort,
  }
}

/** The port of SSH that the administrator is connected through, where that is over the card outside; null otherwise. */
export function portFromOutside(answers: Answers, machine: Machine): number | null {
  const card = cardOfConnection(machine)
  return card !== null && card.name === answers.outside ? (machine.connection?.port ?? null) : null
}

export const rangeOf = (answers: Answers): string | null => {
  const range = answers['dhcp-range'] ?? none
  return range === none ? null : range
}

/** The option that a field of the call came from. */
export function optionOf(field: string): SetupOption | null {
  if (field === 'outside.mac') return 'outside'
  if (field === 'inside.mac') return 'inside'
  if (field.startsWith('outside.gateway')) return 'gateway'
  if (field.startsWith('outside.dns')) return 'dns'
  if (field.startsWith('outside.')) return 'outside-address'
  if (field.startsWith('inside.')) return 'inside-address'
  return field.startsWith('server.ranges') ? 'dhcp-range' : null
}

/** The card that the administrator is connected over; null on the console, or when it is none of these. */
export function cardOfConnection({ cards, connection }: Machine): Card | null {
  const to = connection?.to
  if (to === undefined) return null
  return (
    cards.find(({ addresses, addresses6 }) =>
      [...addresses, ...addresses6].some((address) => address.split('/')[0] === to),
    ) ?? null
  )
}
