// Sources and destinations of a rule as blocks, which clients of the newer line read and send (decision 42). Replies have both
// forms, so a client that sends back what it read sends both: the one that it changed is meant.

import type { Rule } from './contract-rules.ts'

interface Side {
  readonly block: 'sources' | 'destinations'
  readonly addresses: 'source_addresses' | 'destination_addresses'
  readonly negate: 'source_addresses_negate' | 'destination_addresses_negate'
}

const sides: readonly Side[] = [
  { block: 'sources', addresses: 'source_addresses', negate: 'source_addresses_negate' },
  { block: 'destinations', addresses: 'destination_addresses', negate: 'destination_addresses_negate' },
]

const blockOf = (rule: Rule, { addresses, negate }: Side) => [
  { addresses: rule[addresses], addresses_negate: rule[negate] },
]

export const withBlocks = (rule: Rule): Rule & Readonly<Record<Side['block'], ReturnType<typeof blockOf>>> => ({
  ...rule,
  ...(Object.fromEntries(sides.map((side) => [side.block, blockOf(rule, side)])) as Record<
    Side['block'],
    ReturnType<typeof blockOf>
  >),
})

type Body = Readonly<Record<string, unknown>>

/** The body with one form of each side, where it is clear which one is meant; `current` is the rule that is changed. */
export const inOneForm = (body: object, current: Rule | undefined): object =>
  sides.reduce<Body>((rest, side) => chosen(rest, side, current), { ...body })

function chosen(body: Body, side: Side, current: Rule | undefined): Body {
  const { [side.block]: blocks, ...fields } = body
  if (!Array.isArray(blocks) || blocks.length !== 1 || !(side.addresses in body || side.negate in body)) return body
  const [block] = blocks as readonly { readonly addresses: unknown; readonly addresses_negate?: unknown }[]
  const key = (addresses: unknown, isNegated: unknown): string => JSON.stringify([addresses, isNegated ?? false])
  const inBlock = key(block?.addresses, block?.addresses_negate)
  const inFields = key(body[side.addresses] ?? current?.[side.addresses], body[side.negate] ?? current?.[side.negate])
  const now = current && key(current[side.addresses], current[side.negate])
  if (inBlock === inFields || inBlock === now) return fields
  if (inFields !== now) return body
  const { [side.addresses]: _addresses, [side.negate]: _negate, ...others } = body
  return others
}
