// A table of its own, behind the rules and the queue of the inspection engine: what comes here was let through by all of them. A card that is
// not there, or a kernel without flowtables, must not keep rules from being loaded, so a fault of this table is none of the plan.

import { copiedPackets } from '../../../core/plan/classifier.ts'
import { run } from '../../kit/processes.ts'
import { oneLine } from '../../kit/text.ts'
import { parseDevice, parseKeys, parseList } from '../../kit/values.ts'
import type { KernelPrograms, Way, WayState } from '../../kit/ways.ts'
import { type FastDevice, type FastPathObservation, fastPathWay as name } from '../observed.ts'

const table = 'inet portcullis_fast'
const timeoutMs = 10_000
/** In the listing: another form of the table has another number. */
const form = 'fast-path 1'
/**
 * No bit but that of logging may be in the mark of the connection: those of channels and of the web proxy need every packet. The kernel counts
 * packets where it counts connections at all, and only then are those counted that pass by the rules.
 */
const conditions = `ct mark & 0xfffffffe == 0x0 ct state established ct packets > ${copiedPackets} meta nfproto ipv4 meta l4proto { tcp, udp }`
const removal = `table ${table}\ndelete table ${table}\n`

export function scriptFor(devices: readonly string[]): string {
  const list = `{ ${devices.map((device) => `"${device}"`).join(', ')} }`
  const rule = `${conditions} iifname ${list} oifname ${list} flow add @cards comment "${form}"`
  const flowtable = `flowtable cards {\n    hook ingress priority 0; devices = ${list}; counter;\n  }`
  const chain = `chain forward {\n    type filter hook forward priority 300; policy accept;\n    ${rule}\n  }`
  return `${removal}table ${table} {\n  ${flowtable}\n  ${chain}\n}\n`
}

type Listed = Partial<Record<'flowtable' | 'rule', { readonly dev?: string | readonly string[]; comment?: string }>>

export function createFastPath({ ip, nft }: KernelPrograms) {
  let isAble: boolean | null = null
  let isGivenUp = false
  let fault = ''
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  const call = (args: readonly string[], input = '') => run([...nft, ...args], timeoutMs, input)

  /** Asked once, with a device that is always there: a kernel does not learn it while it runs. */
  async function findAbility(): Promise<boolean> {
    if (isAble !== null) return isAble
    const { code, failure } = await call(['-c', '-f', '-'], scriptFor(['lo']))
    if (failure !== 'timeout') isAble = code === 0
    return code === 0
  }

  /** The cards that are there: because of one that is not the kernel would take none. */
  async function usable(state: WayState<FastDevice>): Promise<readonly string[]> {
    if (state === null || isGivenUp || !(await findAbility())) return []
    const { stdout } = await run([...ip, '-json', 'link', 'show'], timeoutMs)
    const there = new Set((JSON.parse(stdout || '[]') as { ifname?: string }[]).map(({ ifname }) => ifname))
    return state.flatMap(({ device }) => (there.has(device) ? [device] : [])).toSorted()
  }

  /** Cards of the table in order; null where there is none, and no card where it is not as we write it. */
  async function list(): Promise<readonly string[] | null> {
    if (isAble === false) return null
    const { code, stdout } = await call(['-j', 'list', 'table', ...table.split(' ')])
    if (code !== 0) return null
    const { nftables: listed = [] } = JSON.parse(stdout) as { nftables?: readonly Listed[] }
    const isOurs = listed.flatMap(({ rule }) => (rule ? [rule.comment] : [])).join() === form
    return isOurs ? listed.flatMap(({ flowtable }) => flowtable?.dev ?? []).toSorted() : []
  }

  async function load(devices: readonly string[]): Promise<void> {
    const { code, stderr } = await call(['-f', '-'], devices.length > 0 ? scriptFor(devices) : removal)
    if (code !== 0 && devices.length === 0) throw new Error(`The fast path cannot be closed: ${oneLine(stderr)}`)
    // What is there was made for other cards.
    if (code !== 0) await load([])
    fault = oneLine(stderr)
  }

  async function isCurrent(state: WayState<FastDevice>): Promise<boolean> {
    const [devices, listed] = [await usable(state), await list()]
    return devices.length === 0 ? listed === null : listed?.join() === devices.join()
  }

  const ensure = (state: WayState<FastDevice>): Promise<void> =>
    inTurn(async () => void ((await isCurrent(state)) || (await load(await usable(state)))))
  return {
    isCurrent: (state: WayState<FastDevice>) => inTurn(() => isCurrent(state)),
    open: ensure,
    close: async (state: WayState<FastDevice>) => void (state === null && (await ensure(null))),
    ensure,
    giveUp: (): Promise<boolean> =>
      inTurn(async () => {
        isGivenUp = true
        const isOpen = (await list()) !== null
        if (isOpen) await load([])
        return isOpen
      }),
    observe: (): Promise<FastPathObservation> =>
      inTurn(async () => ({ isAble: await findAbility(), devices: (await list()) ?? [], isGivenUp, fault })),
  }
}

export const fastPathEntry: Way<FastDevice> = {
  name,
  title: 'The fast path',
  tables: [table],
  parse: (entries) =>
    parseList(entries, 256, 'cards', (one) => ({ device: parseDevice(parseKeys(one, ['device']).device) })),
  create: createFastPath,
}
