// A strict stand-in for applyd: keeps what was applied in memory, answers as applyd would, and fails loudly when it is
// used in a way applyd would refuse.

import type { Problem } from '../../src/contract/error.ts'
import type {
  Applier,
  Checkpoint,
  CheckReport,
  DataPlane,
  Hits,
  NftTable,
  Observation,
  Outcome,
  Plan,
  SessionTable,
  ShareUpload,
  ShareUploadResult,
  TrialPacket,
  TrialResult,
} from '../../src/plan/artifacts.ts'

export class FakeApplier implements Applier {
  readonly plane: DataPlane = 'lab'
  /** What the next checks and applies do. */
  refuseWith: readonly Problem[] = []
  putBackWith: readonly Problem[] = []
  failWith: Error | null = null
  applied: Plan | null = null
  readonly calls: string[] = []
  readonly kept: Checkpoint[] = []
  /** Packets by origin; an origin that is not listed has counted none. */
  readonly hitCounts = new Map<string, number>()
  epoch = 'fake'
  /** What the kernel tracks. */
  tracked: SessionTable = { text: '', isCut: false, isCounting: true, limitation: null }
  /** The result for a packet. */
  tryPacket: (packet: TrialPacket) => TrialResult = () => ({ passed: true, origins: [] })
  #busy = false

  async check(plan: Plan): Promise<CheckReport> {
    this.calls.push(`check ${plan.revision}`)
    this.#orFail()
    return { problems: this.refuseWith, unchecked: [] }
  }

  async apply(plan: Plan): Promise<Outcome> {
    this.calls.push(`apply ${plan.revision}`)
    if (this.#busy) throw new Error('two applies at once')
    this.#busy = true
    await new Promise((resolve) => setImmediate(resolve))
    this.#busy = false
    this.#orFail()
    if (this.putBackWith.length > 0) return { status: 'put_back', problems: this.putBackWith, restored: true }
    if (this.applied && plan.revision < this.applied.revision)
      throw new Error('an older revision came after a newer one')
    this.applied = plan
    return { status: 'applied', changed: plan.artifacts.map((artifact) => artifact.name) }
  }

  async observe(): Promise<Observation> {
    this.#orFail()
    return {
      plane: this.plane,
      limitation: null,
      appliedRevision: this.applied?.revision ?? null,
      tables: this.#tables().map(({ name }) => ({ name, present: true, asLoaded: true })),
      links: (this.applied?.artifacts ?? []).flatMap((artifact) =>
        artifact.kind === 'network' ? artifact.links.map(({ origin, device }) => ({ origin, device, errors: [] })) : [],
      ),
      units: (this.applied?.artifacts ?? []).flatMap(({ kind, name }) =>
        kind === 'unit' ? [{ name, state: 'active' as const, message: '', pid: 1 }] : [],
      ),
    }
  }

  async devices(): Promise<string> {
    this.#orFail()
    return '[]'
  }

  async hits(): Promise<Hits> {
    this.#orFail()
    const lines = this.#tables().flatMap(({ pieces }) => pieces.flatMap((piece) => piece.lines))
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

  async trial(packets: readonly TrialPacket[]): Promise<readonly TrialResult[]> {
    this.#orFail()
    return packets.map((packet) => this.tryPacket(packet))
  }

  async checkpoint(sequence: number, hash: string): Promise<void> {
    this.kept.push({ sequence, hash, time: '2026-01-01T00:00:00.000Z', authentic: true })
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    return this.kept
  }

  /** Uploads to a share, and the results of the next ones. */
  readonly uploads: ShareUpload[] = []
  uploadEnds: ShareUploadResult = { isDone: true }

  async upload(request: ShareUpload): Promise<ShareUploadResult> {
    this.#orFail()
    this.uploads.push(request)
    return this.uploadEnds
  }

  #tables(): NftTable[] {
    return (this.applied?.artifacts ?? []).filter((artifact): artifact is NftTable => artifact.kind === 'nft')
  }

  #orFail(): void {
    if (this.failWith) throw this.failWith
  }
}
