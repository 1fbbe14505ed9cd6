// Archives of rules that the operator uploaded: each is received, read by a worker, checked by the inspection engine and then in use.
// What is stored says how far each is, so that a start goes on where the last one ended.

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError, invalid, notFound } from '../../../core/contract/error.ts'
import { WorkerPool } from '../../../core/workers/pool.ts'
import { writeDurably } from '../../../shared/files/durable-file.ts'
import { type SaidText, say } from '../../../shared/said.ts'
import type { archiveTasks } from './archive-worker.ts'
import type { SignatureChecker, Verdict } from './checker.ts'
import { type ArchiveReport, classificationFile, rulesFile } from './read-archive.ts'
import { type RefusalPage, refusalsFile } from './refusals.ts'

export interface ArchivesOptions {
  /** `signatures/archives` of the folder of the gateway. */
  readonly folder: string
  readonly checker: Pick<SignatureChecker, 'checkFile'>
  readonly maxArchives: number
  readonly now: () => Date
  /** Bytes that may still be written without taking the room of the configuration. */
  readonly room: () => number
  /** The rules in use are others. */
  readonly onChange: () => void
  readonly onFault: (error: unknown) => void
}

interface Version {
  /** Name of its folder below that of the archive. */
  readonly folder: string
  /** Unix seconds. */
  readonly receivedAt: number
  readonly isChecked: boolean
  readonly report: ArchiveReport
}

interface Stored {
  readonly id: string
  readonly name: string
  /** In use. */
  readonly current: Version | null
  /** Waits for its check. */
  readonly pending: Version | null
  /** Why the last upload is not in use; otherwise empty. */
  readonly fault: SaidText
  /** Of the upload that is not in use. */
  readonly refused?: ArchiveReport
}

export interface ArchiveState {
  readonly id: string
  readonly name: string
  readonly state: 'checking' | 'active' | 'failed'
  readonly message: SaidText
  readonly receivedAt: number
  readonly isChecked: boolean
  readonly report: ArchiveReport
}

const stateFile = 'archive.json'
const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const arriving = 'arriving'
const nothing: ArchiveReport = { files: 0, rules: 0, disabled: 0, failedCount: 0, failed: [], notes: [] }
const notInstalled = say`The inspection engine is not installed. The rules are checked as soon as it is.`

export class RuleArchives {
  readonly #options: ArchivesOptions
  readonly #pool: WorkerPool<typeof archiveTasks>
  readonly #archives = new Map<string, Stored>()
  /** Id of the archive that is received. */
  #receiving: string | null = null
  /** Why an archive still waits, by its id. */
  readonly #trouble = new Map<string, SaidText>()
  /** Checks that run, by the id of the archive. */
  readonly #checks = new Map<string, AbortController>()
  #isClosed = false
  #checking: Promise<void> | null = null
  #isWanted = false

  constructor(options: ArchivesOptions) {
    this.#options = options
    this.#pool = new WorkerPool({
      entry: new URL('./archive-worker.ts', import.meta.url),
      timeLimitMs: 5 * 60_000,
      idleMs: 1_000,
    })
    for (const stored of readStored(options.folder)) this.#archives.set(stored.id, stored)
  }

  /** In the order of their names. */
  list(): ArchiveState[] {
    return [...this.#archives.values()]
      .map((stored) => shown(stored, this.#trouble.get(stored.id) ?? ''))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Files of the rules in use, and of the names of their groups. */
  active(): { readonly rules: string; readonly classification: string }[] {
    return [...this.#archives.values()].flatMap(({ id, current }) =>
      current === null
        ? []
        : [
            {
              rules: join(this.#options.folder, id, current.folder, rulesFile),
              classification: join(this.#options.folder, id, current.folder, classificationFile),
            },
          ],
    )
  }

  /** Checks what waits for it: after an upload, at a start, and from time to time until the engine is installed. Never rejects. */
  look(): Promise<void> {
    if (this.#checking) this.#isWanted = true
    this.#checking ??= this.#checkWanted().finally(() => {
      this.#checking = null
    })
    return this.#checking
  }

  /** Resolves with the id when the archive is read and on the disk; it is checked afterwards. */
  async receive(name: string, chunks: AsyncIterable<Buffer>, mayAct: () => void): Promise<string> {
    if (this.#receiving !== null)
      throw new GatewayError('conflict', say`Another archive is being received. Try again in a moment.`)
    this.#requirePlace(name)
    const { folder } = this.#options
    const path = join(folder, arriving)
    const id = this.#named(name)?.id ?? randomUUID()
    this.#receiving = id
    const version = randomUUID()
    const target = join(folder, id, version)
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      await this.#store(path, chunks)
      const report = await this.#read(path, target, name)
      mayAct()
      const receivedAt = Math.floor(this.#options.now().getTime() / 1000)
      const before = this.#archives.get(id)
      this.#endCheck(id)
      if (before?.pending) this.#forgetLater(id, before.pending)
      const pending = { folder: version, receivedAt, isChecked: false, report }
      this.#write({ id, name, current: before?.current ?? null, pending, fault: '' })
    } catch (error) {
      rmSync(target, { recursive: true, force: true })
      if (!this.#archives.has(id)) rmSync(join(folder, id), { recursive: true, force: true })
      throw error
    } finally {
      this.#receiving = null
      await rm(path, { force: true })
    }
    void this.look()
    return id
  }

  remove(id: string): void {
    if (!this.#archives.has(id)) throw notFound(say`archive of rules with the id ${id.slice(0, 80)}`)
    if (this.#receiving === id)
      throw new GatewayError('conflict', say`The archive is being received again. Try again in a moment.`)
    this.#endCheck(id)
    const folder = join(this.#options.folder, id)
    // Without its state it is not there, even if the rest is removed only at the next start.
    rmSync(join(folder, stateFile), { force: true })
    this.#archives.delete(id)
    rmSync(folder, { recursive: true, force: true })
    this.#options.onChange()
  }

  /** Rules of the last upload that were left out, in the order in which they were found. */
  refusals(id: string, offset: number, limit: number): Promise<RefusalPage> {
    const stored = this.#archives.get(id)
    if (!stored) throw notFound(say`archive of rules with the id ${id.slice(0, 80)}`)
    const version = stored.pending ?? (stored.fault === '' ? stored.current : null)
    const path = join(this.#options.folder, id, ...(version ? [version.folder] : []), refusalsFile)
    return this.#pool.run('refusals', { path, offset, limit }, { owner: id })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const id of this.#checks.keys()) this.#endCheck(id)
    await this.#pool.close()
  }

  #named(name: string): Stored | undefined {
    return [...this.#archives.values()].find((stored) => stored.name === name)
  }

  #requirePlace(name: string): void {
    const { maxArchives } = this.#options
    if (this.#named(name) || this.#archives.size < maxArchives) return
    throw new GatewayError(
      'conflict',
      say`There are ${maxArchives} archives of rules. Remove one that is not used first.`,
    )
  }

  async #store(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    await rm(path, { force: true })
    await using file = await open(path, 'wx', 0o600)
    let size = 0
    try {
      for await (const chunk of chunks) {
        size += chunk.length
        // The rules are stored once more beside it.
        if (this.#options.room() < 2 * chunk.length) throw noRoom(null)
        await file.writeFile(chunk)
      }
    } catch (error) {
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : noRoom(error)
    }
    if (size === 0) throw invalid('body', say`The archive is empty.`)
  }

  async #read(path: string, folder: string, name: string): Promise<ArchiveReport> {
    try {
      return await this.#pool.run('read', { path, folder, name }, { owner: 'archive' })
    } catch (error) {
      throw error instanceof GatewayError && error.code === 'invalid' ? invalid('body', error.message) : error
    }
  }

  #write(stored: Stored): void {
    mkdirSync(join(this.#options.folder, stored.id), { recursive: true, mode: 0o700 })
    writeDurably(join(this.#options.folder, stored.id, stateFile), JSON.stringify(stored))
    this.#archives.set(stored.id, stored)
  }

  async #checkWanted(): Promise<void> {
    do {
      this.#isWanted = false
      for (const { id } of [...this.#archives.values()].filter(isUnchecked)) await this.#checkSafely(id)
    } while (this.#isWanted && !this.#isClosed)
  }

  /** What cannot be checked now is tried again later. */
  async #checkSafely(id: string): Promise<void> {
    try {
      await this.#check(id)
      this.#trouble.delete(id)
    } catch (error) {
      this.#trouble.set(id, error instanceof GatewayError ? error.message : say`The rules cannot be checked now.`)
      this.#noteFault(error)
    }
  }

  readonly #noteFault = (error: unknown): void => {
    if (!this.#isClosed) this.#options.onFault(error)
  }

  async #check(id: string): Promise<void> {
    const stored = this.#archives.get(id)
    const version = stored && (stored.pending ?? stored.current)
    if (!version || this.#isClosed) return
    const folder = join(this.#options.folder, id, version.folder)
    const ending = new AbortController()
    this.#checks.set(id, ending)
    try {
      const verdict = await this.#options.checker.checkFile(join(folder, rulesFile), version.report.rules, {
        isBackground: true,
        signal: ending.signal,
        subject: { kind: 'archive', id, name: stored.name },
      })
      const { report } = version
      const left =
        verdict.status !== 'checked' || verdict.faults.length === 0
          ? report
          : await this.#pool.run('leaveOut', { folder, report, faults: verdict.faults }, { owner: id })
      this.#settle(id, version, verdict.status, left)
    } catch (error) {
      // Another upload came, the archive was removed, or the gateway ends.
      if (ending.signal.aborted) return
      if (!(error instanceof GatewayError && error.code === 'invalid')) throw error
      this.#settle(id, version, error.message, version.report)
    } finally {
      this.#checks.delete(id)
    }
  }

  /** `outcome` is a status, or the fault of the archive as a whole. */
  #settle(id: string, version: Version, outcome: Verdict['status'] | SaidText, report: ArchiveReport): void {
    const now = this.#archives.get(id)
    if (!now || (now.pending !== version && now.current !== version) || this.#isClosed) return
    const judged = { ...version, report }
    if (outcome === 'timeout')
      this.#refuse(now, judged, say`The inspection engine did not finish checking the rules in time.`)
    // Our own reading decides until the engine is installed.
    else if (outcome === 'missing') {
      if (now.pending === version) this.#use(now, version)
    } else if (outcome !== 'checked') this.#refuse(now, judged, outcome)
    else if (report.rules === 0)
      this.#refuse(now, judged, say`The inspection engine takes none of the rules of the archive.`)
    else this.#use(now, { ...judged, isChecked: true })
  }

  /** Of what is not wanted any more. */
  #endCheck(id: string): void {
    this.#checks.get(id)?.abort()
  }

  /** One file says which rules are in use, so after a power cut it is the ones before or these. */
  #use(stored: Stored, version: Version): void {
    const { current } = stored
    const { refused: _, ...kept } = stored
    this.#write({ ...kept, current: version, pending: null, fault: '' })
    if (current && current.folder !== version.folder) this.#forgetLater(stored.id, current)
    this.#options.onChange()
  }

  /** The rules before stay in use. */
  #refuse(stored: Stored, version: Version, fault: SaidText): void {
    const isCurrent = stored.current?.folder === version.folder
    const place = join(this.#options.folder, stored.id)
    if (existsSync(join(place, version.folder, refusalsFile)))
      renameSync(join(place, version.folder, refusalsFile), join(place, refusalsFile))
    const current = isCurrent ? null : stored.current
    this.#write({ ...stored, current, pending: null, fault, refused: version.report })
    this.#forgetLater(stored.id, version)
    if (isCurrent) this.#options.onChange()
  }

  /** What is left of it after a fault is removed at the next start. */
  #forgetLater(id: string, { folder }: Version): void {
    rm(join(this.#options.folder, id, folder), { recursive: true, force: true }).catch(this.#noteFault)
  }
}

const isUnchecked = ({ current, pending }: Stored): boolean => pending !== null || current?.isChecked === false

function shown({ id, name, current, pending, fault, refused }: Stored, trouble: SaidText): ArchiveState {
  const version = pending ?? current
  const report = pending?.report ?? (fault === '' ? current?.report : refused) ?? nothing
  const state = pending ? 'checking' : fault === '' ? 'active' : 'failed'
  const isWaiting = state === 'active' && current?.isChecked === false
  return {
    id,
    name,
    state,
    message: pending ? trouble : isWaiting ? notInstalled : fault,
    receivedAt: version?.receivedAt ?? 0,
    isChecked: current?.isChecked ?? false,
    report: { ...report, rules: current?.report.rules ?? 0 },
  }
}

/** What a fault of the machine left behind is removed: versions that nothing names, and archives without a state. */
function readStored(folder: string): Stored[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((id) => {
    const place = join(folder, id)
    const stored = idForm.test(id) ? readState(place, id) : null
    if (!stored) {
      if (id === arriving || idForm.test(id)) rmSync(place, { recursive: true, force: true })
      return []
    }
    const known = new Set([stateFile, refusalsFile, stored.current?.folder, stored.pending?.folder])
    for (const name of readdirSync(place))
      if (!known.has(name)) rmSync(join(place, name), { recursive: true, force: true })
    return [stored]
  })
}

function readState(place: string, id: string): Stored | null {
  try {
    const stored = JSON.parse(readFileSync(join(place, stateFile), 'utf8')) as Stored
    return stored.id === id ? stored : null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

const noRoom = (cause: unknown): GatewayError =>
  new GatewayError('conflict', say`The archive cannot be stored: the disk of the gateway is full or failing.`, {
    cause,
  })
