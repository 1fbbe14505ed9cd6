// The transaction: check a plan, switch the machine to it as a whole, or put everything back. Works from what is on
// the machine, not from memory, so the same code applies, repairs drift and recovers after a crash.
// Duty of the caller: one call of check, apply or recover at a time.

import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../contract/error.ts'
import type { CheckReport, Observation, Outcome, Plan, TableObservation } from '../plan/artifacts.ts'
import type { Context, FailpointName } from './applyd.ts'
import { isAsWritten, readJson, readRegular, removeDurable, removeTemporary, writeDurable } from './durable.ts'
import { listTable, runScript, type TableBodies, type Verdict } from './nft.ts'
import { run } from './processes.ts'
import { Refusal } from './requests.ts'
import type { Supervisor } from './supervisor.ts'
import type { UnitSpec } from './tables.ts'
import { oneLine, wordsOf } from './text.ts'
import { commandLine, inputsOf } from './units.ts'
import { type Difference, type Target, targetOf, vetTarget } from './vet.ts'

const checkTimeoutMs = 20_000
/** gatewayd waits 60 s for an answer; what is not switched by then has to be on its way back. */
const applyTimeoutMs = 40_000

/** What is applied. `kernel` tells whether the kernel that holds the tables is still the same one. */
interface AppliedRecord {
  readonly id: string
  readonly revision: number
  readonly kernel: string
  readonly tables: Readonly<Record<string, { readonly body: string; readonly fingerprint: string }>>
}

/** What is needed to undo a switch, written before it begins: by name, what was there. File contents are base64. */
interface Intent {
  readonly id: string
  readonly kernel: string
  readonly files: readonly (readonly [name: string, content: string | null])[]
  readonly tables: readonly (readonly [name: string, body: string | null])[]
  readonly units: readonly string[]
}

/** Several faults at once, each with the object it belongs to. */
class Faults extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ field, message }) => `${field}: ${message}`).join(' '))
    this.problems = problems
  }
}

const problemsOf = (fault: unknown): readonly Problem[] =>
  fault instanceof Faults ? fault.problems : [{ field: 'apply', message: wordsOf(fault) }]

export function createExecutor(context: Context, supervisor: Supervisor) {
  const { plane, limitation, directory, kernel, tables, log, failpoint } = context
  const { nft, files, units } = tables
  const recordPath = join(directory, 'applied.json')
  const intentPath = join(directory, 'intent.json')
  const stagingPath = join(directory, 'staging')
  let applied: AppliedRecord | null = null
  /** An intent whose put-back failed: the next apply may still have to go back to it. */
  let pending: Intent | null = null

  const pathOf = (file: string): string => files.get(file)?.path ?? ''
  const list = (table: string) => listTable(nft, table)

  /** Before anything is served: undoes what a crash left half done and closes the way if no ruleset stands. */
  async function recover(): Promise<void> {
    fs.rmSync(stagingPath, { recursive: true, force: true })
    fs.mkdirSync(stagingPath, { mode: 0o700 })
    if (plane === 'none') return
    for (const file of files.values()) removeTemporary(file.path)
    await supervisor.adopt()
    const record = readJson<AppliedRecord>(recordPath, log)
    const intent = readJson<Intent>(intentPath, log)
    applied = record?.kernel === kernel ? record : null
    if (intent && intent.id !== record?.id) await putBack(intent, [])
    else removeDurable(intentPath)
    // A record whose tables are gone from the kernel is void: the next apply loads everything.
    for (const name of Object.keys(applied?.tables ?? {})) if (!(await list(name))) applied = null
    if (!(await list(nft.tables[0]))) await load(new Map([[nft.tables[0], null]]))
    supervisor.look()
  }

  async function check(plan: Plan): Promise<CheckReport> {
    const target = targetOf(plan, tables)
    return checkTarget(target, await differenceTo(target))
  }

  async function apply(plan: Plan): Promise<Outcome> {
    if (plane === 'none') return { status: 'stored', reason: limitation ?? 'This data plane applies nothing.' }
    if (applied && plan.revision < applied.revision)
      throw new Refusal(`Revision ${plan.revision} is older than the applied revision ${applied.revision}.`)
    const limit = Date.now() + applyTimeoutMs
    const step = (name: FailpointName) => {
      failpoint(name)
      if (Date.now() > limit) throw new Error(`The change took longer than ${applyTimeoutMs / 1000} seconds.`)
    }
    let intent: Intent | null = null
    try {
      const target = targetOf(plan, tables)
      const difference = await differenceTo(target)
      const { problems } = await checkTarget(target, difference)
      if (problems.length > 0) return { status: 'put_back', problems, restored: true }
      const changed = Object.entries(difference).flatMap(([kind, names]) => names.map((name) => `${kind} ${name}`))
      if (changed.length === 0 && !pending && applied?.revision === plan.revision) return { status: 'applied', changed }
      intent = intentFor(difference)
      writeDurable(intentPath, JSON.stringify(intent))
      step('intent.written')
      switchFiles(target.files)
      const loaded = await load(pick(target.tables, difference.nft))
      const started = await switchUnits(target.units)
      step('units.switched')
      await probe(started)
      step('probed')
      commit(intent.id, plan.revision, target, loaded)
      return { status: 'applied', changed }
    } catch (fault) {
      log('error', 'An apply failed', { fault, revision: plan.revision })
      const first = problemsOf(fault)
      const problems = intent ? await putBack(intent, first) : first
      return { status: 'put_back', problems, restored: problems.length === first.length }
    }
  }

  async function observe(): Promise<Observation> {
    const observeTable = async (name: string): Promise<TableObservation> => {
      const listing = plane === 'none' ? null : await list(name)
      const asLoaded = listing !== null && applied?.tables[name]?.fingerprint === listing.fingerprint
      return { name, present: listing !== null, asLoaded, rules: listing?.rules ?? [] }
    }
    const observed = await Promise.all(nft.tables.map(observeTable))
    const appliedRevision = applied?.revision ?? null
    return { plane, limitation, appliedRevision, tables: observed, units: supervisor.observe() }
  }

  async function differenceTo(target: Target): Promise<Difference> {
    const contentOf = (name: string) => target.files.get(name) ?? null
    const inputsFor = (name: string, spec: UnitSpec) => (target.units.has(name) ? inputsOf(spec, contentOf) : null)
    const changedFiles = [...files].filter(([name, spec]) => !isAsWritten(spec.path, contentOf(name), spec))
    const changedUnits = [...units].filter(([name, spec]) => !supervisor.isCurrent(name, inputsFor(name, spec)))
    return {
      nft: [...(await tablesToLoad(target.tables)).keys()],
      file: changedFiles.map(([name]) => name),
      unit: changedUnits.map(([name]) => name),
    }
  }

  async function tablesToLoad(bodies: TableBodies): Promise<TableBodies> {
    const changed = new Map<string, string | null>()
    for (const [name, body] of bodies) if (!(await isTableCurrent(name, body))) changed.set(name, body)
    return changed
  }

  /** The kernel is asked only when the record alone cannot say that a load is needed: listings are expensive. */
  async function isTableCurrent(name: string, body: string | null): Promise<boolean> {
    const record = applied?.tables[name]
    if ((record?.body ?? null) !== body) return false
    if (plane === 'none') return true
    const listing = await list(name)
    if (body === null) return listing === null && (name !== nft.tables[0] || (await list(nft.boot)) !== null)
    return listing !== null && listing.fingerprint === record?.fingerprint
  }

  async function checkTarget(target: Target, difference: Difference): Promise<CheckReport> {
    const problems = vetTarget(target, difference, tables)
    const unchecked: { artifact: string; reason: string }[] = []
    // What the vet refused is not shown to any program.
    const refused = new Set(problems.map((problem) => problem.field))
    const add = (kind: string, names: readonly string[], { problems: found, unchecked: reason }: Verdict) => {
      problems.push(...found)
      if (reason !== null) unchecked.push(...names.map((name) => ({ artifact: `${kind} ${name}`, reason })))
    }
    const staging = fs.mkdtempSync(`${stagingPath}/`)
    try {
      const staged = new Map(difference.file.map((name) => [name, join(staging, name)]))
      for (const [name, path] of staged) fs.writeFileSync(path, target.files.get(name) ?? '', { mode: 0o600 })
      failpoint('staged')
      if (difference.nft.length > 0 && !difference.nft.some((name) => refused.has(name)))
        add('nft', difference.nft, await runScript(nft, pick(target.tables, difference.nft), true))
      for (const name of difference.unit.filter((unit) => target.units.has(unit))) {
        const inputs = units.get(name)?.files ?? []
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
    const command = units.get(name)?.check
    if (!command) return { problems: [], unchecked: `${name} has no checker of its own.` }
    const line = commandLine(command, (file) => staged.get(file) ?? pathOf(file))
    const { code, failure, stderr, stdout } = await run(line, checkTimeoutMs)
    if (failure === 'missing') return { problems: [], unchecked: `${command.program} is not installed.` }
    const words = oneLine((stderr || stdout).replaceAll(`${staging}/`, ''))
    const message = failure ? `The checker of ${name} did not finish.` : words || `The checker ended with ${code}.`
    return { problems: code === 0 ? [] : [{ field: name, message }], unchecked: null }
  }

  function intentFor(difference: Difference): Intent {
    const contentOf = (file: string) => readRegular(pathOf(file))?.toString('base64') ?? null
    const files = [...difference.file.map((name) => [name, contentOf(name)] as const), ...(pending?.files ?? [])]
    const bodies = difference.nft.map((name) => [name, applied?.tables[name]?.body ?? null] as const)
    return { id: randomUUID(), kernel, files, tables: bodies, units: pending?.units ?? supervisor.wanted() }
  }

  function switchFiles(contents: ReadonlyMap<string, Buffer | null>): void {
    for (const [name, content] of contents) {
      const spec = files.get(name)
      if (!spec || isAsWritten(spec.path, content, spec)) continue
      if (content === null) removeDurable(spec.path)
      else writeDurable(spec.path, content, spec, () => failpoint('file.written'))
      failpoint('file.switched')
    }
  }

  /** One transaction for all tables; answers the fingerprints of what the kernel then lists. */
  async function load(bodies: TableBodies): Promise<ReadonlyMap<string, string>> {
    const fingerprints = new Map<string, string>()
    if (bodies.size === 0) return fingerprints
    const { problems, unchecked } = await runScript(nft, bodies, false)
    if (problems.length > 0) throw new Faults(problems)
    if (unchecked !== null) throw new Error(unchecked)
    failpoint('nft.loaded')
    for (const [name, body] of bodies) {
      const listing = await list(name)
      if ((listing === null) !== (body === null)) throw new Error(`The kernel does not hold ${name} as loaded.`)
      if (listing) fingerprints.set(name, listing.fingerprint)
    }
    return fingerprints
  }

  /** Ends what is not wanted first, so that ports are free; then starts in the order of the table. */
  async function switchUnits(wanted: ReadonlySet<string>): Promise<string[]> {
    const changed: string[] = []
    const stops = supervisor.wanted().filter((name) => !wanted.has(name))
    for (const name of stops.toReversed()) await supervisor.stop(name)
    for (const [name, spec] of units) {
      const inputs = inputsOf(spec, (file) => readRegular(pathOf(file)))
      if (wanted.has(name) && (await supervisor.ensure(name, inputs))) changed.push(name)
    }
    return changed
  }

  async function probe(names: readonly string[]): Promise<void> {
    const problems: Problem[] = []
    const probeUnit = (name: string): Promise<unknown> =>
      supervisor.probe(name).catch((fault) => problems.push({ field: name, message: wordsOf(fault) }))
    await Promise.all(names.map(probeUnit))
    if (problems.length > 0) throw new Faults(problems)
  }

  /** The moment the new state counts. Whatever fails after the record is written cannot take it back. */
  function commit(id: string, revision: number, target: Target, loaded: ReadonlyMap<string, string>): void {
    const held = [...target.tables].flatMap(([name, body]) => {
      const fingerprint = loaded.get(name) ?? applied?.tables[name]?.fingerprint
      return body === null ? [] : [[name, { body, fingerprint }]]
    })
    const record: AppliedRecord = { id, revision, kernel, tables: Object.fromEntries(held) }
    writeDurable(recordPath, JSON.stringify(record))
    applied = record
    pending = null
    try {
      failpoint('record.written')
      removeDurable(intentPath)
      failpoint('intent.removed')
    } catch (fault) {
      log('warning', 'The intent of a finished apply stays until the next start', { fault })
    }
  }

  /** Goes back to the state before the intent, as far as it can; answers the first faults and those met here. */
  async function putBack(intent: Intent, first: readonly Problem[]): Promise<readonly Problem[]> {
    const problems = [...first]
    const attempt = async (name: FailpointName, work: () => unknown) => {
      try {
        failpoint(name)
        await work()
      } catch (fault) {
        log('error', 'Putting back failed', { fault, step: name })
        problems.push(...problemsOf(fault).map(({ field, message }) => ({ field, message: `Put back: ${message}` })))
      }
    }
    // After a reboot the old rules and processes are gone: going back then means the closed boot state.
    const isSameKernel = intent.kernel === kernel
    const decode = (text: string | null) => (text === null ? null : Buffer.from(text, 'base64'))
    const contents = new Map(intent.files.map(([name, text]) => [name, decode(text)]))
    const bodies = new Map(intent.tables.map(([name, body]) => [name, isSameKernel ? body : null]))
    const wanted = new Set(isSameKernel ? intent.units : [])
    await attempt('restore.files', () => switchFiles(contents))
    await attempt('restore.tables', async () => load(await tablesToLoad(bodies)))
    await attempt('restore.units', async () => probe(await switchUnits(wanted)))
    // The record is written again because writing the new one may have failed half way.
    await attempt('restore.done', () => {
      if (applied) writeDurable(recordPath, JSON.stringify(applied))
      else removeDurable(recordPath)
      if (problems.length === first.length) removeDurable(intentPath)
    })
    pending = problems.length === first.length ? null : intent
    return problems
  }

  return { recover, check, apply, observe }
}

const pick = <V>(all: ReadonlyMap<string, V>, names: readonly string[]): Map<string, V> =>
  new Map([...all].filter(([name]) => names.includes(name)))
