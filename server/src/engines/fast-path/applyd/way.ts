// A table of its own, behind the rules and the queue of the inspection engine: what comes here was let through by all of them. A card that is
// not there, or a kernel without flowtables, must not keep rules from being loaded, so a fault of this table is none of the plan.

import { copiedPackets } from '../../../core/plan/classifier.ts'
import { run } from '../../kit/processes.ts'
import { oneLine } from '../../kit/text.ts'
import { parseDevice, parseKeys, parseList } from '../../kit/values.ts'
import type { KernelPrograms, Way, WayControl, WayState } from '../../kit/ways.ts'
import { type FastDevice, type FastPathObservation, fastPathWay as name } from '../observed.ts'

const table = 'inet portcullis_fast'
const timeoutMs = 10_000
/** In the listing: another form of the table has another number. */
const form = 'fast-path 1'
/** No bit but that of logging may be in the mark: channels and the web proxy need every packet of a connection. */
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

class FastPath implements WayControl<FastDevice> {
  readonly #programs: KernelPrograms
  #isAble: boolean | null = null
  #isGivenUp = false
  #fault = ''
  #last: Promise<unknown> = Promise.resolve()
  constructor(programs: KernelPrograms) {
    this.#programs = programs
  }
  isCurrent = (state: WayState<FastDevice>) => this.#inTurn(() => this.#isAsWanted(state))
  ensure = (state: WayState<FastDevice>): Promise<void> =>
    this.#inTurn(async () => void ((await this.#isAsWanted(state)) || (await this.#load(await this.#usable(state)))))
  open = this.ensure
  close = async (state: WayState<FastDevice>): Promise<void> => void (state === null && (await this.ensure(null)))
  giveUp = (): Promise<boolean> =>
    this.#inTurn(async () => {
      this.#isGivenUp = true
      const isOpen = (await this.#list()) !== null
      if (isOpen) await this.#load([])
      return isOpen
    })
  observe = (): Promise<FastPathObservation> =>
    this.#inTurn(async () => {
      const isAble = await this.#findAbility()
      return { isAble, devices: (await this.#list()) ?? [], isGivenUp: this.#isGivenUp, fault: this.#fault }
    })

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  #call = (args: readonly string[], input = '') => run([...this.#programs.nft, ...args], timeoutMs, input)

  /** Asked once, with a device that is always there: a kernel does not learn it while it runs. */
  async #findAbility(): Promise<boolean> {
    if (this.#isAble !== null) return this.#isAble
    const { code, failure } = await this.#call(['-c', '-f', '-'], scriptFor(['lo']))
    if (failure !== 'timeout') this.#isAble = code === 0
    return code === 0
  }

  /** The cards that are there: because of one that is not the kernel would take none. */
  async #usable(state: WayState<FastDevice>): Promise<readonly string[]> {
    if (state === null || this.#isGivenUp || !(await this.#findAbility())) return []
    const { stdout } = await run([...this.#programs.ip, '-json', 'link', 'show'], timeoutMs)
    const there = new Set((JSON.parse(stdout || '[]') as { ifname?: string }[]).map(({ ifname }) => ifname))
    return state.flatMap(({ device }) => (there.has(device) ? [device] : [])).toSorted()
  }

  /** Cards of the table in order; null where there is none, and no card where it is not as we write it. */
  async #list(): Promise<readonly string[] | null> {
    if (this.#isAble === false) return null
    const { code, stdout } = await this.#call(['-j', 'list', 'table', ...table.split(' ')])
    if (code !== 0) return null
    const { nftables: listed = [] } = JSON.parse(stdout) as { nftables?: readonly Listed[] }
    const isOurs = listed.flatMap(({ rule }) => (rule ? [rule.comment] : [])).join() === form
    return isOurs ? listed.flatMap(({ flowtable }) => flowtable?.dev ?? []).toSorted() : []
  }

  async #load(devices: readonly string[]): Promise<void> {
    const { code, stderr } = await this.#call(['-f', '-'], devices.length > 0 ? scriptFor(devices) : removal)
    if (code !== 0 && devices.length === 0) throw new Error(`The fast path cannot be closed: ${oneLine(stderr)}`)
    if (code !== 0) await this.#load([]) // What is there was made for other cards.
    this.#fault = oneLine(stderr)
  }

  async #isAsWanted(state: WayState<FastDevice>): Promise<boolean> {
    const [devices, listed] = [await this.#usable(state), await this.#list()]
    return devices.length === 0 ? listed === null : listed?.join() === devices.join()
  }
}

export const fastPathEntry: Way<FastDevice> = {
  name,
  title: 'The fast path',
  tables: [table],
  parse: (entries) =>
    parseList(entries, 256, 'cards', (one) => ({ device: parseDevice(parseKeys(one, ['device']).device) })),
  create: (programs) => new FastPath(programs),
}
