// Has Suricata read signatures that are not in use, as the account of the engine without any right. gatewayd names the file by
// its id, never by a path. Never in the turn of plans: tens of thousands of signatures take it a minute.

import { join } from 'node:path'
import type { Account } from '../../../engines/accounts.ts'
import { inspectionPaths } from '../../../engines/inspection/index.ts'
import type { SignatureCheck, SignatureFault } from '../../../plan/artifacts.ts'
import { run } from '../../processes.ts'
import { objectForm } from '../../tables.ts'
import { oneLine } from '../../text.ts'
import { confine } from '../../units.ts'
import { parseForm, parseKeys } from '../../wire/values.ts'
import { checkSettings, inspectionLimits, rulesProgram, suricata } from './index.ts'

const wholeMs = 10 * 60_000
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
  let last: Promise<unknown> = Promise.resolve()

  async function perform(file: string): Promise<SignatureCheck> {
    const { code, failure, stdout, stderr } = await run(
      [
        ...confine({ user, capabilities: [], limits }),
        ...[...rulesProgram, 'check', below(inspectionPaths.candidates), file, work, '--'],
        ...[suricata, '-T', '-c', below(checkSettings), '-S', join(work, 'check.rules'), '-l', work],
      ],
      timeoutMs,
    )
    if (failure === 'timeout') return { status: 'timeout' }
    const output = `${stdout}\n${stderr}`
    if (failure === 'missing' || /failed to execute/.test(stderr)) return { status: 'missing' }
    const faults = faultsIn(output)
    if (code !== 0 && faults.length === 0) throw new Error(`The signatures cannot be checked. ${lastWords(output)}`)
    return { status: 'checked', faults }
  }

  /** One at a time: they share a folder, and each takes hundreds of megabytes. */
  const check = (file: string): Promise<SignatureCheck> => {
    const turn = last.then(() => perform(file))
    last = turn.catch(() => {})
    return turn
  }
  return { check }
}

const lastWords = (output: string): string => oneLine(output.split('\n').findLast((line) => line.trim() !== '') ?? '')

/** What Suricata names a part of itself and the level of a message by. */
const label = /^(?:[A-Z][a-z]*|E|W)(?::| -) *(?:[a-z0-9_-]{1,60}: )?/

/**
 * `error parsing signature "..." from file ... at line N` says only where; why is in the line before it. The signature itself
 * is in both and is left out: whoever asked has it.
 */
export function faultsIn(output: string): readonly SignatureFault[] {
  const found = new Map<number, string>()
  let reason = ''
  for (const line of output.split('\n')) {
    const refused = /^refused line (\d{1,9}): (.{1,200})$/.exec(line)
    const failed = line.includes('error parsing signature "')
      ? /" from file [^"]* at line (\d{1,9})\s*$/.exec(line)
      : null
    if (refused?.[1]) found.set(Number(refused[1]), refused[2] ?? '')
    else if (failed?.[1]) {
      const number = Number(failed[1])
      if (!found.has(number)) found.set(number, reason || 'The signature cannot be read.')
      reason = ''
    } else if (/^(?:E|Error)\b/.test(line)) reason = oneLine(line.replace(label, '')).slice(0, 300)
  }
  return [...found]
    .toSorted(([one], [other]) => one - other)
    .slice(0, mostFaults)
    .map(([line, message]) => ({ line, message }))
}
