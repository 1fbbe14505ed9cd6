// Settings of the kernel: what a plan wants is written, and what was there before is recorded first, so that it can be restored
// when a setting leaves the plan or the gateway leaves the machine. What this kernel does not have, or does not let us write, does
// not fail the plan: it is reported, and tried again after an hour.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import type { KernelSetting, SettingObservation } from '../../core/plan/artifacts.ts'
import type { Log } from '../../engines/kit/text.ts'
import { readJson, removeDurable, writeDurable } from '../../shared/files/durable.ts'
import { type SaidText, say } from '../../shared/said.ts'
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

export class Settings {
  readonly #context: SettingsContext
  readonly #root: string
  readonly #now: () => number
  readonly #recordPath: string
  #known: Map<string, string> | null = null
  /** What the last plan wanted; null until one came, for example after a restart. */
  #wanted: readonly KernelSetting[] | null = null
  readonly #refused = new Map<string, { readonly words: string; readonly at: number }>()
  /** Values that another program wrote over ours, by the name of the setting. */
  readonly #repairs = new Map<string, { readonly found: string; readonly at: number }>()

  constructor(context: SettingsContext, root = '/proc/sys/net', now: () => number = Date.now) {
    this.#context = context
    this.#root = root
    this.#now = now
    this.#recordPath = join(context.directory, 'settings.json')
  }

  async isCurrent(settings: readonly KernelSetting[]): Promise<boolean> {
    if (this.#context.plane === 'none') return true
    if (this.#leftOver(settings).length > 0) return false
    return settings.every((setting) => this.#wrongPaths(setting).every(({ path }) => this.#isWaiting(path)))
  }

  /** The caller has loaded the rules: forwarding is switched on here. */
  async apply(settings: readonly KernelSetting[]): Promise<void> {
    if (this.#context.plane === 'none') return
    const isRepair = new Set(this.#wanted?.map(({ name, value }) => `${name} ${value}`))
    this.#putBack(this.#leftOver(settings))
    this.#record(settings)
    for (const setting of settings) {
      const wrong = this.#wrongPaths(setting).filter(({ path }) => !this.#isWaiting(path))
      if (wrong.length === 0) continue
      const [{ found } = { found: '' }] = wrong
      const isWritten = wrong.map(({ path }) => this.#write(path, setting.value)).some((isDone) => isDone)
      if (!isWritten || !isRepair.has(`${setting.name} ${setting.value}`)) continue
      this.#repairs.set(setting.name, { found, at: this.#now() })
      this.#context.log('warning', 'Another program changed a setting of the kernel; it is as before again', {
        setting: setting.name,
        found,
      })
    }
    this.#wanted = settings
    for (const name of this.#repairs.keys()) if (!settings.some((one) => one.name === name)) this.#repairs.delete(name)
  }

  async ensure(settings: readonly KernelSetting[]): Promise<void> {
    if (!(await this.isCurrent(settings))) await this.apply(settings)
  }

  observe(settings: readonly KernelSetting[]): readonly SettingObservation[] {
    return settings.map((setting) => this.#observeOne(setting))
  }

  /** For a gateway that leaves the machine; returns what could not be restored. */
  leave(): { readonly put: number; readonly failed: readonly string[] } {
    const paths = [...this.#before().keys()]
    return { put: paths.length, failed: this.#putBack(paths) }
  }

  #before(): Map<string, string> {
    if (this.#known) return this.#known
    const record = readJson<SettingsRecord>(this.#recordPath, this.#context.log)
    this.#known = new Map(record?.kernel === this.#context.kernel ? record.before : [])
    return this.#known
  }

  #remember(next: Map<string, string>): void {
    const { kernel } = this.#context
    this.#known = next
    if (next.size === 0) removeDurable(this.#recordPath)
    else writeDurable(this.#recordPath, JSON.stringify({ kernel, before: [...next] } satisfies SettingsRecord))
  }

  #read(path: string): string | null {
    try {
      return readFileSync(join(this.#root, path), 'utf8').trim()
    } catch {
      return null
    }
  }

  /** With `default` first, so that a device that comes in the meantime already has the value. */
  #pathsOf(patterns: readonly string[]): string[] {
    return patterns.flatMap((pattern) => {
      const [folder = '', rest] = pattern.split('/*/')
      if (rest === undefined) return [pattern]
      return ['default', ...devicesIn(join(this.#root, folder))].map((device) => `${folder}/${device}/${rest}`)
    })
  }

  #isWaiting(path: string): boolean {
    const last = this.#refused.get(path)
    // Either way: the clock may be set back.
    return last !== undefined && Math.abs(this.#now() - last.at) < retryMs
  }

  /** What is not as it should be and can be written. A device may go at any time, and a kernel may lack a setting. */
  #wrongPaths({ name, value }: KernelSetting): { readonly path: string; readonly found: string }[] {
    return this.#pathsOf(settingTable[name].paths).flatMap((path) => {
      const found = this.#read(path)
      return found === null || isRight(settingTable[name], value, found) ? [] : [{ path, found }]
    })
  }

  /** Recorded values that no setting of these holds any more. */
  #leftOver(settings: readonly KernelSetting[]): string[] {
    const held = new Set(
      settings.flatMap(({ name }) => [...settingTable[name].paths, ...(settingTable[name].moves ?? [])]),
    )
    return [...this.#before().keys()].filter((path) => !held.has(path) && !held.has(patternOf(path)))
  }

  /** Before the first of them is written: a value without a record could never be restored. */
  #record(settings: readonly KernelSetting[]): void {
    const all = new Map(this.#before())
    for (const { name } of settings) {
      const { paths, moves = [] } = settingTable[name]
      for (const path of this.#pathsOf([...paths, ...moves])) {
        const found = all.has(path) ? null : this.#read(path)
        if (found !== null) all.set(path, this.#inherited(path, found))
      }
    }
    if (all.size > this.#before().size) this.#remember(all)
  }

  /** A device that came later has our value from `default`, and would have had the earlier one without us. */
  #inherited(path: string, found: string): string {
    const origin = defaultOf(path)
    const earlier = origin === null ? undefined : this.#before().get(origin)
    return origin !== null && earlier !== undefined && this.#read(origin) === found ? earlier : found
  }

  #write(path: string, value: string): boolean {
    try {
      if (this.#read(path) !== value) writeFileSync(join(this.#root, path), `${value}\n`, { flag: 'r+' })
      this.#refused.delete(path)
      return true
    } catch (fault) {
      const words = getSystemErrorMessage((fault as NodeJS.ErrnoException).errno ?? 0)
      // A device that has gone takes its settings with it.
      if (this.#read(path) !== null) this.#refused.set(path, { words, at: this.#now() })
      return false
    }
  }

  /** Returns the paths that the kernel did not take. Those that are not there any more need nothing. */
  #putBack(paths: readonly string[]): string[] {
    if (paths.length === 0) return []
    const rest = new Map(this.#before())
    const failed: string[] = []
    for (const path of paths) {
      const value = this.#before().get(path)
      if (value === undefined) continue
      const ours = this.#read(path)
      if (ours !== null && !this.#write(path, value) && this.#read(path) !== null) failed.push(path)
      if (path.includes('/conf/default/')) this.#putBackLater(path, ours, value)
      rest.delete(path)
    }
    this.#remember(rest)
    return failed
  }

  /** Devices that came after the record and still have what `default` gave them. */
  #putBackLater(origin: string, ours: string | null, value: string): void {
    for (const path of this.#pathsOf([patternOf(origin)]))
      if (path !== origin && !this.#before().has(path) && this.#read(path) === ours) this.#write(path, value)
  }

  #observeOne({ name, value }: KernelSetting): SettingObservation {
    const spec = settingTable[name]
    const paths = this.#pathsOf(spec.paths).filter((path) => this.#read(path) !== null)
    const wrong = paths.find((path) => !isRight(spec, value, this.#read(path)))
    const shown = wrong ?? paths[0]
    const earlier = paths.map((path) => this.#before().get(path)).find((one) => one !== undefined && one !== value)
    const state = shown === undefined ? 'missing' : wrong === undefined ? 'set' : 'different'
    const refusal = wrong === undefined ? undefined : this.#refused.get(wrong)
    return {
      name,
      value: shown === undefined ? null : this.#read(shown),
      wanted: value,
      before: earlier ?? (shown === undefined ? null : (this.#before().get(shown) ?? null)),
      state: state === 'different' && refusal ? 'refused' : state,
      message: this.#messageOf(name, { wrong, refusal: refusal?.words, isMissing: shown === undefined }),
    }
  }

  #messageOf(
    name: string,
    { wrong, refusal, isMissing }: { wrong: string | undefined; refusal: string | undefined; isMissing: boolean },
  ): SaidText {
    if (isMissing) return say`The kernel does not have the setting here.`
    if (wrong !== undefined && refusal !== undefined)
      return say`The kernel does not let the gateway write ${join(this.#root, wrong)}: ${refusal}.`
    if (wrong !== undefined) return say`${join(this.#root, wrong)} has another value.`
    const repair = this.#repairs.get(name)
    if (!repair) return ''
    const time = new Date(repair.at).toISOString().replace(/\.\d+/, '')
    return say`Another program had set it to ${repair.found}; it was corrected at ${time}.`
  }
}

const isRight = ({ isMinimum }: SettingSpec, value: string, found: string | null): boolean =>
  found === value || (isMinimum === true && found !== null && Number(found) >= Number(value))

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
