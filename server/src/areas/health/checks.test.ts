// What the checks say of the machine and of what is stored.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Finding } from '../../core/contract/health.ts'
import type { Observation, UnitObservation } from '../../core/plan/artifacts.ts'
import { printSaid, verbatim } from '../../shared/said.ts'
import { forwardingFindings, logFindings, logServerFindings } from './checks-logs.ts'
import { appliedFindings, applydFindings, unitFindings } from './checks-machine.ts'
import { clockFinding, createJumpWatch, diskFinding } from './checks-resources.ts'
import { auditFinding, backupFinding, certificateFinding, storeFindings } from './checks-stored.ts'

const observation: Observation = {
  plane: 'lab',
  limitation: null,
  appliedRevision: 3,
  links: [],
  units: [],
  tables: [
    { name: 'inet portcullis', present: true, asLoaded: true },
    { name: 'netdev portcullis_hw', present: false, asLoaded: true },
  ],
}
const machine = { observation, unreachable: '' as const, applyError: null }
const statesOf = (findings: readonly { readonly id: string; readonly state: string }[] | null) =>
  findings?.map(({ id, state }) => `${id} ${state}`)

describe('checks of the machine', () => {
  it('say that everything is applied', () => {
    assert.deepEqual(statesOf(applydFindings(machine)), ['applyd ok'])
    assert.deepEqual(statesOf(appliedFindings(machine)), ['apply ok', 'tables ok', 'links ok'])
  })

  it('know nothing of the rest while applyd does not answer', () => {
    const away = { observation: null, unreachable: verbatim('No answer.'), applyError: null }
    assert.deepEqual(statesOf(applydFindings(away)), ['applyd failed'])
    assert.equal(appliedFindings(away), null)
  })

  it('report what failed, and do not judge where nothing is applied', () => {
    const broken = {
      unreachable: '' as const,
      applyError: verbatim('The port is taken.'),
      observation: {
        ...observation,
        tables: [{ name: 'inet portcullis', present: true, asLoaded: false }],
        links: [{ origin: 'connection.1', device: 'lan0', errors: ['no such device'] }],
      },
    }
    assert.deepEqual(statesOf(appliedFindings(broken)), ['apply failed', 'tables failed', 'links warning'])
    const stored = { ...machine, observation: { ...observation, limitation: 'not root' } }
    assert.deepEqual(statesOf(appliedFindings(stored)), ['apply unknown'])
  })

  it('list units that should run, and notice one that restarts again and again', () => {
    const unit = (name: string, state: UnitObservation['state'], message = ''): UnitObservation => ({
      name,
      state,
      message: verbatim(message),
      pid: 7,
    })
    const units = [
      unit('dns', 'active'),
      unit('dhcp', 'failed', 'exit 1'),
      unit('ips', 'inactive'),
      unit('log', 'reloading'),
    ]
    const restarts = (name: string): number => (name === 'dns' ? 3 : 0)
    assert.deepEqual(statesOf(unitFindings(units, restarts)), ['unit.dns ok', 'unit.dhcp failed', 'unit.log warning'])
    const [looping] = unitFindings(units, () => 4)
    assert.deepEqual(
      [looping?.state, printSaid(looping?.message ?? '')],
      ['warning', 'The service was started again 4 times within the last 10 minutes.'],
    )
  })
})

describe('checks of resources', () => {
  it('take over what the disk reserve says', () => {
    const disk = (state: 'enough' | 'low' | 'full') => diskFinding({ state, freeBytes: 2 ** 20, totalBytes: 2 ** 30 })
    assert.deepEqual([disk('enough').state, disk('low').state, disk('full').state], ['ok', 'warning', 'failed'])
    assert.equal(disk('enough').advice, '')
    assert.notEqual(disk('full').advice, '')
  })

  it('notice a clock that jumped either way, and one that nothing keeps', () => {
    const jumpOf = createJumpWatch()
    assert.equal(jumpOf(1000, 10), 0)
    assert.equal(jumpOf(1011, 20), 0)
    assert.equal(jumpOf(1121, 30), 100)
    assert.equal(jumpOf(1021, 40), -110)
    assert.equal(jumpOf(1021 + 3_700, 40 + 3_700), 0)
    assert.deepEqual(
      [clockFinding({ isKept: true, jumpedBy: 0 }), clockFinding({ isKept: null, jumpedBy: 0 })].map(
        ({ state }) => state,
      ),
      ['ok', 'unknown'],
    )
    assert.match(printSaid(clockFinding({ isKept: true, jumpedBy: -45 }).message), /back by 45 seconds/)
  })
})

describe('checks of what is stored', () => {
  it('refuse to call a damaged certificate good', () => {
    const finding = certificateFinding(
      { name: 'x', title: verbatim('X'), pem: 'nothing', advice: verbatim('Set it.') },
      new Date(),
    )
    assert.deepEqual([finding.id, finding.state, finding.advice], ['certificate.x', 'failed', 'Set it.'])
  })

  it('report damage, large databases and a history near its limit', () => {
    const reading = {
      damage: [],
      history: { bytes: 10, revisions: 5 },
      limits: { bytes: 100, revisions: 10 },
      files: { a: 40, b: 5 },
      diskBytes: 100,
    }
    assert.deepEqual(statesOf(storeFindings(reading)), ['store ok', 'databases ok', 'history ok'])
    const bad = {
      ...reading,
      damage: [verbatim('A row is damaged.')],
      history: { bytes: 90, revisions: 5 },
      files: { a: 60 },
    }
    assert.deepEqual(statesOf(storeFindings(bad)), ['store failed', 'databases warning', 'history warning'])
  })

  it('report an audit trail that was altered before anything else', () => {
    const usage = { bytes: 90, limits: { megabytes: 100 / 2 ** 20 }, fault: verbatim('No room.') }
    assert.match(printSaid(auditFinding({ usage, damage: verbatim('Record 7.') }).message), /was altered. Record 7/)
    assert.equal(auditFinding({ usage, damage: null }).state, 'failed')
    assert.equal(auditFinding({ usage: { ...usage, fault: null }, damage: undefined }).state, 'warning')
    assert.equal(auditFinding({ usage: undefined, damage: undefined }).state, 'ok')
  })

  it('give a new gateway and one that was off time for its backup', () => {
    const day = 86_400
    const at = (newest: number | null, runningSeconds: number) =>
      backupFinding({ failure: null, newest, now: 100 * day, runningSeconds }).state
    assert.deepEqual([at(null, day), at(null, 3 * day)], ['ok', 'warning'])
    assert.deepEqual([at(99 * day, 3 * day), at(97 * day, 3 * day), at(50 * day, 60)], ['ok', 'warning', 'ok'])
    assert.equal(backupFinding({ failure: 'No room.', newest: 1, now: 2, runningSeconds: 0 }).state, 'failed')
  })
})

describe('checks of the log', () => {
  const kept = { kinds: [], bytes: 0, maxBytes: 1, fault: null, lost: 0, place: 0 }
  const shownOf = (findings: readonly Finding[]) => findings.map(({ state, message }) => [state, printSaid(message)])

  it('fail while nothing is kept, and warn of what happened to it', () => {
    assert.deepEqual(shownOf(logFindings(kept)), [['ok', 'Records are kept.']])
    const notice = verbatim('A damaged file was set aside.')
    assert.deepEqual(shownOf(logFindings({ ...kept, notice })), [['warning', notice]])
    const full = { ...kept, fault: verbatim('The disk is full.'), lost: 7 }
    assert.deepEqual(shownOf(logFindings(full)), [
      ['failed', 'The disk is full. Records that were lost since the start: 7.'],
    ])
  })

  it('say what waits for the collector and for the log server', () => {
    assert.deepEqual(forwardingFindings(null), [])
    assert.deepEqual(logServerFindings(undefined), [])
    const calm = { isConnected: true, fault: null, waiting: 0, lost: 0 }
    assert.deepEqual(shownOf(forwardingFindings(calm)), [['ok', 'The collector takes records.']])
    const away = { name: 'logs.example', fault: verbatim('It is away.'), waiting: 3, lost: 2 }
    const message = 'It is away. Records that wait: 3. Records removed from the log before they could be sent: 2.'
    assert.deepEqual(shownOf(logServerFindings(away)), [['failed', message]])
    assert.deepEqual(shownOf(forwardingFindings({ ...away, isConnected: false })), [['failed', message]])
  })
})
