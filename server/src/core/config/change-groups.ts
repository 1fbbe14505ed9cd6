// Changes that arrived together: which of them are made together, which alone, and what is left to be prepared again because
// one before it was not kept. How they reach the machine is in machine-changes.ts.

import { type Reach, type Rendered, reachOf } from '../plan/planner.ts'
import type { EngineParts } from './change.ts'
import type { MachineFollower } from './machine.ts'
import type { MachineChanges, Tried } from './machine-changes.ts'
import { answer, type Prepared, type Ready } from './prepared.ts'

type Left = readonly Ready[]

const freely: readonly Reach[] = ['nothing', 'tables']
const whileBusy: readonly Reach[] = ['nothing']

export class ChangeGroups {
  readonly #parts: Pick<EngineParts, 'planner' | 'facts'>
  readonly #machine: MachineFollower
  readonly #changes: MachineChanges
  readonly #notify: () => void

  constructor(
    parts: Pick<EngineParts, 'planner' | 'facts'>,
    machine: MachineFollower,
    changes: MachineChanges,
    notify: () => void,
  ) {
    this.#parts = parts
    this.#machine = machine
    this.#changes = changes
    this.#notify = notify
  }

  render({ snapshot }: Prepared): Rendered {
    return this.#parts.planner.renderParts(snapshot.config, this.#parts.facts())
  }

  /**
   * Each is prepared on top of the one before. Returns those that have to be prepared again: what follows one that is made
   * alone, or that may not be made any longer. While the machine is busy, what needs it is left too.
   */
  async make(group: readonly Ready[], isBusy: boolean): Promise<Left> {
    const beyond = this.#firstBeyond(group, isBusy ? whileBusy : freely)
    if (beyond === 0 && isBusy) return group
    const count = beyond < 0 ? group.length : Math.max(1, beyond)
    return [...(await this.#share(group.slice(0, count))), ...group.slice(count)]
  }

  /** The first change that reaches more than allowed; -1 when the last one, which has all of them in it, does not. */
  #firstBeyond(group: readonly Ready[], allowed: readonly Reach[]): number {
    const isBeyond = ({ prepared, waiting }: Ready): boolean =>
      prepared !== null && !waiting.request.isDeferred && !allowed.includes(this.#reachOf(prepared))
    const last = group.findLast(({ prepared }) => prepared !== null)
    return last && isBeyond(last) ? group.findIndex(isBeyond) : -1
  }

  /** What cannot be rendered is made alone, where it fails. */
  #reachOf(prepared: Prepared): Reach {
    try {
      return reachOf(this.#machine.rendered, this.render(prepared))
    } catch {
      return 'more'
    }
  }

  /** One attempt and one commit for all of them. When they are refused together, each gets its own verdict. */
  async #share(group: readonly Ready[]): Promise<Left> {
    const last = group.findLast(({ prepared }) => prepared !== null)?.prepared
    if (!last || group.length === 1) return this.#oneByOne(group)
    let tried: Tried
    try {
      const wanted = this.render(last)
      const isTried = reachOf(this.#machine.rendered, wanted) === 'tables'
      tried = isTried ? await this.#changes.attempt(group, last, wanted) : await this.#changes.commit(group, wanted)
    } catch (error) {
      for (const { waiting } of group) waiting.reject(error)
      tried = { status: 'answered' }
    }
    if (tried.status === 'refused' || tried.status === 'mixed') return this.#oneByOne(group, tried.status === 'mixed')
    this.#notify()
    return tried.status === 'again' ? tried.others : []
  }

  /** The first of them; the others have their turn again, so that no author waits for more than one change of another. */
  async #oneByOne(group: readonly Ready[], isMixed = false): Promise<Left> {
    for (const [index, ready] of group.entries()) {
      await this.makeAlone(ready, isMixed)
      if (ready.prepared) return group.slice(index + 1)
    }
    return []
  }

  /** `isMixed`: it is not tried before it is committed. */
  async makeAlone(ready: Ready, isMixed = false): Promise<void> {
    const { waiting, prepared } = ready
    if (!prepared) return answer(ready)
    try {
      await this.#carryOut(ready, prepared, isMixed)
    } catch (error) {
      waiting.reject(error)
    }
    this.#notify()
  }

  async #carryOut(ready: Ready, prepared: Prepared, isMixed: boolean): Promise<void> {
    const { isDeferred, isRevert } = ready.waiting.request
    const wanted = this.render(prepared)
    if (isDeferred) {
      await this.#changes.commit([ready], wanted)
      return
    }
    // A revert is kept whatever the machine says, so it is committed first.
    if (!isMixed && !isRevert && reachOf(this.#machine.rendered, wanted) === 'tables') {
      const tried = await this.#changes.attempt([ready], prepared, wanted)
      if (tried.status === 'refused') throw tried.error
      if (tried.status !== 'mixed') return
    }
    await this.#changes.applyChecked(ready, prepared, wanted)
  }
}
