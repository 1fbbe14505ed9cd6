// The transaction: check a plan, switch the machine to it as a whole, or revert everything. Works from what is on the
// machine, not from memory, so the same code applies, repairs drift and recovers after a crash.
// The caller must make only one call of check, apply or recover at a time.

import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Problem } from '../core/contract/error.ts'
import type { CheckReport, LinkPlan, Observation, Outcome, Plan } from '../core/plan/artifacts.ts'
import { run } from '../engines/kit/processes.ts'
import { findFile, findUnit, objectForm, readsFile, type Tables } from '../engines/kit/tables.ts'
import { objectOfComplaint, oneLine, wordsOf } from '../engines/kit/text.ts'
import { Refusal } from '../engines/kit/values.ts'
import {
  isAsWritten,
  readJson,
  readRegular,
  removeDurable,
  removeTemporary,
  writeDurable,
} from '../shared/files/durable.ts'
import { writeNew } from '../shared/files/guarded.ts'
import { makeRoom } from '../shared/files/reserve.ts'
import { patient } from '../shared/pace.ts'
import { say, verbatim } from '../shared/said.ts'
import { type Checked, isSameState } from './checked.ts'
import type { Context, FailpointName, Intent } from './context.ts'
import { Faults, problemsOf, throwIfFailed, tryRevert } from './faults.ts'
import type { Verdict } from './kernel/nft-kernel.ts'
import { Attempts } from './loaded/attempts.ts'
import type { Busy } from './loaded/busy.ts'
import type { Entry } from './loaded/journal.ts'
import { vetAhead } from './loaded/vet-pieces.ts'
import type { NetworkEngine } from './network.ts'
import type { TableTargets } from './pieces.ts'
import type { Ruleset } from './ruleset.ts'
import type { Supervisor } from './supervisor.ts'
import { commandLine, inputsOf } from './units.ts'
import { type Difference, type Target, targetOf, vetTarget } from './vet.ts'
import { type RecordedWays, recordOf, type Ways } from './ways.ts'

const checkTimeoutMs = 20_000
/** gatewayd waits 60 s for an answer; a change that is not complete by then must already be reverting. */
const applyTimeoutMs = 40_000

/**
 * What is applied. `kernel` identifies the running kernel: after a reboot the tables are gone. `rules` is what this apply
 * changed in the tables, null when the record of the ruleset is known to hold it. There is also the newer revision of a
 * change of nothing but tables.
 */
interface AppliedRecord extends RecordedWays {
  readonly id: string
  readonly revision: number
  readonly kernel: string
  readonly rules: Entry | null
  readonly links: readonly LinkPlan[] | null
}

/** What the executor switches, beside files. */
export interface Engines {
  readonly supervisor: Supervisor
  readonly ruleset: Ruleset
  readonly network: Pick<NetworkEngine, 'adopt' | 'apply' | 'isCurrent' | 'observe' | 'vet'>
  readonly ways: Ways
  readonly busy: Busy
}

export class Executor {
  readonly #context: Context
  readonly #tables: Tables
  readonly #supervisor: Supervisor
  readonly #ruleset: Ruleset
  readonly #network: Engines['network']
  readonly #ways: Ways
  readonly #recordPath: string
  readonly #intentPath: string
  readonly #stagingPath: string
  #applied: AppliedRecord | null = null
  /** The plan of the applied revision; null until one came, for example after a restart. */
  #appliedPlan: Plan | null = null
  /** An intent whose revert failed: the next apply may still have to revert to it. */
  #pending: Intent | null = null
  /** The files that the last apply wrote, as the same buffers that it was given. */
  #written: Target['files'] = new Map()
  /** What passed the last check, so that its apply need not check again. */
  #checked: Checked | null = null
  readonly #observeWays: () => Promise<Partial<Observation>>
  /** Plans that are tried first. */
  readonly attempts: Attempts

  constructor(context: Context, engines: Engines) {
    this.#context = context
    this.#tables = context.tables
    this.#supervisor = engines.supervisor
    this.#ruleset = engines.ruleset
    this.#network = engines.network
    this.#ways = engines.ways
    this.#recordPath = join(context.directory, 'applied.json')
    this.#intentPath = join(context.directory, 'intent.json')
    this.#stagingPath = join(context.directory, 'staging')
    this.#observeWays = engines.busy.lastSeen<Partial<Observation>>(
      async () => (this.#applied ? await engines.ways.observe(this.#applied) : {}),
      () => ({}),
    )
    this.attempts = new Attempts(context, engines.ruleset, {
      intentPath: this.#intentPath,
      applied: () => {
        if (this.#pending || !this.#applied || !this.#appliedPlan) return null
        return { revision: this.#applied.revision, plan: this.#appliedPlan }
      },
      units: () => engines.supervisor.wanted(),
      onSettled: (mark, plan) => {
        if (this.#applied) this.#applied = { ...this.#applied, ...mark }
        this.#appliedPlan = plan
      },
      onReverted: (intent) => {
        this.#pending = intent
      },
    })
  }

  /** Before the first request: reverts an apply that a crash interrupted, and loads fail-closed rules if there are none. */
  async recover(): Promise<void> {
    fs.rmSync(this.#stagingPath, { recursive: true, force: true })
    fs.mkdirSync(this.#stagingPath, { mode: 0o700 })
    const { plane, kernel, log } = this.#context
    if (plane === 'none') return
    for (const file of this.#tables.files.values()) removeTemporary(file.path)
    for (const { folder } of this.#tables.fileTemplates.values())
      for (const name of namesIn(folder).filter((one) => !objectForm.test(one)))
        fs.rmSync(join(folder, name), { recursive: true, force: true })
    await this.#supervisor.adopt()
    const record = readJson<AppliedRecord>(this.#recordPath, log)
    const intent = readJson<Intent>(this.#intentPath, log)
    // A record of an earlier release has no rules.
    const mark = record?.kernel === kernel && record.rules !== undefined ? this.#ruleset.restore(record.rules) : null
    this.#applied = record && mark ? { ...record, ...mark } : null
    if (!this.#applied) this.#ruleset.forget()
    const isVoid = intent?.isTablesOnly === true && intent.kernel !== kernel
    const isUnfinished = intent !== null && !isVoid && intent.id !== (this.#applied ?? record)?.id
    if (isUnfinished && this.#applied) this.#ruleset.distrust(intent.tables)
    if (isUnfinished) await (intent.isTablesOnly ? this.attempts.revert(intent, []) : this.#revert(intent, []))
    else removeDurable(this.#intentPath)
    // A record whose tables are missing in the kernel is not valid: the next apply loads everything.
    if (this.#applied && !(await this.#ruleset.isThere())) {
      this.#applied = null
      this.#ruleset.forget()
    }
    if (this.#applied?.links) this.#network.adopt(this.#applied.links)
    throwIfFailed(await this.#ruleset.loadFailClosedRules())
    this.#supervisor.look()
  }

  async check(plan: Plan): Promise<CheckReport> {
    const target = targetOf(plan, this.#tables, this.#presentFiles())
    const difference = await this.#differenceTo(target, plan.revision)
    const report = await this.#checkTarget(target, difference)
    this.#checked = report.problems.length === 0 ? this.#stateOf(target, difference) : null
    return report
  }

  async apply(plan: Plan): Promise<Outcome> {
    if (this.#context.plane === 'none')
      return { status: 'stored', reason: this.#context.limitation ?? 'This data plane applies nothing.' }
    await this.attempts.undoUnsettled()
    if (this.#applied && plan.revision < this.#applied.revision)
      throw new Refusal(`Revision ${plan.revision} is older than the applied revision ${this.#applied.revision}.`)
    const limit = performance.now() + patient(applyTimeoutMs)
    const step = (name: FailpointName) => {
      this.#context.failpoint(name)
      if (performance.now() > limit)
        throw new Error(`The change took more than ${patient(applyTimeoutMs) / 1000} seconds.`)
    }
    let intent: Intent | null = null
    try {
      const target = targetOf(plan, this.#tables, this.#presentFiles())
      // Tables of an earlier life of the kernel; later the caller looks, outside of its turn.
      if (!this.#applied) await this.#ruleset.refresh()
      const difference = await this.#differenceTo(target, plan.revision)
      const isChecked = this.#checked !== null && isSameState(this.#checked, this.#stateOf(target, difference))
      const { problems } = isChecked ? { problems: [] } : await this.#checkTarget(target, difference)
      this.#checked = null
      if (problems.length > 0) return { status: 'put_back', problems, restored: true }
      const changed = Object.entries(difference).flatMap(([kind, names]) => names.map((name) => `${kind} ${name}`))
      if (changed.length === 0 && !this.#pending && this.#applied?.revision === plan.revision) {
        this.#appliedPlan = plan
        return { status: 'applied', changed }
      }
      intent = this.#intentFor(difference)
      writeDurable(this.#intentPath, JSON.stringify(intent))
      step('intent.written')
      this.#switchFiles(pick(target.files, difference.file))
      // Before the rules that need it.
      await this.#ways.open(difference.way, target, this.#applied)
      // Before the links: a new way to the internet must not be open for a moment.
      await this.#load(pick(target.tables, difference.nft))
      await this.#ways.close(difference.way, target)
      if (difference.network.includes('settings')) await this.#ways.set(target)
      if (difference.network.includes('links')) await this.#switchNetwork(target.links)
      step('network.switched')
      const started = await this.#switchUnits(target.units, target.files, difference.file, contentsOf(intent))
      step('units.switched')
      await this.#probe(started)
      step('probed')
      this.#commit(intent.id, plan, target)
      return { status: 'applied', changed }
    } catch (fault) {
      this.#context.log('error', 'An apply failed', { fault, revision: plan.revision })
      const first = problemsOf(fault)
      const problems = intent ? await this.#revert(intent, first) : first
      return { status: 'put_back', problems, restored: problems.length === first.length }
    }
  }

  /** Reads what the apply of this revision is to repair. It needs no turn, and nothing waits for it but that apply. */
  async refresh(revision: number): Promise<void> {
    if (this.#applied?.revision !== revision) return
    try {
      await this.#ruleset.refresh()
    } catch (fault) {
      this.#context.log('warning', 'The tables cannot be read; what was read last is used', { fault })
    }
  }

  async observe(): Promise<Observation> {
    const observed = await this.#ruleset.observe()
    const appliedRevision = this.#applied?.revision ?? null
    return {
      plane: this.#context.plane,
      limitation: this.#context.limitation,
      appliedRevision,
      tables: observed,
      links: this.#network.observe(),
      units: this.#supervisor.observe(),
      ...(await this.#observeWays()),
    }
  }

  readonly #pathOf = (file: string): string => findFile(this.#tables, file)?.path ?? ''

  /** Files of templates that are on the machine, regardless of what created them. */
  #presentFiles(): string[] {
    return [...this.#tables.fileTemplates].flatMap(([template, { folder }]) =>
      namesIn(folder)
        .filter((object) => objectForm.test(object))
        .map((object) => `${template}.${object}`),
    )
  }

  #filesOnMachine(): Target['files'] {
    const names = [...this.#tables.files.keys(), ...this.#presentFiles()]
    return new Map(names.map((name) => [name, readRegular(this.#pathOf(name))]))
  }

  /**
   * A change that leaves the links and files as they are does not read them from the machine; the reconcile loop does so
   * shortly after.
   */
  async #differenceTo(target: Target, revision: number): Promise<Difference> {
    const { plane } = this.#context
    const known = this.#applied?.revision === revision ? null : this.#applied
    const isUnitCurrent = (name: string) => {
      const spec = target.units.has(name) ? findUnit(this.#tables, name) : undefined
      // What someone altered on the machine may be in use, also when the unit was given what the plan says.
      const isAltered = spec !== undefined && changedFiles.some(([file, text]) => text && readsFile(spec, file))
      return !isAltered && this.#supervisor.isCurrent(name, spec ? inputsOf(spec, target.files) : null)
    }
    const isFileUntouched = (name: string, content: Buffer | null): boolean =>
      known !== null && this.#written.get(name) === content
    const changedFiles = [...target.files].filter(
      ([name, content]) => !isFileUntouched(name, content) && !this.#isWritten(name, content),
    )
    const changedTables: string[] = []
    for (const [name, pieces] of target.tables)
      if (!(await this.#ruleset.isCurrent(name, pieces))) changedTables.push(name)
    const isNetworkCurrent =
      plane === 'none' ||
      target.links === null ||
      (known !== null && isDeepStrictEqual(target.links, known.links)) ||
      (await this.#network.isCurrent(target.links))
    const changed = plane === 'none' ? { ways: [], areSettings: false } : await this.#ways.differences(target, known)
    return {
      nft: changedTables,
      network: [...(isNetworkCurrent ? [] : ['links']), ...(changed.areSettings ? ['settings'] : [])],
      way: changed.ways,
      file: changedFiles.map(([name]) => name),
      unit: this.#inOrder([...target.units, ...this.#supervisor.wanted()]).filter((name) => !isUnitCurrent(name)),
    }
  }

  #isWritten(name: string, content: Buffer | null): boolean {
    const spec = findFile(this.#tables, name)
    return !spec || isAsWritten(spec.path, content, spec)
  }

  /** The units of the table in its order, then instances of templates by name. */
  #inOrder(names: readonly string[]): string[] {
    const all = new Set(names)
    return [
      ...[...this.#tables.units.keys()].filter((name) => all.has(name)),
      ...[...all].filter((name) => !this.#tables.units.has(name)).toSorted(),
    ]
  }

  #stateOf(target: Target, difference: Difference): Checked {
    return { target, difference, version: this.#ruleset.version(), applied: this.#applied?.id }
  }

  async #checkTarget(target: Target, difference: Difference): Promise<CheckReport> {
    await vetAhead(difference.nft.flatMap((name) => target.tables.get(name) ?? []))
    const problems = vetTarget(target, difference, this.#tables)
    for (const message of this.#network.vet(target.links ?? []))
      problems.push({ field: 'network', message: verbatim(message) })
    const unchecked: { artifact: string; reason: string }[] = []
    // What the vet refused is not passed to any program.
    const refused = new Set(problems.map((problem) => problem.field))
    const add = (kind: string, names: readonly string[], { problems: found, unchecked: reason }: Verdict) => {
      problems.push(...found)
      if (reason !== null) unchecked.push(...names.map((name) => ({ artifact: `${kind} ${name}`, reason })))
    }
    makeRoom()
    const staging = fs.mkdtempSync(`${this.#stagingPath}/`)
    try {
      const staged = new Map(difference.file.map((name) => [name, join(staging, name)]))
      for (const [name, path] of staged) writeNew(path, target.files.get(name) ?? '', 0o600)
      this.#context.failpoint('staged')
      if (difference.nft.length > 0 && !difference.nft.some((name) => refused.has(name)))
        add('nft', difference.nft, await this.#ruleset.check(pick(target.tables, difference.nft)))
      for (const name of difference.unit.filter((unit) => target.units.has(unit))) {
        const inputs = Object.keys(findUnit(this.#tables, name)?.files ?? {})
        if ([name, ...inputs].some((input) => refused.has(input))) continue
        add('unit', [name], await this.#checkUnit(name, staged, staging))
      }
    } finally {
      fs.rmSync(staging, { recursive: true, force: true })
    }
    this.#context.failpoint('checked')
    return { problems, unchecked }
  }

  async #checkUnit(name: string, staged: ReadonlyMap<string, string>, staging: string): Promise<Verdict> {
    const check = findUnit(this.#tables, name)?.check
    const command = typeof check === 'function' ? check(staged, staging) : check
    if (!command) return { problems: [], unchecked: `${name} has no checker.` }
    const line = commandLine(command, (file) => staged.get(file) ?? this.#pathOf(file))
    const { code, failure, stderr, stdout } = await run(line, checkTimeoutMs)
    if (failure === 'missing') return { problems: [], unchecked: `${command.program} is not installed.` }
    const words = oneLine((stderr || stdout).replaceAll(`${staging}/`, ''))
    const message = failure
      ? say`The checker of ${name} timed out.`
      : verbatim(words) || say`The checker ended with ${code}.`
    const textOf = (file: string): string => readRegular(staged.get(file) ?? this.#pathOf(file))?.toString() ?? ''
    const field = objectOfComplaint(words, textOf) ?? name
    return { problems: code === 0 ? [] : [{ field, message }], unchecked: null }
  }

  #intentFor(difference: Difference): Intent {
    const contentOf = (file: string) => readRegular(this.#pathOf(file))?.toString('base64') ?? null
    const files = [...difference.file.map((name) => [name, contentOf(name)] as const), ...(this.#pending?.files ?? [])]
    const touched = [...new Set([...difference.nft, ...(this.#pending?.tables ?? [])])]
    const units = this.#pending?.units ?? this.#supervisor.wanted()
    return { id: randomUUID(), kernel: this.#context.kernel, files, tables: touched, units }
  }

  #switchFiles(contents: ReadonlyMap<string, Buffer | null>): void {
    for (const [name, content] of contents) {
      const spec = findFile(this.#tables, name)
      if (!spec || isAsWritten(spec.path, content, spec)) continue
      if (content === null) removeDurable(spec.path, spec)
      else writeDurable(spec.path, content, spec, () => this.#context.failpoint('file.written'))
      this.#context.failpoint('file.switched')
    }
  }

  async #switchNetwork(links: readonly LinkPlan[] | null): Promise<void> {
    if (links !== null && !(await this.#network.isCurrent(links))) await this.#network.apply(links)
  }

  async #load(targets: TableTargets): Promise<void> {
    if (targets.size > 0) throwIfFailed(await this.#ruleset.load(targets))
  }

  /** Stops what is not wanted first, so that ports are free; then starts in the order of the table. */
  async #switchUnits(
    wanted: ReadonlySet<string>,
    contents: Target['files'],
    changedFiles: readonly string[],
    before: ReadonlyMap<string, Buffer | null> | null = null,
  ): Promise<string[]> {
    const changed: string[] = []
    const stops = this.#supervisor.wanted().filter((name) => !wanted.has(name))
    for (const name of stops.toReversed()) await this.#supervisor.stop(name)
    for (const name of this.#inOrder([...wanted])) {
      const spec = findUnit(this.#tables, name)
      if (!spec) continue
      const ownFiles = changedFiles.filter((file) => readsFile(spec, file))
      const change = {
        files: ownFiles,
        before: (file: string) => before?.get(file)?.toString() ?? null,
        // A revert leaves units alone that never had the files it takes back.
        isAltered: before !== null && ownFiles.some((file) => contents.get(file)),
      }
      if (spec.isSlow || this.#supervisor.mustInstall(name)) {
        this.#supervisor.begin(name, inputsOf(spec, contents), change)
        continue
      }
      const isChanged = await this.#supervisor.ensure(name, inputsOf(spec, contents), change).catch((fault) => {
        if (!spec.isOptional) throw new Faults([{ field: name, message: verbatim(wordsOf(fault)) }])
        this.#context.log('warning', `${name} could not be started or reloaded`, { fault })
      })
      if (isChanged) changed.push(name)
    }
    return changed
  }

  async #probe(names: readonly string[]): Promise<void> {
    const problems: Problem[] = []
    const probeUnit = (name: string): Promise<unknown> =>
      this.#supervisor.probe(name).catch((fault) => {
        if (findUnit(this.#tables, name)?.isOptional)
          this.#context.log('warning', `${name} failed its health check`, { fault })
        else problems.push({ field: name, message: verbatim(wordsOf(fault)) })
      })
    await Promise.all(names.map(probeUnit))
    if (problems.length > 0) throw new Faults(problems)
  }

  /** The commit point: a failure after the record is written does not revert the new state. */
  #commit(id: string, plan: Plan, { files: contents, links, ...target }: Target): void {
    const { kernel, failpoint, log } = this.#context
    const { revision } = plan
    const rules = this.#ruleset.entryFor({ id, revision })
    const record: AppliedRecord = { id, revision, kernel, rules, links, ...recordOf(target) }
    writeDurable(this.#recordPath, JSON.stringify(record))
    this.#appliedPlan = plan
    this.#written = contents
    this.#pending = null
    const finish = (work: () => void): void => {
      try {
        work()
      } catch (fault) {
        log('warning', 'The intent of a finished apply could not be removed and is kept until the next start', {
          fault,
        })
      }
    }
    finish(() => failpoint('record.written'))
    const isStored = this.#ruleset.settle(rules)
    this.#applied = { ...record, rules: isStored ? null : rules }
    finish(() => {
      removeDurable(this.#intentPath)
      failpoint('intent.removed')
    })
  }

  /** Restores the state before the intent as far as possible; returns the first faults and those of the revert. */
  async #revert(intent: Intent, first: readonly Problem[]): Promise<readonly Problem[]> {
    this.#written = new Map()
    const problems = [...first]
    const attempt = async (name: FailpointName, work: () => unknown) => {
      problems.push(...(await tryRevert(this.#context, name, work)))
    }
    // After a reboot the old rules and processes are gone: reverting then means the fail-closed rules of the boot.
    const isSameKernel = intent.kernel === this.#context.kernel
    const contents = contentsOf(intent)
    const wanted = new Set(isSameKernel ? intent.units.map((name) => this.#tables.formerUnits.get(name) ?? name) : [])
    await attempt('restore.files', () => this.#switchFiles(contents))
    await attempt('restore.network', async () => {
      await this.#ways.ensure(isSameKernel && this.#applied ? this.#applied : { ways: {} })
      await this.#switchNetwork(isSameKernel ? (this.#applied?.links ?? null) : null)
    })
    await attempt('restore.tables', async () =>
      this.#load(await this.#ruleset.findRevertTargets(intent.tables, isSameKernel)),
    )
    const touched = intent.files.map(([name]) => name)
    await attempt('restore.units', async () =>
      this.#probe(await this.#switchUnits(wanted, this.#filesOnMachine(), touched)),
    )
    // The record is written again because writing the new one may have failed half way.
    await attempt('restore.done', () => {
      if (this.#applied) writeDurable(this.#recordPath, JSON.stringify(this.#applied))
      else removeDurable(this.#recordPath)
      if (problems.length === first.length) removeDurable(this.#intentPath)
    })
    this.#pending = problems.length === first.length ? null : intent
    return problems
  }
}

const contentsOf = ({ files }: Intent): ReadonlyMap<string, Buffer | null> =>
  new Map(files.map(([name, text]) => [name, text === null ? null : Buffer.from(text, 'base64')]))

/** Empty when the folder does not exist. */
const namesIn = (folder: string): string[] => (fs.existsSync(folder) ? fs.readdirSync(folder) : [])

function pick<V>(all: ReadonlyMap<string, V>, names: readonly string[]): Map<string, V> {
  const wanted = new Set(names)
  return new Map([...all].filter(([name]) => wanted.has(name)))
}
