// Has Suricata read signatures that are not in use, as the account of the engine without any right. gatewayd names the file by
// its id, never by a path. Never in the turn of plans: thousands of signatures take it seconds. A check ends with the one who asked for it.

import { join } from 'node:path'
import type { Account } from '../../../core/engine/accounts.ts'
import type { DataPlane } from '../../../core/plan/artifacts.ts'
import { confine } from '../../kit/confine.ts'
import { run } from '../../kit/processes.ts'
import type { EngineRequest, EngineRequests } from '../../kit/requests.ts'
import { objectForm } from '../../kit/tables.ts'
import { oneLine } from '../../kit/text.ts'
import { parseForm, parseKeys, Refusal } from '../../kit/values.ts'
import { inspectionPaths } from '../index.ts'
import type { SignatureCheck, SignatureFault } from '../request.ts'
import { checkSettings, inspectionLimits, rulesProgram, suricata } from './program.ts'

/** Of one file, which has some thousands of signatures at most, on a machine that has other work. */
const wholeMs = 5 * 60_000
/** Each takes a hundred megabytes and more. */
const mostAtOnce = 3
const mostFaults = 5000

export const parseSignatureCheck = (value: unknown): { file: string } => ({
  file: parseForm(parseKeys(value, ['file']).file, objectForm, 'file of signatures is not named by its id'),
})

export interface SignatureCheckerOptions {
  readonly stateDir: string
  /** Of the program; undefined where there is no other account. */
  readonly user: Account | undefined
  readonly timeoutMs?: number
}

export function createSignatureChecker({ stateDir, user, timeoutMs = wholeMs }: SignatureCheckerOptions) {
  const below = (path: string): string => join(stateDir, path)
  const { nproc: _, ...others } = inspectionLimits
  const limits = user ? inspectionLimits : others
  const work = below(inspectionPaths.work)
  const checks = new Set<Check>()
  const free = Array.from({ length: mostAtOnce }, (_, index) => index + 1)
  let isClosed = false

  async function perform({ file, ending: { signal } }: Check, place: number): Promise<SignatureCheck> {
    const copy = join(work, `check-${place}.rules`)
    const { code, failure, stdout, stderr } = await run(
      [
        ...confine({ user, capabilities: [], limits }),
        ...rulesProgram,
        'check',
        below(inspectionPaths.candidates),
        file,
        copy,
        '--',
        suricata,
        '-T',
        '-c',
        below(checkSettings),
        '-S',
        copy,
        '-l',
        work,
      ],
      timeoutMs,
      '',
      signal,
    )
    if (signal.aborted) throw ended()
    if (failure === 'timeout') return { status: 'timeout' }
    const output = `${stdout}\n${stderr}`
    if (failure === 'missing' || /failed to execute/.test(stderr)) return { status: 'missing' }
    const faults = faultsIn(output)
    if (code !== 0 && faults.length === 0) throw new Error(`The signatures cannot be checked. ${lastWords(output)}`)
    return { status: 'checked', faults }
  }

  /** Those that wait begin in the order in which they came. */
  function begin(): void {
    for (const one of checks) {
      if (one.hasBegun) continue
      const place = free.pop()
      if (place === undefined) return
      one.hasBegun = true
      perform(one, place)
        .then(one.resolve, one.reject)
        .finally(() => {
          checks.delete(one)
          free.push(place)
          begin()
        })
    }
  }

  const end = (isMeant: (one: Check) => boolean): void => {
    for (const one of [...checks].filter(isMeant)) {
      one.ending.abort()
      if (one.hasBegun) continue
      checks.delete(one)
      one.reject(ended())
    }
  }

  return {
    check(file: string, connection: object | null = null): Promise<SignatureCheck> {
      if (isClosed) return Promise.reject(ended())
      const { promise, resolve, reject } = Promise.withResolvers<SignatureCheck>()
      checks.add({ file, connection, ending: new AbortController(), hasBegun: false, resolve, reject })
      begin()
      return promise
    },
    /** Ends the check of a file that the same connection asked for; one that has ended already is not a fault. */
    end: (file: string, connection: object | null = null): void =>
      end((one) => one.file === file && one.connection === connection),
    disconnected: (connection: object): void => end((one) => one.connection === connection),
    close(): void {
      isClosed = true
      end(() => true)
    },
  }
}

export function signatureRequests(options: SignatureCheckerOptions & { readonly plane: DataPlane }): EngineRequests {
  const checker = createSignatureChecker(options)
  const check: EngineRequest<{ file: string }> = {
    parse: parseSignatureCheck,
    // Where nothing is applied there are no folders for it.
    perform: async ({ file }, connection) =>
      options.plane === 'none' ? { status: 'missing' } : checker.check(file, connection),
  }
  const end: EngineRequest<{ file: string }> = {
    parse: parseSignatureCheck,
    perform: async ({ file }, connection) => {
      checker.end(file, connection)
      return null
    },
  }
  return { requests: { check, 'end-check': end }, disconnected: checker.disconnected, close: checker.close }
}

interface Check {
  readonly file: string
  /** Who asked for it. */
  readonly connection: object | null
  readonly ending: AbortController
  hasBegun: boolean
  readonly resolve: (result: SignatureCheck) => void
  readonly reject: (fault: Error) => void
}

const ended = (): Refusal => new Refusal('The check of signatures was ended.')

const lastWords = (output: string): string => oneLine(output.split('\n').findLast((line) => line.trim() !== '') ?? '')

/** What Suricata names a part of itself and the level of a message by. */
const label = /^(?:[A-Z][a-z]*|E|W)(?::| -) *(?:[a-z0-9_-]{1,60}: )?/

const reasonIn = (line: string): string =>
  oneLine(line.replace(label, '').replace(/^(Duplicate signature) ".*/, '$1.')).slice(0, 300)

/**
 * `error parsing signature "..." from file ... at line N` says only where; why is in the line before it. The signature itself
 * is in both and is left out: anyone who asked has it.
 */
export function faultsIn(output: string): readonly SignatureFault[] {
  const found = new Map<number, string>()
  let reason = ''
  for (const line of output.split('\n')) {
    const refused = line.match(/^refused line (\d{1,9}): (.{1,200})$/)
    const isWhere = line.includes('error parsing signature "')
    const failed = isWhere ? line.match(/" from file [^"]{1,4000} at line (\d{1,9})\s*$/) : null
    if (refused?.[1]) found.set(Number(refused[1]), refused[2] ?? '')
    else if (failed?.[1]) {
      const number = Number(failed[1])
      if (!found.has(number)) found.set(number, reason || 'The signature cannot be read.')
      reason = ''
    } else if (/^(?:E|Error)\b/.test(line)) reason = reasonIn(line)
  }
  return [...found]
    .toSorted(([one], [other]) => one - other)
    .slice(0, mostFaults)
    .map(([line, message]) => ({ line, message }))
}
