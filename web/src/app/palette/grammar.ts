// What was typed into the palette, as a question: an address, a packet, a rule, something to block, a revision, or words. Pure.

import { parseAddress, parseNetwork } from '@gateway/server/net/ipv4'

export type Question =
  | { readonly kind: 'address'; readonly address: string; readonly isNetwork: boolean }
  | {
      readonly kind: 'trace'
      readonly protocol: string | null
      readonly source: string
      readonly destination: string
      readonly port: number | null
    }
  | { readonly kind: 'rule'; readonly table: RuleTable | null; readonly id: number }
  | { readonly kind: 'block' | 'allow'; readonly address: string }
  | { readonly kind: 'put-back'; readonly revision: number }
  | { readonly kind: 'revision'; readonly revision: number }
  | { readonly kind: 'words'; readonly words: readonly string[] }

export const ruleTables = ['forward', 'input', 'dnat', 'snat', 'log'] as const
export type RuleTable = (typeof ruleTables)[number]

const isAddress = (text: string): boolean => parseAddress(text) !== null
const isNetwork = (text: string): boolean => parseNetwork(text) !== null
const isName = (text: string): boolean =>
  /^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)+\.?$/i.test(text) && /[a-z]/i.test(text)
const isHost = (text: string): boolean => isAddress(text) || isName(text)

const arrow = /\s*(?:->|=>|→|➜|➔)\s*/
const protocolForm = /^(tcp|udp|icmp|gre|esp|sctp)\s+/i

/** `10.1.2.3:443` as both parts; a port that cannot be one makes the whole no address. */
function hostAndPort(text: string): { host: string; port: number | null } | null {
  const [, host = '', portText] = /^([^:\s]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (!isHost(host)) return null
  const port = portText === undefined ? null : Number(portText)
  if (port !== null && (port < 1 || port > 65_535)) return null
  return { host, port }
}

function readTrace(text: string): Question | null {
  const [, protocol = null] = protocolForm.exec(text) ?? []
  const [from = '', to, ...rest] = text.replace(protocolForm, '').split(arrow)
  if (to === undefined || rest.length > 0) return null
  const source = hostAndPort(from.trim())
  const destination = hostAndPort(to.trim())
  if (!source || !destination || !isAddress(source.host)) return null
  return {
    kind: 'trace',
    protocol: protocol === null ? null : protocol.toLowerCase(),
    source: source.host,
    destination: destination.host,
    port: destination.port,
  }
}

const ruleForm =
  /^(?:(?:rule|правило)\s+)?(?:(forward|input|dnat|snat|log|fwd|inp)\s+)?(?:(?:rule|правило)\s+)?#?(\d{1,9})$/i
const tableWords: Readonly<Record<string, RuleTable>> = { fwd: 'forward', inp: 'input' }

function readRule(text: string): Question | null {
  const [whole, word, digits] = ruleForm.exec(text) ?? []
  if (whole === undefined || digits === undefined || /^#?\d+$/.test(text)) return null
  const lower = word?.toLowerCase() ?? null
  const table = lower === null ? null : (tableWords[lower] ?? ruleTables.find((name) => name === lower) ?? null)
  return { kind: 'rule', table, id: Number(digits) }
}

const blockForm = /^(?:block|drop|deny|заблокировать|блокировать|запретить)\s+(\S+)$/i
const allowForm = /^(?:allow|accept|permit|разрешить)\s+(\S+)$/i
const putBackForm =
  /^(?:put\s+back|revert|roll\s*back|вернуть|откатить)(?:\s+(?:to|к|до))?(?:\s+(?:revision|ревизии))?\s+#?(\d{1,9})$/i
const revisionForm = /^(?:rev|revision|ревизия)\s+#?(\d{1,9})$/i

export function readQuestion(typed: string): Question {
  const text = typed.trim().replace(/\s+/g, ' ')
  const bare = text.replace(/\/$/, '')
  if (isAddress(bare)) return { kind: 'address', address: bare, isNetwork: false }
  if (isNetwork(bare)) return { kind: 'address', address: bare, isNetwork: true }
  const trace = readTrace(text)
  if (trace) return trace
  for (const [kind, form] of [
    ['block', blockForm],
    ['allow', allowForm],
  ] as const) {
    const address = form.exec(text)?.[1]
    if (address !== undefined && (isAddress(address) || isNetwork(address))) return { kind, address }
  }
  const putBack = putBackForm.exec(text)?.[1]
  if (putBack !== undefined) return { kind: 'put-back', revision: Number(putBack) }
  const revision = revisionForm.exec(text)?.[1]
  if (revision !== undefined) return { kind: 'revision', revision: Number(revision) }
  return readRule(text) ?? { kind: 'words', words: text.toLowerCase().split(' ').filter(Boolean) }
}
