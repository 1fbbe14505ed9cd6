// A strict stand-in for applyd: keeps what was applied in memory and refuses what applyd would refuse. Requests pass
// applyd's own parsers, and plans its own checks against the tables of a real gateway; only the programs are missing.

import { parseUpgrade } from '../../src/applyd/machine/upgrade.ts'
import { vetLinks } from '../../src/applyd/network.ts'
import { productionTables } from '../../src/applyd/production.ts'
import { createQuestions } from '../../src/applyd/questions.ts'
import { argumentParsers } from '../../src/applyd/requests.ts'
import { targetOf, vetTarget } from '../../src/applyd/vet.ts'
import { GatewayError, type Problem } from '../../src/core/contract/error.ts'
import type {
  Applier,
  Arrivals,
  Artifact,
  Attempt,
  Checkpoint,
  CheckReport,
  Conflict,
  CutTarget,
  DataPlane,
  EngineQuestion,
  Hits,
  LiveChange,
  LiveElement,
  LiveOutcome,
  LiveReading,
  NftTable,
  Observation,
  Outcome,
  Plan,
  SessionPart,
  SessionTable,
  SettingObservation,
  TrialPacket,
  TrialResult,
  UpgradeStart,
} from '../../src/core/plan/artifacts.ts'
import { linesOf } from '../../src/core/plan/nft-piece.ts'
import { besideTables, sameArtifacts } from '../../src/core/plan/planner.ts'
import type { SignatureCheck } from '../../src/engines/inspection/request.ts'
import { Refusal } from '../../src/engines/kit/values.ts'
import type { ShareUpload, ShareUploadResult } from '../../src/engines/share-upload/request.ts'
import { say, verbatim } from '../../src/shared/said.ts'

/** The state folder is never opened: nothing is written and no unit is started. */
const tables = productionTables('/nonexistent', null, 'lab')

export class FakeApplier implements Applier {
  readonly plane: DataPlane = 'lab'
  /** What the next checks and applies do. */
  refuseWith: readonly Problem[] = []
  putBackWith: readonly Problem[] = []
  failWith: Error | null = null
  /** What is settled. */
  applied: Plan | null = null
  /** What is in the kernel and neither settled nor undone. */
  tried: Plan | null = null
  /** Whether plans that change only tables can be tried; otherwise they are checked and applied. */
  canTry = true
  /** Calls in an order that the real one would not understand; a test gateway that closes has none. */
  readonly misuses: string[] = []
  /** The last revision of an attempt whose fate the caller may not know. */
  lastTried: number | null = null
  readonly calls: string[] = []
  readonly kept: Checkpoint[] = []
  /** Packets by origin; an origin that is not listed has counted none. */
  readonly hitCounts = new Map<string, number>()
  epoch = 'fake'
  /** As ip(8) shows them. */
  shownDevices: readonly object[] = []
  /** What the kernel tracks. */
  tracked: SessionTable = { text: '', isCut: false, isCounting: true, limitation: null }
  /** The result for a packet. */
  tryPacket: (packet: TrialPacket) => TrialResult = () => ({ passed: true, origins: [] })
  readonly #parsers = {
    ...argumentParsers(tables),
    ask: createQuestions(tables).parse,
    upgrade: parseUpgrade,
  }
  #busy = false

  async check(plan: Plan): Promise<CheckReport> {
    this.calls.push(`check ${plan.revision}`)
    this.#orFail()
    return { problems: [...this.#vet(plan), ...this.refuseWith], unchecked: [] }
  }

  async apply(plan: Plan): Promise<Outcome> {
    this.calls.push(`apply ${plan.revision}`)
    await this.#takeTurn(`apply ${plan.revision}`)
    const problems = [...this.#vet(plan, 'not_applied'), ...this.putBackWith]
    if (problems.length > 0) return { status: 'put_back', problems, restored: true }
    this.#refuseOlder(plan)
    this.applied = plan
    return { status: 'applied', changed: plan.artifacts.map((artifact) => artifact.name) }
  }

  async attempt(plan: Plan): Promise<Attempt> {
    this.calls.push(`attempt ${plan.revision}`)
    this.lastTried = plan.revision
    await this.#takeTurn(`attempt ${plan.revision}`)
    const { applied } = this
    this.#refuseOlder(plan)
    const problems = this.#vet(plan)
    if (!this.canTry || !applied || !sameArtifacts(besideTables(applied.artifacts), besideTables(plan.artifacts)))
      return { status: 'mixed' }
    if (problems.length + this.refuseWith.length > 0)
      return { status: 'refused', problems: [...problems, ...this.refuseWith] }
    this.tried = plan
    return { status: 'applied', changed: this.#tables().map(({ name }) => `nft ${name}`) }
  }

  async settle(revision: number): Promise<void> {
    this.calls.push(`settle ${revision}`)
    if (this.lastTried !== revision) this.misuses.push(`settle ${revision} without an attempt`)
    this.#orFail()
    if (this.tried?.revision !== revision) throw new GatewayError('internal', say`Revision ${revision} was not tried.`)
    this.applied = this.tried
    this.tried = null
  }

  async undo(revision: number): Promise<Outcome> {
    this.calls.push(`undo ${revision}`)
    if (this.lastTried !== revision) this.misuses.push(`undo ${revision} without an attempt`)
    this.#orFail()
    if (this.tried?.revision !== revision) throw new GatewayError('internal', say`Revision ${revision} was not tried.`)
    this.tried = null
    return { status: 'applied', changed: this.#tables().map(({ name }) => `nft ${name}`) }
  }

  /** The connection ended, or the process on one of its sides: what is not settled is undone. */
  disconnect(): void {
    this.tried = null
  }

  /** Applies and attempts come one after the other, and nothing between an attempt and its end. */
  async #takeTurn(call: string): Promise<void> {
    if (this.#busy) this.misuses.push(`${call} while another one ran`)
    if (this.tried) this.misuses.push(`${call} while revision ${this.tried.revision} was neither settled nor undone`)
    this.#busy = true
    await new Promise((resolve) => setImmediate(resolve))
    this.#busy = false
    this.#orFail()
  }

  #refuseOlder({ revision }: Plan): void {
    if (!this.applied || revision >= this.applied.revision) return
    this.misuses.push(`revision ${revision} after ${this.applied.revision}`)
    throw new GatewayError('not_applied', say`Revision ${revision} is older than the applied revision.`)
  }

  async observe(): Promise<Observation> {
    this.#orFail()
    return {
      plane: this.plane,
      limitation: null,
      appliedRevision: this.applied?.revision ?? null,
      tables: this.#tables().map(({ name }) => ({ name, present: true, asLoaded: true })),
      links: (this.applied?.artifacts ?? []).flatMap((artifact) =>
        artifact.name === 'links' && artifact.kind === 'network'
          ? artifact.links.map(({ origin, device }) => ({ origin, device, errors: [] }))
          : [],
      ),
      settings: (this.applied?.artifacts ?? []).flatMap((artifact) =>
        artifact.name === 'settings' && artifact.kind === 'network'
          ? artifact.settings.map(({ name, value }): SettingObservation => {
              return { name, value, wanted: value, before: '0', state: 'set', message: '' }
            })
          : [],
      ),
      units: (this.applied?.artifacts ?? []).flatMap(({ kind, name }) =>
        kind === 'unit' ? [{ name, state: 'active' as const, message: '', pid: 1 }] : [],
      ),
    }
  }

  async devices(): Promise<string> {
    this.#orFail()
    return JSON.stringify(this.shownDevices)
  }

  async hits(): Promise<Hits> {
    this.#orFail()
    const lines = this.#tables().flatMap(({ pieces }) => pieces.flatMap(linesOf))
    const origins = new Set(lines.flatMap((line) => /comment "([^"]+)"/.exec(line)?.[1] ?? []))
    const counts = [...origins].map((origin) => {
      const packets = this.hitCounts.get(origin) ?? 0
      return { origin, packets, bytes: packets * 60 }
    })
    return { epoch: this.epoch, counts }
  }

  async sessions(): Promise<SessionTable> {
    this.#orFail()
    return this.tracked
  }

  async sessionPart(): Promise<SessionPart> {
    return { ...(await this.sessions()), next: null }
  }

  /** The elements of live sets, by set and then by key. A set exists once the plan has a piece of its name. */
  readonly live = new Map<string, Map<string, LiveElement>>()
  liveEpoch = 'fake'
  /** What the next question for arrivals answers. */
  arrived: Pick<Arrivals, 'authorized' | 'unknown'> = { authorized: [], unknown: [] }
  readonly cuts: CutTarget[] = []
  neighbourTable = '[]'
  foundConflicts: readonly Conflict[] = []

  async changeLive(changes: readonly LiveChange[]): Promise<LiveOutcome> {
    this.#orFail()
    parsed(() => this.#parsers.changeLive({ changes }))
    const there = this.#liveSets()
    const keyOf = ({ address, mac, device }: LiveElement): string => `${address} ${mac} ${device}`
    for (const { set, add, remove } of changes.filter((change) => there.has(change.set))) {
      const elements = this.live.get(set) ?? new Map<string, LiveElement>()
      for (const element of remove) elements.delete(keyOf(element))
      for (const element of add) elements.set(keyOf(element), element)
      this.live.set(set, elements)
    }
    return { epoch: this.liveEpoch, missing: changes.map(({ set }) => set).filter((set) => !there.has(set)) }
  }

  async readLive(sets: readonly string[]): Promise<LiveReading> {
    this.#orFail()
    parsed(() => this.#parsers.readLive({ sets }))
    const there = this.#liveSets()
    const read = sets
      .filter((set) => there.has(set))
      .map((set) => [set, [...(this.live.get(set)?.values() ?? [])]] as const)
    return { epoch: this.liveEpoch, sets: Object.fromEntries(read) }
  }

  async arrivals(): Promise<Arrivals> {
    this.#orFail()
    const arrived = this.arrived
    this.arrived = { authorized: [], unknown: [] }
    return { epoch: this.liveEpoch, ...arrived }
  }

  async cut(targets: readonly CutTarget[]): Promise<number> {
    this.#orFail()
    parsed(() => this.#parsers.cut({ targets }))
    this.cuts.push(...targets)
    return targets.length
  }

  async conflicts(): Promise<readonly Conflict[]> {
    this.#orFail()
    return this.foundConflicts
  }

  async neighbours(): Promise<string> {
    this.#orFail()
    return this.neighbourTable
  }

  /** Sets of the applied plan whose elements are not in it. */
  #liveSets(): ReadonlySet<string> {
    const pieces = this.#tables().flatMap((table) => table.pieces)
    return new Set(pieces.filter(({ head }) => /\b(dynamic|timeout)\b/.test(head)).map(({ name }) => name))
  }

  async trial(packets: readonly TrialPacket[]): Promise<readonly TrialResult[]> {
    this.#orFail()
    parsed(() => this.#parsers.trial({ packets }))
    return packets.map((packet) => this.tryPacket(packet))
  }

  async checkpoint(sequence: number, hash: string, isFirst: boolean): Promise<void> {
    parsed(() => this.#parsers.checkpoint({ sequence, hash, isFirst }))
    this.kept.push({ sequence, hash, time: '2026-01-01T00:00:00.000Z', authentic: true })
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    return this.kept
  }

  /** Uploads to a share, and the results of the next ones. */
  readonly uploads: ShareUpload[] = []
  uploadEnds: ShareUploadResult = { isDone: true }

  /** What the engine says about candidates, by the id of their file. */
  checkCandidates: (file: string) => SignatureCheck | Promise<SignatureCheck> = () => ({
    status: 'checked',
    faults: [],
  })

  readonly #ends = new Map<string, () => void>()

  async ask(question: EngineQuestion): Promise<unknown> {
    this.#orFail()
    const { service, request, args } = parsed(() => this.#parsers.ask(question))
    if (service === 'share-upload') {
      this.uploads.push(args as ShareUpload)
      return this.uploadEnds
    }
    const { file } = args as { file: string }
    if (request === 'end-check') return this.#ends.get(file)?.() ?? null
    const { promise, reject } = Promise.withResolvers<never>()
    this.#ends.set(file, () => reject(new GatewayError('internal', say`The check of signatures was ended.`)))
    return Promise.race([this.checkCandidates(file), promise])
  }

  /** How an upgrade begins, by the digest of its package. */
  beginUpgrade: (digest: string) => UpgradeStart = () => ({ status: 'started', from: '0.1.0', to: '0.2.0' })

  async upgrade(digest: string): Promise<UpgradeStart> {
    this.#orFail()
    return this.beginUpgrade(parsed(() => this.#parsers.upgrade({ digest })).digest)
  }

  /** Faults of a well-formed plan; throws when applyd would not even read it. */
  #vet(sent: Plan, code: 'internal' | 'not_applied' = 'internal'): readonly Problem[] {
    const plan = parsed(() => this.#parsers.check({ plan: sent }).plan, code)
    const target = targetOf(plan, tables)
    const applied = new Map(this.applied?.artifacts.map((artifact) => [`${artifact.kind} ${artifact.name}`, artifact]))
    const changed = plan.artifacts.filter((artifact) => {
      const before = applied.get(`${artifact.kind} ${artifact.name}`)
      return before === undefined || !sameArtifacts([before], [artifact])
    })
    const namesOf = (kind: Artifact['kind']) => changed.flatMap((one) => (one.kind === kind ? [one.name] : []))
    const difference = {
      nft: namesOf('nft'),
      network: namesOf('network'),
      file: namesOf('file'),
      unit: namesOf('unit'),
      way: namesOf('way'),
    }
    const links = vetLinks(target.links ?? []).map((message) => ({ field: 'network', message: verbatim(message) }))
    return [...vetTarget(target, difference, tables), ...links]
  }

  /** What the kernel has. */
  #tables(): NftTable[] {
    const { artifacts = [] } = this.tried ?? this.applied ?? {}
    return artifacts.filter((artifact): artifact is NftTable => artifact.kind === 'nft')
  }

  #orFail(): void {
    if (this.failWith) throw this.failWith
  }
}

/** A refusal reaches the caller as the client of the socket reports it. */
function parsed<T>(parse: () => T, code: 'internal' | 'not_applied' = 'internal'): T {
  try {
    return parse()
  } catch (fault) {
    if (fault instanceof Refusal) throw new GatewayError(code, verbatim(fault.message))
    throw fault
  }
}
