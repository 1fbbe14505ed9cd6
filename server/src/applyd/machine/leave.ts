// Takes the gateway off the machine: for the package, before it is removed, when nothing of the gateway runs any more. Its rules,
// its routing, devices that it made and its settings of the kernel go; addresses and the way to the internet stay. Every step is
// tried whatever became of the one before, and all of it can be run again.

import { join } from 'node:path'
import { findProgram, type ProcessId, readKernelIdentity, run, stateOf } from '../../engines/kit/processes.ts'
import { oneLine, wordsOf } from '../../engines/kit/text.ts'
import { readJson, removeDurable } from '../../shared/files/durable.ts'
import { isOurPreference, type Managed, routeProtocol } from '../network-operations.ts'
import { productionTables } from '../production.ts'
import { createForeignRoutes, type ForeignRoute } from './foreign-routes.ts'
import { createSettings } from './settings.ts'

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

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export async function leaveMachine({
  stateDir,
  wrapper = [],
  kernel = readKernelIdentity(),
  settings,
}: Leaving): Promise<Left> {
  const directory = join(stateDir, 'applyd')
  const [ip, tc, nft] = ['ip', 'tc', 'nft'].map((name) => [...wrapper, findProgram(name)]) as [
    string[],
    string[],
    string[],
  ]
  const { ways } = productionTables(stateDir, null, 'host')
  const lines: string[] = []
  let isComplete = true
  const log = (_: string, message: string): void => void lines.push(`${message}.`)
  const holder = readJson<ProcessId & { readonly kernel?: string }>(join(directory, 'lock.json'), log)
  if (holder?.kernel === kernel && stateOf(holder) !== 'gone')
    return { lines: [`The gateway still runs (applyd is process ${holder.pid}). Stop it first.`], isComplete: false }

  const step = async (what: string, work: () => Promise<readonly string[]>): Promise<void> => {
    try {
      lines.push(...(await work()))
    } catch (fault) {
      isComplete = false
      lines.push(`${what}: ${wordsOf(fault)}`)
    }
  }
  const call = async (command: readonly string[], input = ''): Promise<string> => {
    const { code, failure, stdout, stderr } = await run(command, timeoutMs, input)
    if (code !== 0) throw new Error(`${command.slice(wrapper.length).join(' ')}: ${oneLine(stderr) || failure || code}`)
    return stdout
  }
  const show = async <T>(command: readonly string[]): Promise<readonly T[]> => {
    const text = await call(command)
    return text.trim() === '' ? [] : (JSON.parse(text) as readonly T[])
  }

  // Forwarding goes back before the rules go, so that the machine is at no moment more open than it was before.
  await step('Settings of the kernel could not be restored', async () => {
    const { put, failed } = createSettings({ plane: 'host', directory, kernel, log }, settings).leave()
    if (failed.length > 0) throw new Error(`the kernel does not take ${failed.join(', ')}.`)
    return put === 0
      ? []
      : [
          `${count(put, 'setting')} of the kernel ${put === 1 ? 'is' : 'are'} what ${put === 1 ? 'it' : 'they'} had been.`,
        ]
  })
  for (const way of ways)
    await step(`${way.title} could not be removed`, async () => {
      const control = way.create({ ip, nft })
      if (await control.isCurrent(null)) return []
      await control.ensure(null)
      return [`${way.title} is removed.`]
    })
  const { kernel: recorded, ...managed } = readJson<Managed & { kernel: string }>(
    join(directory, 'network.json'),
    log,
  ) ?? {
    kernel: '',
    devices: [],
    made: [],
    mirrored: [],
  }
  const own: Managed = recorded === kernel ? managed : { devices: [], made: [], mirrored: [] }
  const present = new Set<string>()
  await step('The devices could not be read', async () => {
    for (const { ifname } of await show<{ ifname: string }>([...ip, '-json', 'link', 'show'])) present.add(ifname)
    return []
  })
  for (const device of own.mirrored.filter((name) => present.has(name)))
    await step(`The mirror of ${device} could not be removed`, () => removeMirrors(device))
  for (const device of own.made.filter((name) => present.has(name)))
    await step(`The device ${device} could not be removed`, async () => {
      await call([...ip, 'link', 'del', 'dev', device])
      return [`The device ${device}, which the gateway had made, is removed.`]
    })
  await step('The routes could not be handed over', handRoutesOver)
  await step('The rules could not be removed', async () => {
    const listed = (await call([...nft, 'list', 'tables']))
      .split('\n')
      .map((line) => line.replace(/^table /, '').trim())
    const there = [...ownTables, ...ways.flatMap(({ tables = [] }) => tables)].filter((table) => listed.includes(table))
    if (there.length > 0) await call([...nft, '-f', '-'], there.map((table) => `delete table ${table}\n`).join(''))
    return there.length === 0 ? [] : [`The rules of the gateway are removed (${there.join(', ')}).`]
  })
  if (isComplete)
    await step('The records could not be removed', async () => {
      createForeignRoutes({ directory, kernel, log }).forget()
      removeDurable(join(directory, 'network.json'))
      return []
    })
  return { lines: lines.length === 0 ? ['Nothing of the gateway was in the kernel.'] : lines, isComplete }

  async function removeMirrors(device: string): Promise<string[]> {
    const shown = async (side: string): Promise<readonly { readonly pref: number }[]> =>
      show([...tc, '-json', 'filter', 'show', 'dev', device, side])
    for (const side of ['ingress', 'egress'])
      for (const pref of new Set((await shown(side)).map((one) => one.pref).filter(isOurPreference)))
        await call([...tc, 'filter', 'del', 'dev', device, side, 'pref', String(pref)])
    const rest = [...(await shown('ingress')), ...(await shown('egress'))]
    const disciplines = await show<{ readonly kind: string }>([...tc, '-json', 'qdisc', 'show', 'dev', device])
    // Filters of other programs keep it.
    if (rest.length === 0 && disciplines.some(({ kind }) => kind === 'clsact'))
      await call([...tc, 'qdisc', 'del', 'dev', device, 'clsact'])
    return [`The packets of ${device} are no longer copied.`]
  }

  /**
   * A route of ours that another program had set before gets the form back that it had there. Any other one stays as it is, without our
   * mark, so that the machine keeps its way to the internet until its own network set-up is started again.
   */
  async function handRoutesOver(): Promise<string[]> {
    const told: string[] = []
    const routes = await show<ForeignRoute>([...ip, '-4', '-json', '-details', 'route', 'show'])
    const earlier = createForeignRoutes({ directory, kernel, log }).read()
    for (const route of routes.filter(({ protocol }) => protocol === routeProtocol)) {
      const former = earlier.find((one) => isSameWay(one, route))
      const { protocol = 'boot', ...form } = former ?? { ...route, protocol: 'boot' }
      await call([...ip, '-4', 'route', 'replace', ...wordsOfRoute({ ...form, protocol })])
      if ((form.metric ?? 0) !== (route.metric ?? 0)) await call([...ip, '-4', 'route', 'del', ...wordsOfRoute(route)])
      told.push(`The route to ${route.dst} by ${route.gateway ?? route.dev} stays${former ? ' as it had been' : ''}.`)
    }
    if (routes.some(({ dst }) => dst === 'default')) return told
    for (const route of earlier.filter(({ dev = '' }) => present.has(dev))) {
      const { code } = await run([...ip, '-4', 'route', 'replace', ...wordsOfRoute(route)], timeoutMs)
      if (code === 0) told.push(`The route to ${route.dst} by ${route.gateway ?? route.dev} is there again.`)
    }
    return told
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
