// Faults of the machine at each step of a change: applyd that does not answer, refuses, reverts or hangs, and facts that
// cannot be read.
// Requirement 59.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GatewayError } from '../../src/core/contract/error.ts'
import type { Facts } from '../../src/core/plan/facts.ts'
import { startReconciler } from '../../src/gatewayd/apply/reconcile.ts'
import { say } from '../../src/shared/said.ts'
import { labFacts } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import {
  begin,
  type Fault,
  type FaultBench,
  holdsForAll,
  onProbation,
  operations,
  revertProbation,
} from './fault-bench.ts'

const away = new GatewayError('unavailable', say`The apply service does not answer.`)
const problem = { field: 'firewall.settings', message: say`injected` }

/** With a machine on which nothing can be tried, so that every change is checked, committed and applied. */
const whereChecked = (fault: Fault): Fault => ({
  ...fault,
  arm: (bench) => {
    bench.applier.canTry = false
    fault.arm(bench)
  },
  disarm: (bench) => {
    fault.disarm(bench)
    bench.applier.canTry = true
  },
})

const stepFaults: readonly Fault[] = [
  {
    title: 'the check does not answer',
    arm: (bench) => {
      bench.applier.beforeCheck = () => {
        throw away
      }
    },
    disarm: (bench) => {
      bench.applier.beforeCheck = () => {}
    },
  },
  {
    title: 'the check refuses',
    arm: (bench) => {
      bench.applier.refuseWith = [problem]
    },
    disarm: (bench) => {
      bench.applier.refuseWith = []
    },
  },
  {
    title: 'the apply does not answer',
    arm: (bench) => {
      bench.applier.beforeApply = () => {
        throw away
      }
    },
    disarm: (bench) => {
      bench.applier.beforeApply = () => {}
    },
  },
  {
    title: 'the apply is reverted',
    arm: (bench) => {
      bench.applier.putBackWith = [problem]
    },
    disarm: (bench) => {
      bench.applier.putBackWith = []
    },
  },
]

/** Faults of a machine that checks and applies. */
const checkFaults = stepFaults.map(whereChecked)

const nothing = (): void => {}

/** Faults of a machine that tries changes of tables before they are committed, and those of the disk after that. */
const attemptFaults: readonly Fault[] = [
  {
    title: 'the attempt does not arrive',
    arm: ({ applier }) => {
      applier.beforeAttempt = () => {
        throw away
      }
    },
    disarm: ({ applier }) => {
      applier.beforeAttempt = nothing
    },
  },
  {
    title: 'the answer to the attempt is lost with the connection',
    arm: ({ applier }) => {
      applier.afterAttempt = () => {
        applier.disconnect()
        throw away
      }
    },
    disarm: ({ applier }) => {
      applier.afterAttempt = nothing
    },
  },
  {
    title: 'the answer to the attempt does not come, and the connection stays',
    arm: ({ applier }) => {
      applier.afterAttempt = () => {
        throw away
      }
    },
    disarm: ({ applier }) => {
      applier.afterAttempt = nothing
    },
  },
  {
    title: 'the attempt is refused',
    arm: ({ applier }) => {
      applier.refuseWith = [problem]
    },
    disarm: ({ applier }) => {
      applier.refuseWith = []
    },
  },
  {
    title: 'the disk is read-only once the kernel has it',
    arm: (bench) => {
      bench.applier.afterAttempt = () => bench.pragma('query_only=1')
    },
    disarm: (bench) => {
      bench.applier.afterAttempt = nothing
      bench.pragma('query_only=0')
    },
  },
  {
    title: 'the settle is lost with the connection',
    arm: ({ applier }) => {
      applier.beforeSettle = () => {
        applier.disconnect()
        throw away
      }
    },
    disarm: ({ applier }) => {
      applier.beforeSettle = nothing
    },
  },
]

describe('a fault of the machine', () => {
  for (const operation of operations) {
    it(`leaves ${operation.title} whole or absent`, async () => {
      await holdsForAll(operation, [...checkFaults, ...attemptFaults])
    })
  }

  it('never answers a change of the machine with 200, unless the disk and the kernel have it', async () => {
    for (const operation of operations.slice(0, 2)) {
      assert.deepEqual(await holdsForAll(operation, checkFaults), [503, 422, 503, 500])
      assert.deepEqual(await holdsForAll(operation, attemptFaults), [503, 503, 503, 422, 503, 200])
    }
  })

  it('does not stop a revert: it is stored, shown as not yet done, and done by the next reconcile', async () => {
    for (const fault of checkFaults.slice(2)) {
      const bench = await begin()
      await bench.snat(false, onProbation)
      fault.arm(bench)
      assert.equal((await revertProbation.call(bench)).status, 200)
      const status = (await bench.admin('GET', '/firewall/status')).body as { name: string; status: string }[]
      assert.equal(status.find(({ name }) => name === 'rules-in-kernel')?.status, 'failed', fault.title)
      fault.disarm(bench)
      await bench.gateway.engine.reconcile()
      assert.match(JSON.stringify(bench.applier.applied), /masquerade/)
      await bench.assertWhole()
      await bench.gateway.close()
    }
  })

  it('and then of the disk, so that the change cannot be reverted: it is as soon as the disk accepts writes', async () => {
    for (const fault of checkFaults.slice(2)) {
      const bench = await begin()
      const before = bench.everything()
      fault.arm(bench)
      bench.applier.beforeApply = () => {
        bench.pragma('query_only=1')
        if (fault.title.includes('answer')) throw away
      }
      assert.equal((await bench.snat(false)).status, 503)
      await bench.assertWhole()
      // No change is based on one that is to be reverted.
      assert.equal((await bench.admin('PATCH', '/gather_stat/settings', { enabled: true })).status, 503)
      bench.applier.beforeApply = () => {}
      fault.disarm(bench)
      await bench.gateway.engine.reconcile()
      assert.match(JSON.stringify(bench.applier.applied), /masquerade/, 'a refused change reached the machine')
      bench.pragma('query_only=0')
      await bench.gateway.engine.reconcile()
      assert.deepEqual(bench.everything(), before)
      assert.match(JSON.stringify(bench.applier.applied), /masquerade/)
      assert.equal((await bench.snat(false)).status, 200)
      await bench.assertWhole()
      await bench.gateway.close()
    }
  })
})

describe('an apply service that hangs', () => {
  it('delays only what needs it, and then everything works', async () => {
    const bench = await begin()
    let open = () => {}
    bench.applier.gate = new Promise((resolve) => {
      open = resolve
    })
    const { engine } = bench.gateway
    const reconciling = [engine.reconcile(), engine.reconcile()]
    for (const name of ['first', 'second']) assert.equal((await bench.rename(name)).status, 200)
    let isAnswered = false
    const changes = [bench.snat(false), bench.rename('third'), bench.snat(true), bench.snat(false)].map(
      async (change) => {
        const { status } = await change
        isAnswered = true
        return status
      },
    )
    reconciling.push(engine.reconcile())
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isAnswered, false, 'a change was answered before the machine had it')
    open()
    assert.deepEqual(await Promise.all(changes), [200, 200, 200, 200])
    await Promise.all(reconciling)
    await engine.idle()
    assert.equal(bench.isSnatOn(), false)
    assert.doesNotMatch(JSON.stringify(bench.applier.applied), /masquerade/)
    await engine.reconcile()
    assert.equal(bench.applier.applied?.revision, engine.revision)
    await bench.assertWhole()
    await bench.gateway.close()
  })
})

describe('facts that cannot be read', () => {
  const unreadable: Facts = new Proxy(labFacts, {
    get: () => {
      throw new Error('no facts')
    },
  })

  /** Only the n-th reading fails. */
  const failsAt = (n: number): Fault & { wasMet: boolean } => {
    const fault = {
      title: `reading ${n} of the facts fails`,
      wasMet: false,
      arm: (bench: FaultBench) => {
        let count = 0
        bench.reading.facts = () => {
          count++
          if (count !== n) return labFacts
          fault.wasMet = true
          throw new Error('no facts')
        }
      },
      disarm: (bench: FaultBench) => {
        bench.reading.facts = () => labFacts
      },
    }
    return fault
  }

  for (const operation of [...operations, revertProbation]) {
    it(`leave ${operation.title} whole or absent, whichever reading fails`, async () => {
      for (let n = 1, isMet = true; isMet && n < 20; n++) {
        const fault = failsAt(n)
        await holdsForAll(operation, [fault])
        isMet = fault.wasMet
      }
    })
  }

  it('do not keep a failed change in force', async () => {
    const bench = await begin()
    const before = bench.everything()
    bench.applier.canTry = false
    bench.applier.putBackWith = [problem]
    bench.applier.beforeApply = () => {
      bench.reading.facts = () => unreadable
    }
    assert.equal((await bench.snat(false)).status, 500)
    assert.deepEqual(bench.everything(), before)
    bench.reading.facts = () => labFacts
    await bench.assertWhole()
    await bench.gateway.close()
  })

  it('do not stop the reconcile loop', async () => {
    const bench = await begin()
    const { engine } = bench.gateway
    let readings = 0
    const lines: string[] = []
    const reconciler = startReconciler(
      engine,
      async () => {
        readings++
        if (readings === 1) throw new Error('no facts')
        bench.reading.facts = readings === 2 ? () => unreadable : () => labFacts
      },
      (_level, message) => lines.push(message),
    )
    for (let turn = 1; turn <= 3; turn++) {
      await until('it took another turn', () => readings >= turn)
      await engine.idle()
      reconciler.wake()
    }
    await until('the machine is right', () => engine.applied.error === null)
    reconciler.stop()
    assert.ok(lines.length > 0, 'it was not logged')
    await engine.idle()
    await bench.gateway.close()
  })
})
