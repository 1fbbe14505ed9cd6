// The messages of the kernel's netlink interface to nftables: writes requests, reads replies. Numbers of the header are in
// the order of this machine, which must be little-endian, those of nftables in network order (linux/netlink.h,
// linux/netfilter/nfnetlink.h, linux/netfilter/nf_tables.h). Pure.

const families: Readonly<Record<string, number>> = { inet: 1, ip: 2, arp: 3, netdev: 5, bridge: 7, ip6: 10 }
const subsystem = 10
const versionZero = 0

export const messages = {
  newTable: 0,
  getTable: 1,
  newChain: 3,
  getChain: 4,
  newRule: 6,
  getRule: 7,
  newSetElements: 12,
  getSetElements: 13,
  deleteSetElements: 14,
  newGeneration: 15,
  getGeneration: 16,
} as const
export type MessageName = keyof typeof messages

export const flags = { request: 0x1, acknowledge: 0x4, dump: 0x300, create: 0x400 } as const
const dumpInterrupted = 0x10

const types = { error: 2, done: 3, batchBegin: 16, batchEnd: 17 } as const

/** Numbers of attributes. */
const attributes = {
  tableName: 1,
  chain: { table: 1, name: 3, hook: 4, policy: 5, type: 7 },
  rule: { table: 1, chain: 2, expressions: 4, userData: 7 },
  expression: { name: 1, data: 2 },
  counter: { bytes: 1, packets: 2 },
  generation: 1,
  batchGeneration: 1,
} as const

const headerLength = 16
const familyLength = 4
const align = (length: number): number => (length + 3) & ~3

/** `inet portcullis` as the kernel names it. */
export function tableOf(table: string): { readonly family: number; readonly name: string } {
  const [family = '', name = ''] = table.split(' ')
  const number = families[family]
  if (number === undefined) throw new Error(`There is no family ${family} of nftables.`)
  return { family: number, name }
}

export function attribute(type: number, payload: Buffer, isNested = false): Buffer {
  const bytes = Buffer.alloc(align(4 + payload.length))
  bytes.writeUInt16LE(4 + payload.length, 0)
  bytes.writeUInt16LE(isNested ? type | 0x8000 : type, 2)
  payload.copy(bytes, 4)
  return bytes
}

export const nested = (type: number, ...parts: readonly Buffer[]): Buffer => attribute(type, Buffer.concat(parts), true)
export const textAttribute = (type: number, text: string): Buffer => attribute(type, Buffer.from(`${text}\0`))

export function numberAttribute(type: number, value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return attribute(type, bytes)
}

/** One message; `family` 0 for those that belong to no table. */
export function message(
  name: MessageName,
  family: number,
  flagBits: number,
  sequence: number,
  ...parts: readonly Buffer[]
): Buffer {
  return envelope((subsystem << 8) | messages[name], family, 0, flagBits | flags.request, sequence, parts)
}

/** One message of any subsystem of netfilter. */
export function envelope(
  type: number,
  family: number,
  resource: number,
  flagBits: number,
  sequence: number,
  parts: readonly Buffer[],
): Buffer {
  const head = Buffer.alloc(headerLength + familyLength)
  head.writeUInt32LE(
    parts.reduce((sum, { length }) => sum + length, head.length),
    0,
  )
  head.writeUInt16LE(type, 4)
  head.writeUInt16LE(flagBits, 6)
  head.writeUInt32LE(sequence, 8)
  head.writeUInt8(family, headerLength)
  head.writeUInt8(versionZero, headerLength + 1)
  head.writeUInt16BE(resource, headerLength + 2)
  return Buffer.concat([head, ...parts])
}

/**
 * One transaction. The kernel refuses it when the generation is not this one; null: it does not look. The last of the
 * messages is answered after the commit; refused ones are always answered.
 */
export function batch(
  generation: number | null,
  sequence: number,
  inner: readonly Buffer[],
  endSequence: number,
): Buffer {
  const guard = generation === null ? [] : [numberAttribute(attributes.batchGeneration, generation)]
  const last = inner.at(-1)
  last?.writeUInt16LE(last.readUInt16LE(6) | flags.acknowledge, 6)
  return Buffer.concat([
    envelope(types.batchBegin, 0, subsystem, flags.request, sequence, guard),
    ...inner,
    envelope(types.batchEnd, 0, subsystem, flags.request, endSequence, []),
  ])
}

export interface Reply {
  readonly sequence: number
  /** `data` has a body; `done` ends a dump; `error` answers a request, with 0 when all is well. */
  readonly kind: 'data' | 'done' | 'error'
  /** Negative, as the kernel has it. */
  readonly error: number
  readonly isInterrupted: boolean
  readonly body: Buffer
}

/** The messages of one datagram. */
export function* parseReplies(bytes: Buffer): Generator<Reply> {
  for (let at = 0; at + headerLength <= bytes.length; ) {
    const length = bytes.readUInt32LE(at)
    if (length < headerLength || at + length > bytes.length)
      throw new Error('The kernel sent a message that is cut off.')
    const type = bytes.readUInt16LE(at + 4)
    const kind = type === types.error ? 'error' : type === types.done ? 'done' : 'data'
    yield {
      sequence: bytes.readUInt32LE(at + 8),
      kind,
      error: kind !== 'data' && length >= headerLength + 4 ? bytes.readInt32LE(at + headerLength) : 0,
      isInterrupted: (bytes.readUInt16LE(at + 6) & dumpInterrupted) !== 0,
      body: bytes.subarray(at + headerLength + familyLength, at + length),
    }
    at += align(length)
  }
}

function* attributesOf(bytes: Buffer): Generator<readonly [type: number, payload: Buffer]> {
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt16LE(at)
    if (length < 4 || at + length > bytes.length) throw new Error('The kernel sent an attribute that is cut off.')
    yield [bytes.readUInt16LE(at + 2) & 0x3fff, bytes.subarray(at + 4, at + length)]
    at += align(length)
  }
}

const find = (bytes: Buffer, type: number): Buffer | undefined => {
  for (const [found, payload] of attributesOf(bytes)) if (found === type) return payload
  return undefined
}

const textOf = (bytes: Buffer | undefined): string => {
  const text = bytes?.toString('utf8') ?? ''
  return text.endsWith('\0') ? text.slice(0, -1) : text
}

export const tableFilter = (name: string): Buffer => textAttribute(attributes.tableName, name)

/** A dump of rules can be limited to one chain. */
export const ruleFilter = (table: string, chain: string | null): readonly Buffer[] => [
  textAttribute(attributes.rule.table, table),
  ...(chain === null ? [] : [textAttribute(attributes.rule.chain, chain)]),
]

export const parseGeneration = (body: Buffer): number => find(body, attributes.generation)?.readUInt32BE(0) ?? 0

/** Hooks by number, for the families that have their own numbers. */
const hooks: Readonly<Record<number, readonly string[]>> = {
  1: ['prerouting', 'input', 'forward', 'output', 'postrouting', 'ingress'],
  3: ['input', 'output', 'forward'],
  5: ['ingress', 'egress'],
}
const policies = ['drop', 'accept']

/** `name type hook policy`, as in a listing; null when the chain belongs to another table. */
export function parseChain(body: Buffer, table: string): string | null {
  const { family, name } = tableOf(table)
  const { chain } = attributes
  if (textOf(find(body, chain.table)) !== name) return null
  const hook = find(body, chain.hook)
  if (!hook) return `${textOf(find(body, chain.name))} `
  const number = find(hook, 1)?.readUInt32BE(0) ?? 0
  const hookName = (hooks[family] ?? hooks[1])?.[number] ?? String(number)
  const policy = policies[find(body, chain.policy)?.readUInt32BE(0) ?? 1]
  return `${textOf(find(body, chain.name))} ${textOf(find(body, chain.type))} ${hookName} ${policy}`
}

/** Where the payload of an attribute begins and ends among others; null when it is not there. No copies: rules are many. */
export function locate(
  bytes: Buffer,
  type: number,
  from: number,
  to: number,
): readonly [from: number, to: number] | null {
  for (let at = from; at + 4 <= to; ) {
    const length = bytes.readUInt16LE(at)
    if (length < 4 || at + length > to) throw new Error('The kernel sent an attribute that is cut off.')
    if ((bytes.readUInt16LE(at + 2) & 0x3fff) === type) return [at + 4, at + length]
    at += align(length)
  }
  return null
}

/** What rules counted, by their comments. */
export type Counts = Map<string, { readonly packets: number; readonly bytes: number }>

export function addCounts(counts: Counts, more: Counts | null): void {
  for (const [origin, { packets, bytes }] of more ?? []) {
    const before = counts.get(origin)
    counts.set(origin, { packets: (before?.packets ?? 0) + packets, bytes: (before?.bytes ?? 0) + bytes })
  }
}

/** Adds what a rule with a comment counted. */
export function addRuleCount(counts: Counts, body: Buffer): void {
  const data = locate(body, attributes.rule.userData, 0, body.length)
  const origin = data ? commentOf(body, ...data) : ''
  if (origin === '') return
  const expressions = locate(body, attributes.rule.expressions, 0, body.length)
  const { packets, bytes } = expressions ? counterOf(body, ...expressions) : noCount
  const before = counts.get(origin)
  counts.set(origin, { packets: (before?.packets ?? 0) + packets, bytes: (before?.bytes ?? 0) + bytes })
}

const noCount = { packets: 0, bytes: 0 }

/** The user data are pairs of a type, a length and bytes; the comment is type 0 (libnftnl/udata.h). */
function commentOf(bytes: Buffer, from: number, to: number): string {
  for (let at = from; at + 2 <= to; ) {
    const end = at + 2 + bytes.readUInt8(at + 1)
    if (bytes.readUInt8(at) === 0 && end <= to) return textOf(bytes.subarray(at + 2, end))
    at = end
  }
  return ''
}

const counterName = Buffer.from('counter\0')

/** The first counter of the rule. */
function counterOf(bytes: Buffer, from: number, to: number): { packets: number; bytes: number } {
  for (let at = from; at + 4 <= to; at += align(bytes.readUInt16LE(at))) {
    const end = at + bytes.readUInt16LE(at)
    if (end < at + 4 || end > to) throw new Error('The kernel sent an expression that is cut off.')
    const name = locate(bytes, attributes.expression.name, at + 4, end)
    if (!name || counterName.compare(bytes, ...name) !== 0) continue
    const data = locate(bytes, attributes.expression.data, at + 4, end)
    const number = (type: number): number => {
      const found = data && locate(bytes, type, ...data)
      return found ? bytes.readUInt32BE(found[0]) * 2 ** 32 + bytes.readUInt32BE(found[0] + 4) : 0
    }
    return { packets: number(attributes.counter.packets), bytes: number(attributes.counter.bytes) }
  }
  return noCount
}
