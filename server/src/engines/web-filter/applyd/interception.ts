// The rule and the route that deliver marked packets to the gateway itself, for the web proxy. Works from what the kernel
// shows, so that nothing has to be remembered over a restart or a crash.

import { interception } from '../../../core/plan/interception.ts'
import { run } from '../../kit/processes.ts'
import { oneLine } from '../../kit/text.ts'
import { parseList } from '../../kit/values.ts'
import type { Way } from '../../kit/ways.ts'
import { interceptionWay as name } from '../interception.ts'

const timeoutMs = 10_000
const [mark, table, preference] = [interception.mark, interception.table, interception.preference].map(String) as [
  string,
  string,
  string,
]
/** More rules of our preference than this are not ours. */
const maxRules = 16

interface ShownRule {
  readonly fwmark?: string
  readonly table?: string
}

interface ShownRoute {
  readonly type?: string
  readonly dst?: string
  readonly dev?: string
}

export function createInterception(command: readonly string[]) {
  /** A table that was never used is an error for ip(8). */
  async function show<T>(...args: readonly string[]): Promise<readonly T[]> {
    const { code, stdout } = await run([...command, '-4', '-json', ...args], timeoutMs)
    return code === 0 && stdout.trim() !== '' ? (JSON.parse(stdout) as readonly T[]) : []
  }

  async function change(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await run([...command, '-4', ...args], timeoutMs)
    if (code !== 0) throw new Error(`Packets cannot be led to the web proxy: ${oneLine(stderr) || `status ${code}`}.`)
  }

  async function read() {
    const rules = await show<ShownRule>('rule', 'show', 'pref', preference)
    const routes = await show<ShownRoute>('route', 'show', 'table', table)
    const hasRule = rules.length === 1 && Number(rules[0]?.fwmark) === Number(mark) && rules[0]?.table === table
    const [route] = routes
    const hasRoute = routes.length === 1 && route?.type === 'local' && route.dst === 'default' && route.dev === 'lo'
    return { rules, routes, isSet: hasRule && hasRoute, isClear: rules.length === 0 && routes.length === 0 }
  }

  async function isCurrent(isWanted: boolean): Promise<boolean> {
    const { isSet, isClear } = await read()
    return isWanted ? isSet : isClear
  }

  async function apply(isWanted: boolean): Promise<void> {
    const { rules, routes } = await read()
    for (const _ of rules.slice(0, maxRules)) await change('rule', 'del', 'pref', preference)
    if (routes.length > 0) await change('route', 'flush', 'table', table)
    if (!isWanted) return
    // The route first: a rule that leads to an empty table would change nothing, and one to a filled table all at once.
    await change('route', 'add', 'local', 'default', 'dev', 'lo', 'table', table)
    await change('rule', 'add', 'pref', preference, 'fwmark', mark, 'lookup', table)
  }

  async function ensure(isWanted: boolean): Promise<void> {
    if (!(await isCurrent(isWanted))) await apply(isWanted)
  }

  return { isCurrent, apply, ensure }
}

export const interceptionWay: Way = {
  name,
  title: 'The routing to the web proxy',
  parse: (entries) => parseList(entries, 0, 'entries', () => ({})),
  create: ({ ip }) => {
    const { isCurrent, apply, ensure } = createInterception(ip)
    return {
      isCurrent: (state) => isCurrent(state !== null),
      open: () => apply(true),
      close: async (state) => {
        if (state === null) await apply(false)
      },
      ensure: (state) => ensure(state !== null),
    }
  },
}
