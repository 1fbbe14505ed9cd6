// Takes the gateway off the machine: for the package, before it is removed, when nothing of the gateway runs any more. Its rules,
// its routing, devices that it made and its settings of the kernel go; addresses and the way to the internet stay. Every step is
// tried whatever became of the one before, and all of it can be run again.

import { join } from 'node:path'
import { listTables, tablesIn } from '../../engines/kit/kernel-tables.ts'
import { findProgram, type ProcessId, readKernelIdentity, run, stateOf } from '../../engines/kit/processes.ts'
import type { Tables } from '../../engines/kit/tables.ts'
import { oneLine, wordsOf } from '../../engines/kit/text.ts'
import type { Way } from '../../engines/kit/ways.ts'
import { readJson, removeDurable } from '../../shared/files/durable.ts'
import { isOurPreference, type Managed, routeProtocol } from '../network-operations.ts'
import { productionTables } from '../production.ts'
import { createForeignRoutes, type ForeignRoute } from './foreign-routes.ts'
import { Settings } from './settings.ts'

const timeoutMs = 20_000

export interface Leaving {
  readonly stateDir: string
  /** In front of every command, such as `ip netns exec NAME`. */
  readonly wrapper?: readonly string[]
  readonly kernel?: string
  readonly settings?: string
}

export interface Left {
  /** What was done and what was not, in sentences. */
  readonly lines: readonly string[]
  readonly isComplete: boolean
}

const ownTables = ['inet portcullis', 'netdev portcullis_hw', 'inet portcullis_boot']

const nothing: Managed = { devices: [], made: [], mirrored: [] }

export const leaveMachine = async (leaving: Leaving): Promise<Left> => new Departure(leaving).leave()

/** What was done so far, and whether all of it worked. */
class Departure {
  readonly #directory: string
  readonly #kernel: string
  readonly #settings: string | undefined
  readonly #wrapper: readonly string[]
  readonly #ip: readonly string[]
  readonly #tc: readonly string[]
  readonly #nft: readonly string[]
  readonly #ways: Tables['ways']
  readonly #lines: string[] = []
  readonly #log = (_: string, message: string): void => void this.#lines.push(`${message}.`)
  readonly #present = new Set<string>()
  #isComplete = true

  constructor({ stateDir, wrapper = [], kernel = readKernelIdentity(), settings }: Leaving) {
    this.#directory = join(stateDir, 'applyd')
    this.#kernel = kernel
    this.#settings = settings
    this.#wrapper = wrapper
    this.#ip = [...wrapper, findProgram('ip')]
    this.#tc = [...wrapper, findProgram('tc')]
    this.#nft = [...wrapper, findProgram('nft')]
    this.#ways = productionTables(stateDir, null, 'host').ways
  }

  async leave(): Promise<Left> {
    const holder = readJson<ProcessId & { readonly kernel?: string }>(join(this.#directory, 'lock.json'), this.#log)
    if (holder?.kernel === this.#kernel && stateOf(holder) !== 'gone')
      return { lines: [`The gateway still runs (applyd is process ${holder.pid}). Stop it first.`], isComplete: false }
    // Forwarding goes back before the rules go, so that the machine is at no moment more open than it was before.
    await this.#step('Settings of the kernel could not be restored', () => this.#restoreSettings())
    for (const way of this.#ways) await this.#step(`${way.title} could not be removed`, () => this.#removeWay(way))
    await this.#removeDevices()
    await this.#step('The routes could not be handed over', () => this.#handRoutesOver())
    await this.#step('The rules could not be removed', () => this.#removeTables())
    if (this.#isComplete) await this.#step('The records could not be removed', () => this.#removeRecords())
    const lines = this.#lines.length === 0 ? ['Nothing of the gateway was in the kernel.'] : this.#lines
    return { lines, isComplete: this.#isComplete }
  }

  async #step(what: string, work: () => Promise<readonly string[]>): Promise<void> {
    try {
      this.#lines.push(...(await work()))
    } catch (fault) {
      this.#isComplete = false
      this.#lines.push(`${what}: ${wordsOf(fault)}`)
    }
  }

  async #call(command: readonly string[], input = ''): Promise<string> {
    const { code, failure, stdout, stderr } = await run(command, timeoutMs, input)
    const words = command.slice(this.#wrapper.length).join(' ')
    if (code !== 0) throw new Error(`${words}: ${oneLine(stderr) || failure || code}`)
    return stdout
  }

  async #show<T>(command: readonly string[]): Promise<readonly T[]> {
    const text = await this.#call(command)
    return text.trim() === '' ? [] : (JSON.parse(text) as readonly T[])
  }

  get #records() {
    return { directory: this.#directory, kernel: this.#kernel, log: this.#log }
  }

  async #restoreSettings(): Promise<string[]> {
    const { put, failed } = new Settings({ plane: 'host', ...this.#records }, this.#settings).leave()
    if (failed.length > 0) throw new Error(`the kernel does not take ${failed.join(', ')}.`)
    if (put === 0) return []
    const isOne = put === 1
    return [`${count(put, 'setting')} of the kernel ${isOne ? 'is' : 'are'} what ${isOne ? 'it' : 'they'} had been.`]
  }

  async #removeWay(way: Way): Promise<string[]> {
    const control = way.create({ ip: this.#ip, nft: this.#nft })
    if (await control.isCurrent(null)) return []
    await control.ensure(null)
    return [`${way.title} is removed.`]
  }

  /** Mirrors, and devices that the gateway made. */
  async #removeDevices(): Promise<void> {
    const path = join(this.#directory, 'network.json')
    const { kernel, ...managed } = readJson<Managed & { kernel: string }>(path, this.#log) ?? { kernel: '', ...nothing }
    const { mirrored, made } = kernel === this.#kernel ? managed : nothing
    await this.#step('The devices could not be read', async () => {
      for (const { ifname } of await this.#show<{ ifname: string }>([...this.#ip, '-json', 'link', 'show']))
        this.#present.add(ifname)
      return []
    })
    for (const device of mirrored.filter((name) => this.#present.has(name)))
      await this.#step(`The mirror of ${device} could not be removed`, () => this.#removeMirrors(device))
    for (const device of made.filter((name) => this.#present.has(name)))
      await this.#step(`The device ${device} could not be removed`, async () => {
        await this.#call([...this.#ip, 'link', 'del', 'dev', device])
        return [`The device ${device}, which the gateway had made, is removed.`]
      })
  }

  async #removeMirrors(device: string): Promise<string[]> {
    const shown = async (side: string): Promise<readonly { readonly pref: number }[]> =>
      this.#show([...this.#tc, '-json', 'filter', 'show', 'dev', device, side])
    for (const side of ['ingress', 'egress'])
      for (const pref of new Set((await shown(side)).map((one) => one.pref).filter(isOurPreference)))
        await this.#call([...this.#tc, 'filter', 'del', 'dev', device, side, 'pref', String(pref)])
    const rest = [...(await shown('ingress')), ...(await shown('egress'))]
    const listing = [...this.#tc, '-json', 'qdisc', 'show', 'dev', device]
    const disciplines = await this.#show<{ readonly kind: string }>(listing)
    // Filters of other programs keep it.
    if (rest.length === 0 && disciplines.some(({ kind }) => kind === 'clsact'))
      await this.#call([...this.#tc, 'qdisc', 'del', 'dev', device, 'clsact'])
    return [`The packets of ${device} are no longer copied.`]
  }

  /**
   * A route of ours that another program had set before gets the form back that it had there. Any other one stays as it is, without our
   * mark, so that the machine keeps its way to the internet until its own network set-up is started again.
   */
  async #handRoutesOver(): Promise<string[]> {
    const told: string[] = []
    const change = [...this.#ip, '-4', 'route']
    const routes = await this.#show<ForeignRoute>([...this.#ip, '-4', '-json', '-details', 'route', 'show'])
    const earlier = createForeignRoutes(this.#records).read()
    for (const route of routes.filter(({ protocol }) => protocol === routeProtocol)) {
      const former = earlier.find((one) => isSameWay(one, route))
      const { protocol = 'boot', ...form } = former ?? { ...route, protocol: 'boot' }
      await this.#call([...change, 'replace', ...wordsOfRoute({ ...form, protocol })])
      if ((form.metric ?? 0) !== (route.metric ?? 0)) await this.#call([...change, 'del', ...wordsOfRoute(route)])
      told.push(`The route to ${route.dst} by ${route.gateway ?? route.dev} stays${former ? ' as it had been' : ''}.`)
    }
    if (routes.some(({ dst }) => dst === 'default')) return told
    for (const route of earlier.filter(({ dev = '' }) => this.#present.has(dev))) {
      const { code } = await run([...change, 'replace', ...wordsOfRoute(route)], timeoutMs)
      if (code === 0) told.push(`The route to ${route.dst} by ${route.gateway ?? route.dev} is there again.`)
    }
    return told
  }

  async #removeTables(): Promise<string[]> {
    const listed = tablesIn(await this.#call([...this.#nft, ...listTables]))
    const ours = [...ownTables, ...this.#ways.flatMap(({ tables = [] }) => tables)]
    const there = ours.filter((table) => listed.includes(table))
    if (there.length === 0) return []
    await this.#call([...this.#nft, '-f', '-'], there.map((table) => `delete table ${table}\n`).join(''))
    return [`The rules of the gateway are removed (${there.join(', ')}).`]
  }

  async #removeRecords(): Promise<string[]> {
    createForeignRoutes(this.#records).forget()
    removeDurable(join(this.#directory, 'network.json'))
    return []
  }
}

const isSameWay = (one: ForeignRoute, other: ForeignRoute): boolean =>
  one.dst === other.dst && one.dev === other.dev && one.gateway === other.gateway

const wordsOfRoute = ({ dst, gateway, dev, protocol, metric, prefsrc, flags = [] }: ForeignRoute): string[] => [
  dst,
  ...(gateway === undefined ? [] : ['via', gateway]),
  ...(dev === undefined ? [] : ['dev', dev]),
  ...(flags.includes('onlink') ? ['onlink'] : []),
  ...(protocol === undefined ? [] : ['proto', protocol]),
  ...(prefsrc === undefined ? [] : ['src', prefsrc]),
  ...(metric === undefined ? [] : ['metric', String(metric)]),
]

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`

if (import.meta.main) {
  const { lines, isComplete } = await leaveMachine({ stateDir: process.env.PORTCULLIS_STATE || '/var/lib/portcullis' })
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  process.exitCode = isComplete ? 0 : 1
}
