// Areas that fail as soon as they look at a slot they do not declare. The planner and the finder of references keep results
// until a declared slot changes, so an undeclared read means a stale result that no other test would notice.

import type { Config, Slot } from '../../src/core/model/slots.ts'
import type { AreaRules } from '../../src/core/plan/area.ts'

/** The same areas, with every read of the configuration compared with what the area declares. */
export const withRecordedReads = <A extends AreaRules>(areas: readonly A[]): readonly A[] => areas.map(recorded)

function recorded<A extends AreaRules>(area: A): A {
  const { name, slots, reads = [], verify, render, references } = area
  const watch = (what: string, declared: readonly Slot[]) => watcher(`${what} of the area ${name}`, declared)
  const [forVerify, forRender] = [watch('verify', [...slots, ...reads]), watch('render', [...slots, ...reads])]
  // References are remembered by the own slots alone.
  const forReferences = watch('references', slots)
  return {
    ...area,
    ...(verify && { verify: (config) => verify(forVerify(config)) }),
    ...(render && { render: (config, facts) => render(forRender(config), facts) }),
    ...(references && { references: (config) => references(forReferences(config)) }),
  } satisfies AreaRules as A
}

/** One view of each configuration, because areas remember results by its identity. */
function watcher(reader: string, declared: readonly Slot[]): (config: Config) => Config {
  const keys = new Set<string | symbol>(declared.map(({ key }) => key))
  const refuse = (key: string | symbol): never => {
    throw new Error(`The ${reader} reads ${String(key)}, which the area does not declare.`)
  }
  const viewOf = (config: Config): Config => {
    /** A copy such as `{ ...config, key: value }` asks for the descriptor of each property and then for its value. */
    let copied: string | symbol | null = null
    return new Proxy<Config>(
      { ...config },
      {
        get: (target, key) => {
          const isCopy = copied === key
          copied = null
          if (keys.has(key)) return Reflect.get(target, key)
          return isCopy ? unusable(() => refuse(key)) : refuse(key)
        },
        has: (target, key) => (keys.has(key) ? Reflect.has(target, key) : refuse(key)),
        getOwnPropertyDescriptor: (target, key) => {
          copied = key
          return Reflect.getOwnPropertyDescriptor(target, key)
        },
      },
    )
  }
  const views = new WeakMap<Config, Config>()
  return (config) => {
    const view = views.get(config) ?? viewOf(config)
    views.set(config, view)
    return view
  }
}

/** What lies in a copy in place of an undeclared slot: it may be carried along, but not looked at. */
const unusable = (refuse: () => never): unknown =>
  new Proxy([], { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse, getPrototypeOf: refuse })
