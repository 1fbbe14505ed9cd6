// Server-sent events, read from the bytes of a reply (HTML standard, 9.2.6).

export interface ServerEvent {
  readonly event: string
  /** Of the last event that had one. */
  readonly id: string
  readonly data: string
}

export async function* eventsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let text = ''
  let id = ''
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split('\n').map(fieldOf)
      const lastOf = (name: string): string | undefined => fields.findLast((field) => field.name === name)?.value
      id = lastOf('id') ?? id
      const data = fields.filter(({ name }) => name === 'data').map(({ value }) => value)
      if (data.length > 0) yield { event: lastOf('event') ?? 'message', id, data: data.join('\n') }
    }
  }
}

function fieldOf(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':')
  if (colon < 0) return { name: line, value: '' }
  return { name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, '') }
}
