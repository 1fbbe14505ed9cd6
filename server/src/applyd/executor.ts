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
import { findFile, findUnit, objectForm, readsFile } from '../engines/kit/tables.ts'
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
import type { Context, FailpointName } from './applyd.ts'
import { type Checked, isSameState } from './checked.ts'
import { Faults, problemsOf, throwIfFailed } from './faults.ts'
import type { Verdict } from './kernel/kernel.ts'
import { createAttempts } from './loaded/attempts.ts'
import type { Busy } from './loaded/busy.ts'
import type { Entry } from './loaded/journal.ts'
import { vetAhead } from './loaded/vet-pieces.ts'
import type { createNetworkEngine } from './network.ts'
import type { TableTargets } from './pieces.ts'
import type { LoadOptions, Ruleset } from './ruleset.ts'
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

/**
 * What is needed to undo a switch, written before it begins: which files were there with what content (base64), which
 * tables are touched, which units ran. The tables and links to restore are in the record of what is applied.
 */
export interface Intent {
  readonly id: string
  readonly kernel: string
  readonly files: readonly (readonly [name: string, content: string | null])[]
  readonly tables: readonly string[]
  readonly units: readonly string[]
  /** Set when nothing but tables is touched. Such an intent is not forced to the disk, and void after a reboot. */
  readonly isTablesOnly?: true
  /** What rules counted that the switch removes. */
  readonly counts?: readonly (readonly [origin: string, packets: number, bytes: number])[]
}

/** What the executor switches, beside files. */
export interface Engines {
  readonly supervisor: Supervisor
  readonly ruleset: Ruleset
  readonly network: ReturnType<typeof createNetworkEngine>
  readonly ways: Ways
  readonly busy: Busy
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export function createExecutor(context: Context, { supervisor, ruleset, network, ways, busy }: Engines) {
  const { plane, limitation, directory, kernel, tables, log, failpoint } = context
  const { files, units } = tables
  const recordPath = join(directory, 'applied.json')
  const intentPath = join(directory, 'intent.json')
  const stagingPath = join(directory, 'staging')
  let applied: AppliedRecord | null = null
  /** The plan of the applied revision; null until one came, for example after a restart. */
  let appliedPlan: Plan | null = null
  /** An intent whose revert failed: the next apply may still have to revert to it. */
  let pending: Intent | null = null
  /** The files that the last apply wrote, as the same buffers that it was given. */
  let written: Target['files'] = new Map()
  /** What passed the last check, so that its apply need not check again. */
  let checked: Checked | null = null

  const pathOf = (file: string): string => findFile(tables, file)?.path ?? ''

  /** Files of templates that are on the machine, regardless of what created them. */
  const presentFiles = (): string[] =>
    [...tables.fileTemplates].flatMap(([template, { folder }]) =>
      namesIn(folder)
        .filter((object) => objectForm.test(object))
        .map((object) => `${template}.${object}`),
    )

  const filesOnMachine = (): Target['files'] =>
    new Map([...files.keys(), ...presentFiles()].map((name) => [name, readRegular(pathOf(name))]))

  /** Before the first request: reverts an apply that a crash interrupted, and loads fail-closed rules if there are none. */
  async function recover(): Promise<void> {
    fs.rmSync(stagingPath, { recursive: true, force: true })
    fs.mkdirSync(stagingPath, { mode: 0o700 })
    if (plane === 'none') return
    for (const file of files.values()) removeTemporary(file.path)
    for (const { folder } of tables.fileTemplates.values())
      for (const name of namesIn(folder).filter((one) => !objectForm.test(one)))
        fs.rmSync(join(folder, name), { recursive: true, force: true })
    await supervisor.adopt()
    const record = readJson<AppliedRecord>(recordPath, log)
    const intent = readJson<Intent>(intentPath, log)
    // A record of an earlier release has no rules.
    const mark = record?.kernel === kernel && record.rules !== undefined ? ruleset.restore(record.rules) : null
    applied = record && mark ? { ...record, ...mark } : null
    if (!applied) ruleset.forget()
    const isVoid = intent?.isTablesOnly === true && intent.kernel !== kernel
    const isUnfinished = intent !== null && !isVoid && intent.id !== (applied ?? record)?.id
    if (isUnfinished && applied) ruleset.distrust(intent.tables)
    if (isUnfinished) await (intent.isTablesOnly ? attempts.revert(intent, []) : revert(intent, []))
    else removeDurable(intentPath)
    // A record whose tables are missing in the kernel is not valid: the next apply loads everything.
    if (applied && !(await ruleset.isThere())) {
      applied = null
      ruleset.forget()
    }
    if (applied?.links) network.adopt(applied.links)
    throwIfFailed(await ruleset.loadFailClosedRules())
    supervisor.look()
  }

  async function check(plan: Plan): Promise<CheckReport> {
    const target = targetOf(plan, tables, presentFiles())
    const difference = await differenceTo(target, plan.revision)
    const report = await checkTarget(target, difference)
    checked = report.problems.length === 0 ? stateOf(target, difference) : null
    return report
  }

  async function apply(plan: Plan): Promise<Outcome> {
    if (plane === 'none') return { status: 'stored', reason: limitation ?? 'This data plane applies nothing.' }
    await attempts.undoUnsettled()
    if (applied && plan.revision < applied.revision)
      throw new Refusal(`Revision ${plan.revision} is older than the applied revision ${applied.revision}.`)
    const limit = performance.now() + patient(applyTimeoutMs)
    const step = (name: FailpointName) => {
      failpoint(name)
      if (performance.now() > limit)
        throw new Error(`The change took more than ${patient(applyTimeoutMs) / 1000} seconds.`)
    }
    let intent: Intent | null = null
    try {
      const target = targetOf(plan, tables, presentFiles())
      // Tables of an earlier life of the kernel; later the caller looks, outside of its turn.
      if (!applied) await ruleset.refresh()
      const difference = await differenceTo(target, plan.revision)
      const isChecked = checked !== null && isSameState(checked, stateOf(target, difference))
      const { problems } = isChecked ? { problems: [] } : await checkTarget(target, difference)
      checked = null
      if (problems.length > 0) return { status: 'put_back', problems, restored: true }
      const changed = Object.entries(difference).flatMap(([kind, names]) => names.map((name) => `${kind} ${name}`))
      if (changed.length === 0 && !pending && applied?.revision === plan.revision) {
        appliedPlan = plan
        return { status: 'applied', changed }
      }
      intent = intentFor(difference)
      writeDurable(intentPath, JSON.stringify(intent))
      step('intent.written')
      switchFiles(pick(target.files, difference.file))
      // Before the rules that need it.
      await ways.open(difference.way, target, applied)
      // Before the links: a new way to the internet must not be open for a moment.
      await load(pick(target.tables, difference.nft))
      await ways.close(difference.way, target)
      if (difference.network.includes('settings')) await ways.set(target)
      if (difference.network.includes('links')) await switchNetwork(target.links)
      step('network.switched')
      const started = await switchUnits(target.units, target.files, difference.file, contentsOf(intent))
      step('units.switched')
      await probe(started)
      step('probed')
      commit(intent.id, plan, target)
      return { status: 'applied', changed }
    } catch (fault) {
      log('error', 'An apply failed', { fault, revision: plan.revision })
      const first = problemsOf(fault)
      const problems = intent ? await revert(intent, first) : first
      return { status: 'put_back', problems, restored: problems.length === first.length }
    }
  }

  /** Reads what the apply of this revision is to repair. It needs no turn, and nothing waits for it but that apply. */
  async function refresh(revision: number): Promise<void> {
    if (applied?.revision !== revision) return
    try {
      await ruleset.refresh()
    } catch (fault) {
      log('warning', 'The tables cannot be read; what was read last is used', { fault })
    }
  }

  const observeWays = busy.lastSeen(
    async () => (applied ? await ways.observe(applied) : {}),
    () => ({}),
  )

  async function observe(): Promise<Observation> {
    const observed = await ruleset.observe()
    const appliedRevision = applied?.revision ?? null
    return {
      plane,
      limitation,
      appliedRevision,
      tables: observed,
      links: network.observe(),
      units: supervisor.observe(),
      ...(await observeWays()),
    }
  }

  /**
   * A change that leaves the links and files as they are does not read them from the machine; the reconcile loop does so
   * shortly after.
   */
  const areLinksUntouched = (links: Target['links'], revision: number): boolean =>
    applied !== null && applied.revision !== revision && isDeepStrictEqual(links, applied.links)

  async function differenceTo(target: Target, revision: number): Promise<Difference> {
    const isUnitCurrent = (name: string) => {
      const spec = target.units.has(name) ? findUnit(tables, name) : undefined
      // What someone altered on the machine may be in use, also when the unit was given what the plan says.
      const isAltered = spec !== undefined && changedFiles.some(([file, text]) => text && readsFile(spec, file))
      return !isAltered && supervisor.isCurrent(name, spec ? inputsOf(spec, target.files) : null)
    }
    const isFileUntouched = (name: string, content: Buffer | null): boolean =>
      applied !== null && applied.revision !== revision && written.get(name) === content
    const changedFiles = [...target.files].filter(
      ([name, content]) => !isFileUntouched(name, content) && !isWritten(name, content),
    )
    const changedTables: string[] = []
    for (const [name, pieces] of target.tables) if (!(await ruleset.isCurrent(name, pieces))) changedTables.push(name)
    const isNetworkCurrent =
      plane === 'none' ||
      target.links === null ||
      areLinksUntouched(target.links, revision) ||
      (await network.isCurrent(target.links))
    const known = applied !== null && applied.revision !== revision ? applied : null
    const changed = plane === 'none' ? { ways: [], areSettings: false } : await ways.differences(target, known)
    return {
      nft: changedTables,
      network: [...(isNetworkCurrent ? [] : ['links']), ...(changed.areSettings ? ['settings'] : [])],
      way: changed.ways,
      file: changedFiles.map(([name]) => name),
      unit: inOrder([...target.units, ...supervisor.wanted()]).filter((name) => !isUnitCurrent(name)),
    }
  }

  function isWritten(name: string, content: Buffer | null): boolean {
    const spec = findFile(tables, name)
    return !spec || isAsWritten(spec.path, content, spec)
  }

  /** The units of the table in its order, then instances of templates by name. */
  const inOrder = (names: readonly string[]): string[] => {
    const all = new Set(names)
    return [
      ...[...units.keys()].filter((name) => all.has(name)),
      ...[...all].filter((name) => !units.has(name)).toSorted(),
    ]
  }

  const stateOf = (target: Target, difference: Difference): Checked => ({
    target,
    difference,
    version: ruleset.version(),
    applied: applied?.id,
  })

  async function checkTarget(target: Target, difference: Difference): Promise<CheckReport> {
    await vetAhead(difference.nft.flatMap((name) => target.tables.get(name) ?? []))
    const problems = vetTarget(target, difference, tables)
    for (const message of network.vet(target.links ?? [])) problems.push({ field: 'network', message })
    const unchecked: { artifact: string; reason: string }[] = []
    // What the vet refused is not passed to any program.
    const refused = new Set(problems.map((problem) => problem.field))
    const add = (kind: string, names: readonly string[], { problems: found, unchecked: reason }: Verdict) => {
      problems.push(...found)
      if (reason !== null) unchecked.push(...names.map((name) => ({ artifact: `${kind} ${name}`, reason })))
    }
    makeRoom()
    const staging = fs.mkdtempSync(`${stagingPath}/`)
    try {
      const staged = new Map(difference.file.map((name) => [name, join(staging, name)]))
      for (const [name, path] of staged) writeNew(path, target.files.get(name) ?? '', 0o600)
      failpoint('staged')
      if (difference.nft.length > 0 && !difference.nft.some((name) => refused.has(name)))
        add('nft', difference.nft, await ruleset.check(pick(target.tables, difference.nft)))
      for (const name of difference.unit.filter((unit) => target.units.has(unit))) {
        const inputs = findUnit(tables, name)?.files ?? []
        if ([name, ...inputs].some((input) => refused.has(input))) continue
        add('unit', [name], await checkUnit(name, staged, staging))
      }
    } finally {
      fs.rmSync(staging, { recursive: true, force: true })
    }
    failpoint('checked')
    return { problems, unchecked }
  }

  async function checkUnit(name: string, staged: ReadonlyMap<string, string>, staging: string): Promise<Verdict> {
    const check = findUnit(tables, name)?.check
    const command = typeof check === 'function' ? check(staged, staging) : check
    if (!command) return { problems: [], unchecked: `${name} has no checker.` }
    const line = commandLine(command, (file) => staged.get(file) ?? pathOf(file))
    const { code, failure, stderr, stdout } = await run(line, checkTimeoutMs)
    if (failure === 'missing') return { problems: [], unchecked: `${command.program} is not installed.` }
    const words = oneLine((stderr || stdout).replaceAll(`${staging}/`, ''))
    const message = failure ? `The checker of ${name} timed out.` : words || `The checker ended with ${code}.`
    const textOf = (file: string): string => readRegular(staged.get(file) ?? pathOf(file))?.toString() ?? ''
    const field = objectOfComplaint(words, textOf) ?? name
    return { problems: code === 0 ? [] : [{ field, message }], unchecked: null }
  }

  function intentFor(difference: Difference): Intent {
    const contentOf = (file: string) => readRegular(pathOf(file))?.toString('base64') ?? null
    const files = [...difference.file.map((name) => [name, contentOf(name)] as const), ...(pending?.files ?? [])]
    const touched = [...new Set([...difference.nft, ...(pending?.tables ?? [])])]
    return { id: randomUUID(), kernel, files, tables: touched, units: pending?.units ?? supervisor.wanted() }
  }

  function switchFiles(contents: ReadonlyMap<string, Buffer | null>): void {
    for (const [name, content] of contents) {
      const spec = findFile(tables, name)
      if (!spec || isAsWritten(spec.path, content, spec)) continue
      if (content === null) removeDurable(spec.path, spec)
      else writeDurable(spec.path, content, spec, () => failpoint('file.written'))
      failpoint('file.switched')
    }
  }

  async function switchNetwork(links: readonly LinkPlan[] | null): Promise<void> {
    if (links !== null && !(await network.isCurrent(links))) await network.apply(links)
  }

  const load = async (targets: TableTargets, options?: LoadOptions): Promise<void> => {
    if (targets.size > 0) throwIfFailed(await ruleset.load(targets, options))
  }

  /** Stops what is not wanted first, so that ports are free; then starts in the order of the table. */
  async function switchUnits(
    wanted: ReadonlySet<string>,
    contents: Target['files'],
    changedFiles: readonly string[],
    before: ReadonlyMap<string, Buffer | null> | null = null,
  ): Promise<string[]> {
    const changed: string[] = []
    const stops = supervisor.wanted().filter((name) => !wanted.has(name))
    for (const name of stops.toReversed()) await supervisor.stop(name)
    for (const name of inOrder([...wanted])) {
      const spec = findUnit(tables, name)
      if (!spec) continue
      const ownFiles = changedFiles.filter((file) => readsFile(spec, file))
      const change = {
        files: ownFiles,
        before: (file: string) => before?.get(file)?.toString() ?? null,
        // A revert leaves units alone that never had the files it takes back.
        isAltered: before !== null && ownFiles.some((file) => contents.get(file)),
      }
      if (spec.isSlow || supervisor.mustInstall(name)) {
        supervisor.begin(name, inputsOf(spec, contents), change)
        continue
      }
      const isChanged = await supervisor.ensure(name, inputsOf(spec, contents), change).catch((fault) => {
        if (!spec.isOptional) throw new Faults([{ field: name, message: wordsOf(fault) }])
        log('warning', `${name} could not be started or reloaded`, { fault })
      })
      if (isChanged) changed.push(name)
    }
    return changed
  }

  async function probe(names: readonly string[]): Promise<void> {
    const problems: Problem[] = []
    const probeUnit = (name: string): Promise<unknown> =>
      supervisor.probe(name).catch((fault) => {
        if (findUnit(tables, name)?.isOptional) log('warning', `${name} failed its health check`, { fault })
        else problems.push({ field: name, message: wordsOf(fault) })
      })
    await Promise.all(names.map(probeUnit))
    if (problems.length > 0) throw new Faults(problems)
  }

  /** The commit point: a failure after the record is written does not revert the new state. */
  function commit(id: string, plan: Plan, { files: contents, links, ...target }: Target): void {
    const rules = ruleset.entryFor({ id, revision: plan.revision })
    const record: AppliedRecord = { id, revision: plan.revision, kernel, rules, links, ...recordOf(target) }
    writeDurable(recordPath, JSON.stringify(record))
    appliedPlan = plan
    written = contents
    pending = null
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
    const isStored = ruleset.settle(rules)
    applied = { ...record, rules: isStored ? null : rules }
    finish(() => {
      removeDurable(intentPath)
      failpoint('intent.removed')
    })
  }

  /** Restores the state before the intent as far as possible; returns the first faults and those of the revert. */
  async function revert(intent: Intent, first: readonly Problem[]): Promise<readonly Problem[]> {
    written = new Map()
    const problems = [...first]
    const attempt = async (name: FailpointName, work: () => unknown) => {
      problems.push(...(await tryRevert(name, work)))
    }
    // After a reboot the old rules and processes are gone: reverting then means the fail-closed rules of the boot.
    const isSameKernel = intent.kernel === kernel
    const contents = contentsOf(intent)
    const wanted = new Set(isSameKernel ? intent.units.map((name) => tables.formerUnits.get(name) ?? name) : [])
    await attempt('restore.files', () => switchFiles(contents))
    await attempt('restore.network', async () => {
      await ways.ensure(isSameKernel && applied ? applied : { ways: {} })
      await switchNetwork(isSameKernel ? (applied?.links ?? null) : null)
    })
    await attempt('restore.tables', async () => load(await ruleset.findRevertTargets(intent.tables, isSameKernel)))
    const touched = intent.files.map(([name]) => name)
    await attempt('restore.units', async () => probe(await switchUnits(wanted, filesOnMachine(), touched)))
    // The record is written again because writing the new one may have failed half way.
    await attempt('restore.done', () => {
      if (applied) writeDurable(recordPath, JSON.stringify(applied))
      else removeDurable(recordPath)
      if (problems.length === first.length) removeDurable(intentPath)
    })
    pending = problems.length === first.length ? null : intent
    return problems
  }

  /** A step of a revert; returns its faults. */
  async function tryRevert(name: FailpointName, work: () => unknown): Promise<readonly Problem[]> {
    try {
      failpoint(name)
      await work()
      return []
    } catch (fault) {
      log('error', 'A revert failed', { fault, step: name })
      return problemsOf(fault).map(({ field, message }) => ({ field, message: `The revert failed: ${message}` }))
    }
  }

  const attempts = createAttempts(context, ruleset, {
    intentPath,
    applied: () => (pending ? null : applied && appliedPlan && { revision: applied.revision, plan: appliedPlan }),
    units: () => supervisor.wanted(),
    problemsOf,
    tryRevert,
    load,
    onSettled: (mark, plan) => {
      if (applied) applied = { ...applied, ...mark }
      appliedPlan = plan
    },
    onReverted: (intent) => {
      pending = intent
    },
  })

  const { attempt, settle, undo, disconnected } = attempts
  return { recover, refresh, check, apply, attempt, settle, undo, disconnected, observe }
}

const contentsOf = ({ files }: Intent): ReadonlyMap<string, Buffer | null> =>
  new Map(files.map(([name, text]) => [name, text === null ? null : Buffer.from(text, 'base64')]))

/** Empty when the folder does not exist. */
const namesIn = (folder: string): string[] => (fs.existsSync(folder) ? fs.readdirSync(folder) : [])

function pick<V>(all: ReadonlyMap<string, V>, names: readonly string[]): Map<string, V> {
  const wanted = new Set(names)
  return new Map([...all].filter(([name]) => wanted.has(name)))
}
