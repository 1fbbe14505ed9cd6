// Connections on their way from a worker: a line each, because thirty thousand objects would hold the event loop for longer than
// their text, which is taken apart a little at a time.

import { Handed } from './tasks.ts'

export interface ConnectionLine {
  readonly protocol: 'tcp' | 'udp'
  readonly source: string
  readonly sourcePort: number
  readonly destination: string
  readonly destinationPort: number
  /** Origin of what refuses it; null when it is not a rule. */
  readonly rule: string | null
  /** `user.id.<n>` at its source. */
  readonly user: string | null
}

export interface ConnectionCounts {
  /** All of them, also those that are not listed. */
  readonly total: number
  /** Others that are refused and have no ports, such as ICMP. */
  readonly withoutPorts: number
}

/** Stands for what is absent; no name of a rule or user is empty. */
const absent = ''

export function encodeConnections(
  { total, withoutPorts }: ConnectionCounts,
  lines: readonly ConnectionLine[],
): Handed<Uint8Array> {
  const text = lines.map(({ protocol, source, sourcePort, destination, destinationPort, rule, user }) =>
    [protocol, source, sourcePort, destination, destinationPort, rule ?? absent, user ?? absent].join('\t'),
  )
  const bytes = new TextEncoder().encode([`${total}\t${withoutPorts}`, ...text].join('\n'))
  return new Handed(bytes, [bytes.buffer])
}

export function decodeConnections(bytes: Uint8Array): ConnectionCounts & { readonly lines: Iterable<ConnectionLine> } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  const head = lineAt(text, 0)
  const [total = 0, withoutPorts = 0] = head.split('\t').map(Number)
  return { total, withoutPorts, lines: linesFrom(text, head.length + 1) }
}

function* linesFrom(text: string, start: number): Generator<ConnectionLine> {
  for (let at = start; at < text.length; ) {
    const line = lineAt(text, at)
    at += line.length + 1
    const [protocol, source = '', sourcePort, destination = '', destinationPort, rule, user] = line.split('\t')
    yield {
      protocol: protocol === 'udp' ? 'udp' : 'tcp',
      source,
      sourcePort: Number(sourcePort),
      destination,
      destinationPort: Number(destinationPort),
      rule: rule || null,
      user: user || null,
    }
  }
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf('\n', at)
  return text.slice(at, end < 0 ? text.length : end)
}
