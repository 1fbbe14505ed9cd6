// The same as live-messages.ts for the nft program: scripts that change sets of hosts, and its JSON listing of them. Pure.

import type { ScriptLine } from '../nft-script.ts'
import {
  type KeyPart,
  type LiveSetChange,
  type LiveValue,
  type PackedElements,
  packElements,
  printElement,
  printKey,
  unpackElements,
} from './live-elements.ts'

/** What is to be removed or set is first added: then it is there, whatever was before, and can be removed. */
export function liveScript(table: string, changes: readonly LiveSetChange[]): ScriptLine[] {
  return changes.flatMap(({ set, add, remove, isExact }) => {
    const [added, removed] = [unpackElements(add), unpackElements(remove)]
    const touched = isExact ? removed : [...removed, ...added]
    const keys = touched.map(({ key }) => printKey(add.parts, key))
    const command = (verb: 'add' | 'delete', elements: readonly (string | null)[]): ScriptLine[] =>
      elements.length === 0
        ? []
        : [
            `${verb} element ${table} ${set} {`,
            ...elements.flatMap((element) => (element === null ? [] : [`${element},`])),
            '}',
          ].map((text) => ({
            text,
            field: set,
          }))
    return [
      ...(isExact ? [] : command('add', keys)),
      ...command('delete', keys),
      ...command(
        'add',
        added.map((value) => printElement(add.parts, value)),
      ),
    ]
  })
}

type Listed = string | { readonly concat: readonly string[] }
type ListedElement =
  | Listed
  | { readonly elem: { readonly val: Listed; readonly timeout?: number; readonly expires?: number } }
interface ListedSet {
  readonly table: string
  readonly name: string
  readonly elem?: readonly ListedElement[]
}

/** The sets of a listing that were asked for. It has whole seconds only; null: it lists nothing. */
export function parseLiveListing(
  text: string | null,
  table: string,
  sets: ReadonlyMap<string, readonly KeyPart[]>,
): Map<string, PackedElements> {
  const objects = (JSON.parse(text ?? '{"nftables":[]}') as { nftables: { set?: ListedSet }[] }).nftables
  const found = new Map<string, PackedElements>()
  for (const { set } of objects) {
    const parts = set?.table === table ? sets.get(set.name) : undefined
    if (!set || !parts) continue
    const values = (set.elem ?? []).map(toValue).filter(({ key }) => key.length === parts.length)
    found.set(set.name, packElements(parts, values))
  }
  return found
}

function toValue(element: ListedElement): LiveValue {
  const { val, timeout, expires } = typeof element === 'object' && 'elem' in element ? element.elem : { val: element }
  return {
    key: typeof val === 'string' ? [val] : val.concat,
    timeoutMs: timeout === undefined ? null : timeout * 1000,
    // What has less than a second left is still there.
    leftMs: expires === undefined ? null : Math.max(expires * 1000, 1),
  }
}
