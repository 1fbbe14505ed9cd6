// Settings of the kernel: what a plan wants is written, and what was there before is recorded first, so that it can be put back
// when a setting leaves the plan or the gateway leaves the machine. What this kernel does not have, or does not let us write, does
// not fail the plan: it is reported, and tried again after an hour.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import type { KernelSetting, SettingObservation } from '../../core/plan/artifacts.ts'
import type { Log } from '../../engines/kit/text.ts'
import { readJson, removeDurable, writeDurable } from '../../shared/files/durable.ts'
import { type SettingSpec, settingTable } from './setting-table.ts'

/** What a kernel refuses it mostly refuses for ever, and each attempt is an apply. */
const retryMs = 3_600_000

export interface SettingsContext {
  readonly plane: string
  /** The folder of applyd's own records. */
  readonly directory: string
  readonly kernel: string
  readonly log: Log
}

/** Values of another kernel or namespace mean nothing here: each begins with its own. */
interface SettingsRecord {
  readonly kernel: string
  /** Below the root, in the order in which they were recorded. */
  readonly before: readonly (readonly [path: string, value: string])[]
}

export type Settings = ReturnType<typeof createSettings>

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export function createSettings(
  { plane, directory, kernel, log }: SettingsContext,
  root = '/proc/sys/net',
  now: () => number = Date.now,
) {
  const recordPath = join(directory, 'settings.json')
  let known: Map<string, string> | null = null
  /** What the last plan wanted; null until one came, for example after a restart. */
  let wanted: readonly KernelSetting[] | null = null
  const refused = new Map<string, { readonly words: string; readonly at: number }>()
  /** Values that another program wrote over ours, by the name of the setting. */
  const repairs = new Map<string, { readonly found: string; readonly at: number }>()

  function before(): Map<string, string> {
    if (known) return known
    const record = readJson<SettingsRecord>(recordPath, log)
    known = new Map(record?.kernel === kernel ? record.before : [])
    return known
  }

  function remember(next: Map<string, string>): void {
    known = next
    if (next.size === 0) removeDurable(recordPath)
    else writeDurable(recordPath, JSON.stringify({ kernel, before: [...next] } satisfies SettingsRecord))
  }

  const read = (path: string): string | null => {
    try {
      return readFileSync(join(root, path), 'utf8').trim()
    } catch {
      return null
    }
  }

  /** With `default` first, so that a device that comes meanwhile already has the value. */
  function pathsOf(patterns: readonly string[]): string[] {
    return patterns.flatMap((pattern) => {
      const [folder = '', rest] = pattern.split('/*/')
      if (rest === undefined) return [pattern]
      return ['default', ...devicesIn(join(root, folder))].map((device) => `${folder}/${device}/${rest}`)
    })
  }

  const isRight = ({ isMinimum }: SettingSpec, value: string, found: string | null): boolean =>
    found === value || (isMinimum === true && found !== null && Number(found) >= Number(value))

  const isWaiting = (path: string): boolean => {
    const last = refused.get(path)
    // Either way: the clock may be set back.
    return last !== undefined && Math.abs(now() - last.at) < retryMs
  }

  /** What is not as it should be and can be written. A device may go at any time, and a kernel may lack a setting. */
  const wrongPaths = ({ name, value }: KernelSetting): { readonly path: string; readonly found: string }[] =>
    pathsOf(settingTable[name].paths).flatMap((path) => {
      const found = read(path)
      return found === null || isRight(settingTable[name], value, found) ? [] : [{ path, found }]
    })

  /** Recorded values that no setting of these holds any more. */
  function leftOver(settings: readonly KernelSetting[]): string[] {
    const held = new Set(
      settings.flatMap(({ name }) => [...settingTable[name].paths, ...(settingTable[name].moves ?? [])]),
    )
    return [...before().keys()].filter((path) => !held.has(path) && !held.has(patternOf(path)))
  }

  async function isCurrent(settings: readonly KernelSetting[]): Promise<boolean> {
    if (plane === 'none') return true
    if (leftOver(settings).length > 0) return false
    return settings.every((setting) => wrongPaths(setting).every(({ path }) => isWaiting(path)))
  }

  /** The caller has loaded the rules: forwarding is switched on here. */
  async function apply(settings: readonly KernelSetting[]): Promise<void> {
    if (plane === 'none') return
    const isRepair = new Set(wanted?.map(({ name, value }) => `${name} ${value}`))
    putBack(leftOver(settings))
    record(settings)
    for (const setting of settings) {
      const wrong = wrongPaths(setting).filter(({ path }) => !isWaiting(path))
      if (wrong.length === 0) continue
      const [{ found } = { found: '' }] = wrong
      const isWritten = wrong.map(({ path }) => write(path, setting.value)).some((isDone) => isDone)
      if (!isWritten || !isRepair.has(`${setting.name} ${setting.value}`)) continue
      repairs.set(setting.name, { found, at: now() })
      log('warning', 'Another program changed a setting of the kernel; it is as before again', {
        setting: setting.name,
        found,
      })
    }
    wanted = settings
    for (const name of repairs.keys()) if (!settings.some((one) => one.name === name)) repairs.delete(name)
  }

  async function ensure(settings: readonly KernelSetting[]): Promise<void> {
    if (!(await isCurrent(settings))) await apply(settings)
  }

  /** Before the first of them is written: a value without a record could never be put back. */
  function record(settings: readonly KernelSetting[]): void {
    const all = new Map(before())
    for (const { name } of settings) {
      const { paths, moves = [] } = settingTable[name]
      for (const path of pathsOf([...paths, ...moves])) {
        const found = all.has(path) ? null : read(path)
        if (found !== null) all.set(path, inherited(path, found))
      }
    }
    if (all.size > before().size) remember(all)
  }

  /** A device that came later has our value from `default`, and would have had the earlier one without us. */
  function inherited(path: string, found: string): string {
    const origin = defaultOf(path)
    const earlier = origin === null ? undefined : before().get(origin)
    return origin !== null && earlier !== undefined && read(origin) === found ? earlier : found
  }

  function write(path: string, value: string): boolean {
    try {
      if (read(path) !== value) writeFileSync(join(root, path), `${value}\n`, { flag: 'r+' })
      refused.delete(path)
      return true
    } catch (fault) {
      const words = getSystemErrorMessage((fault as NodeJS.ErrnoException).errno ?? 0)
      // A device that has gone takes its settings with it.
      if (read(path) !== null) refused.set(path, { words, at: now() })
      return false
    }
  }

  /** Returns the paths that the kernel did not take. Those that are not there any more need nothing. */
  function putBack(paths: readonly string[]): string[] {
    if (paths.length === 0) return []
    const rest = new Map(before())
    const failed: string[] = []
    for (const path of paths) {
      const value = before().get(path)
      if (value === undefined) continue
      const ours = read(path)
      if (ours !== null && !write(path, value) && read(path) !== null) failed.push(path)
      if (path.includes('/conf/default/')) putBackLater(path, ours, value)
      rest.delete(path)
    }
    remember(rest)
    return failed
  }

  /** Devices that came after the record and still have what `default` gave them. */
  function putBackLater(origin: string, ours: string | null, value: string): void {
    for (const path of pathsOf([patternOf(origin)]))
      if (path !== origin && !before().has(path) && read(path) === ours) write(path, value)
  }

  function observeOne({ name, value }: KernelSetting): SettingObservation {
    const spec = settingTable[name]
    const paths = pathsOf(spec.paths).filter((path) => read(path) !== null)
    const wrong = paths.find((path) => !isRight(spec, value, read(path)))
    const shown = wrong ?? paths[0]
    const earlier = paths.map((path) => before().get(path)).find((one) => one !== undefined && one !== value)
    const state = shown === undefined ? 'missing' : wrong === undefined ? 'set' : 'different'
    const refusal = wrong === undefined ? undefined : refused.get(wrong)
    return {
      name,
      value: shown === undefined ? null : read(shown),
      wanted: value,
      before: earlier ?? (shown === undefined ? null : (before().get(shown) ?? null)),
      state: state === 'different' && refusal ? 'refused' : state,
      message: messageOf(name, { wrong, refusal: refusal?.words, isMissing: shown === undefined }),
    }
  }

  function messageOf(
    name: string,
    { wrong, refusal, isMissing }: { wrong: string | undefined; refusal: string | undefined; isMissing: boolean },
  ): string {
    if (isMissing) return 'The kernel does not have the setting here.'
    if (wrong !== undefined && refusal !== undefined)
      return `The kernel does not let the gateway write ${join(root, wrong)}: ${refusal}.`
    if (wrong !== undefined) return `${join(root, wrong)} has another value.`
    const repair = repairs.get(name)
    if (!repair) return ''
    const time = new Date(repair.at).toISOString().replace(/\.\d+/, '')
    return `Another program had set it to ${repair.found}; it was corrected at ${time}.`
  }

  const observe = (settings: readonly KernelSetting[]): readonly SettingObservation[] => settings.map(observeOne)

  /** For a gateway that leaves the machine; returns what could not be put back. */
  const leave = (): { readonly put: number; readonly failed: readonly string[] } => {
    const paths = [...before().keys()]
    return { put: paths.length, failed: putBack(paths) }
  }

  return { isCurrent, apply, ensure, observe, leave }
}

const devicesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => name !== 'all' && name !== 'default')
      .toSorted()
  } catch {
    return []
  }
}

const confForm = /^(ipv[46]\/conf)\/([^/]+)\/([^/]+)$/

/** The pattern of the table that stands for the path of a device. */
function patternOf(path: string): string {
  const [, folder, device, name] = confForm.exec(path) ?? []
  return folder === undefined || device === 'all' ? path : `${folder}/*/${name}`
}

function defaultOf(path: string): string | null {
  const [, folder, device = '', name] = confForm.exec(path) ?? []
  return folder === undefined || ['all', 'default'].includes(device) ? null : `${folder}/default/${name}`
}
