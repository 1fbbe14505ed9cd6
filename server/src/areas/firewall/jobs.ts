// Runs of the rule tests: real packets through a copy of the rules, compared with what is expected, and the block that a
// failed run sets if configured.

import { setTimeout as wait } from 'node:timers/promises'
import type { Services } from '../../core/area/handle.ts'
import { GatewayError } from '../../core/contract/error.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import type { TrialPacket, TrialResult } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'
import { devicesOf, ownAddresses } from '../network/public.ts'
import { block, checks, checksSettings } from './config.ts'
import type { Check, CheckResult } from './contract-checks.ts'

/** How the last run went; of each gateway in this process, which is one outside of tests. */
export interface CheckRun {
  readonly isInProgress: boolean
  readonly startedAt: Date | null
  readonly results: Readonly<Record<string, CheckResult>>
  /** Why the run failed. */
  readonly fault: string | null
}

const noRun: CheckRun = { isInProgress: false, startedAt: null, results: {}, fault: null }
const runs = new WeakMap<Services['engine'], CheckRun>()

export const lastRun = ({ engine }: Services): CheckRun => runs.get(engine) ?? noRun

const changeAgainAfterMilliseconds = 2_000

/** Answers once the run has started. */
export async function startRun(services: Services): Promise<void> {
  if (lastRun(services).isInProgress)
    throw new GatewayError('conflict', say`The rule tests are already running. Wait until they have finished.`)
  const startedAt = services.clock.now()
  runs.set(services.engine, { ...noRun, isInProgress: true, startedAt })
  const finish = (results: CheckRun['results'], fault: string | null = null): void => {
    runs.set(services.engine, { isInProgress: false, startedAt, results, fault })
  }
  const run = runChecks(services).then(finish, (error: Error) => {
    finish({}, error.message)
    noteFailure(services, error)
  })
  // Without packets to send the run ends at once.
  if (!read(services.engine.config, checks).some(({ enabled }) => enabled)) await run
}

async function runChecks(services: Services): Promise<CheckRun['results']> {
  const { config } = services.engine
  const facts = services.facts()
  const tests = read(config, checks).filter(({ enabled }) => enabled)
  const packets = tests.map((check) => packetOf(config, facts, check))
  const answers = await sendAll(
    services,
    packets.filter((packet) => packet !== null),
  )
  let next = 0
  const results = tests.map((check, index): [string, CheckResult] => {
    const answer = packets[index] === null ? null : (answers[next++] ?? null)
    return [check.id, judge(config, facts, check, answer)]
  })
  await setBlock(
    services,
    results.some(([, { verdict }]) => !verdict),
  )
  return Object.fromEntries(results)
}

/** How many go through one copy of the rules. */
const packetsPerTrial = 100

async function sendAll(services: Services, packets: readonly TrialPacket[]): Promise<TrialResult[]> {
  const answers: TrialResult[] = []
  for (let at = 0; at < packets.length; at += packetsPerTrial)
    answers.push(...(await services.applier.trial(packets.slice(at, at + packetsPerTrial))))
  return answers
}

/** Null when the interface is gone. */
function packetOf(config: Config, facts: Facts, check: Check): TrialPacket | null {
  const [device] = devicesOf(config, facts, check.incoming_interface)
  if (device === undefined) return null
  return {
    device,
    protocol: check.protocol,
    source: check.src_ip,
    sourcePort: check.src_port,
    destination: check.dst_ip,
    destinationPort: check.dst_port,
  }
}

function judge(config: Config, facts: Facts, check: Check, answer: TrialResult | null): CheckResult {
  const result = answer?.passed ? 'accept' : 'drop'
  const rule_id = answer ? decidingRule(config, facts, check, answer) : 'fwd.sys.no_interface'
  return { result, rule_id, verdict: result === check.expected_result }
}

/** The rule as docs/behaviour/firewall.md 6 names it, from the origins of all rules that counted the packet. */
export function decidingRule(config: Config, facts: Facts, check: Check, { origins }: TrialResult): string {
  // System rules come first, so one that counted has decided. Answers of the far end are established: they decided nothing.
  const system = origins.find((origin) => /^(?:fwd|inp|out)\.sys\.(?!established$)/.test(origin))
  if (system !== undefined) return system
  const [, forward] = firstMatch(origins, /^firewall\.forward\[(\d+)\]$/)
  if (forward !== undefined) return `fwd.ngfw.${forward}`
  if (firstMatch(origins, /^firewall\.input\[/).length > 0) return 'inp.ngfw'
  if (firstMatch(origins, /^firewall\.acl/).length > 0) return 'fwd.sys.acl'
  const isTranslated = firstMatch(origins, /^firewall\.dnat\[/).length > 0
  const isOwn = ownAddresses(config, facts).includes(parseAddress(check.dst_ip) ?? -1)
  return isOwn && !isTranslated ? 'inp.sys.default' : 'fwd.sys.default'
}

const firstMatch = (origins: readonly string[], form: RegExp): readonly (string | undefined)[] =>
  origins.map((origin) => form.exec(origin)).find((match) => match !== null) ?? []

/** A failure blocks if configured; only a run without failures lifts the block. */
async function setBlock(services: Services, hasFailed: boolean): Promise<void> {
  const wanted = (config: Config): boolean =>
    hasFailed ? read(config, block).blocked || read(config, checksSettings).block_traffic : false
  for (;;) {
    const { config } = services.engine
    if (wanted(config) === read(config, block).blocked) return
    try {
      await services.changeAsGateway((current) => write(current, block, { blocked: wanted(current) }), {
        reason: hasFailed ? 'A rule test failed' : 'All rule tests passed',
      })
      return
    } catch (error) {
      // No other change is accepted during probation; the block is set as soon as that ends.
      if (!(error instanceof GatewayError) || error.code !== 'conflict') throw error
      await wait(changeAgainAfterMilliseconds, undefined, { ref: false })
    }
  }
}

function noteFailure(services: Services, error: Error): void {
  services.audit.noteOwn('Rule tests', 'failed', error.message)
}

/** YYYYMMDDhhmmss in the time zone of the gateway. */
export function localStamp(date: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(date)
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? ''
  return Number(['year', 'month', 'day', 'hour', 'minute', 'second'].map(of).join(''))
}
