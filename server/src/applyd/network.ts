// Links of the kernel: addresses, routes, devices made on top of others, mirrors. Works from what the kernel shows and
// changes differences only. What the kernel refuses does not fail the plan: its message is kept, and it is retried when
// the plan changes, or after a minute.

import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { getSystemErrorMessage, isDeepStrictEqual } from 'node:util'
import type { LinkObservation, LinkPlan } from '../core/plan/artifacts.ts'
import { findProgram, run } from '../engines/kit/processes.ts'
import { oneLine } from '../engines/kit/text.ts'
import { readJson, writeDurable } from '../shared/files/durable.ts'
import type { Context } from './context.ts'
import { createForeignRoutes } from './machine/foreign-routes.ts'
import { textOf, writeKernel } from './machine/read.ts'
import {
  isOurPreference,
  type KernelLink,
  type KernelMirror,
  type KernelRoute,
  type KernelState,
  type Managed,
  type Operation,
  operationsFor,
} from './network-operations.ts'

const commandTimeoutMs = 10_000
const retryMs = 60_000
const settings = '/proc/sys/net'
/** A device is made, configured and cleaned in turns; more turns mean that another program changes it too. */
const maxTurns = 8

type NetworkContext = Pick<Context, 'plane' | 'directory' | 'kernel' | 'log'>

export interface NetworkCommands {
  readonly ip: readonly string[]
  readonly tc: readonly string[]
}

const installed = (): NetworkCommands => ({ ip: [findProgram('ip')], tc: [findProgram('tc')] })

/** Devices mean nothing in another kernel or namespace. */
interface ManagedRecord extends Managed {
  readonly kernel: string
}

const nothing: Managed = { devices: [], made: [], mirrored: [] }

/** As ip(8) prints them, for gatewayd, which starts no program itself. */
export const showDevices = (): Promise<string> => show('devices', ['-details', 'addr', 'show'])
export const showNeighbours = (): Promise<string> => show('neighbours', ['-s', 'neigh', 'show'])

async function show(what: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run([...installed().ip, '-json', ...args], commandTimeoutMs)
  if (code !== 0) throw new Error(`The ${what} of the kernel cannot be read: ${oneLine(stderr)}`)
  return stdout
}

export class NetworkEngine {
  readonly vet = vetLinks
  readonly #context: NetworkContext
  readonly #commands: NetworkCommands
  readonly #elapsedMs: () => number
  readonly #recordPath: string
  readonly #foreign: ReturnType<typeof createForeignRoutes>
  #managed: Managed | null = null
  #plan: readonly LinkPlan[] = []
  /** Refused commands of this plan, by their text. */
  #refused = new Map<string, { readonly device: string; readonly words: string; readonly at: number }>()

  constructor(context: NetworkContext, commands = installed(), elapsedMs = () => performance.now()) {
    this.#context = context
    this.#commands = commands
    this.#elapsedMs = elapsedMs
    this.#recordPath = join(context.directory, 'network.json')
    this.#foreign = createForeignRoutes(context)
  }

  /** Null: the plan says nothing about the network, and the network stays as it is. */
  async apply(links: readonly LinkPlan[] | null): Promise<void> {
    if (links === null || this.#context.plane === 'none') return
    if (!isDeepStrictEqual(links, this.#plan)) this.#refused = new Map()
    this.#plan = links
    const before = this.#readManaged()
    const found = new Set((await this.#readState(links)).links.map((link) => link.ifname))
    const after = managedBy(links, (device) => before.made.includes(device) || !found.has(device))
    // Recorded first: a configured device without a record would keep its addresses for ever.
    this.#remember(united(before, after))
    for (let turn = 0; turn < maxTurns; turn += 1) {
      const state = await this.#readState(links)
      this.#foreign.keep(state.routes, this.#readManaged().devices)
      const operations = operationsFor(state, links, this.#readManaged())
      this.#dropSettled(operations)
      const due = operations.filter((operation) => !this.#isWaiting(operation))
      if (due.length === 0) {
        // Devices that left the plan are kept in the record until they are clean.
        if (operations.every(({ device }) => after.devices.includes(device))) this.#remember(after)
        return
      }
      for (const operation of due) await this.#carryOut(operation)
    }
    this.#context.log('error', 'The links still differ from the plan after several attempts', {
      devices: links.map((link) => link.device),
    })
  }

  async isCurrent(links: readonly LinkPlan[] | null): Promise<boolean> {
    if (links === null || this.#context.plane === 'none') return true
    if (!isDeepStrictEqual(links, this.#plan)) return false
    return operationsFor(await this.#readState(links), links, this.#readManaged()).every((one) => this.#isWaiting(one))
  }

  /** What the applyd before this one applied in this kernel: until the next plan, other programs at these cards are found too. */
  adopt(links: readonly LinkPlan[]): void {
    this.#plan = links
  }

  observe(): readonly LinkObservation[] {
    return this.#plan.map(({ origin, device }) => ({
      origin,
      device,
      errors: [...new Set([...this.#refused.values()].filter((one) => one.device === device).map((one) => one.words))],
    }))
  }

  #readManaged(): Managed {
    if (this.#managed) return this.#managed
    const record = readJson<ManagedRecord>(this.#recordPath, this.#context.log)
    const { kernel: recorded, ...rest } = record ?? { kernel: '', ...nothing }
    this.#managed = recorded === this.#context.kernel ? rest : nothing
    return this.#managed
  }

  #remember(next: Managed): void {
    if (isDeepStrictEqual(next, this.#readManaged())) return
    this.#managed = next
    writeDurable(this.#recordPath, JSON.stringify({ kernel: this.#context.kernel, ...next } satisfies ManagedRecord))
  }

  #isWaiting(operation: Operation): boolean {
    const last = this.#refused.get(keyOf(operation))
    return last !== undefined && this.#elapsedMs() - last.at < retryMs
  }

  async #readState(links: readonly LinkPlan[]): Promise<KernelState> {
    const { code, stdout, stderr } = await run(
      [...this.#commands.ip, '-json', '-details', '-batch', '-'],
      commandTimeoutMs,
      'addr show\nroute show\n',
    )
    if (code !== 0) throw new Error(`The links of the kernel cannot be read: ${oneLine(stderr)}`)
    const [shown, routes] = parseDocuments(stdout)
    const sources = new Set([
      ...this.#readManaged().mirrored,
      ...links.flatMap(({ mirrors }) => mirrors.map(({ device }) => device)),
    ])
    const mirrors = await Promise.all(
      [...sources].flatMap((device) => [this.#readMirrors(device, 'ingress'), this.#readMirrors(device, 'egress')]),
    )
    return {
      links: shown as KernelLink[],
      routes: routes as KernelRoute[],
      mirrors: mirrors.flat(),
      mirrorable: sources.size === 0 ? [] : await this.#readMirrorable(),
      advertised: links
        .filter(({ make }) => make !== null)
        .map(({ device }) => device)
        .filter((device) => /^[1-9]/.test(textOf(`${settings}/ipv6/conf/${device}/accept_ra`))),
    }
  }

  async #readMirrors(device: string, side: KernelMirror['side']): Promise<KernelMirror[]> {
    const command = [...this.#commands.tc, '-json', 'filter', 'show', 'dev', device, side]
    const { code, stdout } = await run(command, commandTimeoutMs)
    return code === 0 ? mirrorsIn(device, side, stdout) : []
  }

  async #readMirrorable(): Promise<string[]> {
    const { code, stdout } = await run([...this.#commands.tc, '-json', 'qdisc', 'show'], commandTimeoutMs)
    const shown = code === 0 ? (JSON.parse(stdout) as { readonly kind: string; readonly dev: string }[]) : []
    return shown.filter(({ kind }) => kind === 'clsact').map(({ dev }) => dev)
  }

  /** Drops refusals whose operations are no longer needed. */
  #dropSettled(operations: readonly Operation[]): void {
    const open = new Set(operations.map(keyOf))
    for (const key of this.#refused.keys()) if (!open.has(key)) this.#refused.delete(key)
  }

  async #carryOut(operation: Operation): Promise<void> {
    const words = await this.#refusalOf(operation)
    if (words === null) this.#refused.delete(keyOf(operation))
    else this.#refused.set(keyOf(operation), { device: operation.device, words, at: this.#elapsedMs() })
  }

  async #refusalOf({ program, args }: Operation): Promise<string | null> {
    if (program === 'ppp') return pppRefusal()
    if (program === 'setting') return settingRefusal(args)
    const { code, failure, stderr } = await run([...this.#commands[program], ...args], commandTimeoutMs)
    if (code === 0) return null
    if (failure === 'missing') return `${program} is not installed.`
    return oneLine(stderr) || `${program} ended with the status ${code ?? failure}.`
  }
}

const keyOf = ({ program, device, args }: Operation): string => [program, device, ...args].join(' ')

/** A device that applyd did not make is never removed, whatever its name. */
const managedBy = (links: readonly LinkPlan[], isOurs: (device: string) => boolean): Managed => ({
  devices: links.map((link) => link.device),
  made: links.filter((link) => link.make !== null && isOurs(link.device)).map((link) => link.device),
  mirrored: [...new Set(links.flatMap((link) => link.mirrors.map(({ device }) => device)))],
})

const united = (a: Managed, b: Managed): Managed => ({
  devices: [...new Set([...a.devices, ...b.devices])],
  made: [...new Set([...a.made, ...b.made])],
  mirrored: [...new Set([...a.mirrored, ...b.mirrored])],
})

/** One JSON document for each command, on separate lines; a command with nothing to show prints none or an empty one. */
function parseDocuments(text: string): readonly [unknown[], unknown[]] {
  const documents = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown[])
  return [documents[0] ?? [], documents[1] ?? []]
}

interface ShownFilter {
  readonly pref: number
  readonly options?: { readonly actions?: readonly { readonly to_dev?: string }[] }
}

function mirrorsIn(device: string, side: KernelMirror['side'], text: string): KernelMirror[] {
  if (text.trim() === '') return []
  return (JSON.parse(text) as ShownFilter[]).flatMap(({ pref, options }) => {
    const to = options?.actions?.[0]?.to_dev
    return to !== undefined && isOurPreference(pref) ? [{ device, side, preference: pref, to }] : []
  })
}

function settingRefusal([path = '', value = '']: readonly string[]): string | null {
  try {
    writeKernel(`${settings}/${path}`, value)
    return null
  } catch (fault) {
    return `${path}: ${getSystemErrorMessage((fault as NodeJS.ErrnoException).errno ?? 0)}`
  }
}

/** The kernel's side of a provider's tunnel is this device; without it no program can connect. */
function pppRefusal(): string {
  try {
    closeSync(openSync('/dev/ppp', 'r+'))
    return 'No program for connections of this kind is installed.'
  } catch (fault) {
    const { errno = 0 } = fault as NodeJS.ErrnoException
    return `/dev/ppp: ${getSystemErrorMessage(errno)}`
  }
}

/** What the schema of an artifact cannot express: each device once, and never the loopback device. */
export function vetLinks(links: readonly LinkPlan[]): readonly string[] {
  const devices = links.map((link) => link.device)
  const twice = devices.filter((device, index) => devices.indexOf(device) < index)
  return [
    ...[...new Set(twice)].map((device) => `The device ${device} appears more than once in the plan.`),
    ...(devices.includes('lo') ? ['The plan must not contain the loopback device.'] : []),
  ]
}
