// What an upgrade is doing and how the last one ended: one small file that root writes and everyone on the machine reads.

import { constants, readFileSync } from 'node:fs'
import { withFile, writeDurable } from '../shared/files/durable.ts'
import { type SaidText, type Sentence, sentencesIn } from '../shared/said.ts'

export const upgradeStates = ['running', 'done', 'returned', 'failed'] as const
export const upgradeSteps = ['checking', 'keeping', 'installing', 'starting', 'returning'] as const
export type UpgradeStep = (typeof upgradeSteps)[number]

export interface UpgradeStatus {
  /** Names this upgrade among all. */
  readonly id: string
  readonly from: string
  readonly to: string
  /** `gateway`: asked for in the API; `root`: with gw on the machine. */
  readonly by: 'gateway' | 'root'
  readonly state: (typeof upgradeStates)[number]
  readonly step: UpgradeStep
  /** Empty while it runs. */
  readonly message: SaidText
  /** What the message consists of; earlier releases wrote none. */
  readonly sentences?: readonly Sentence[]
  /** Unix seconds. */
  readonly started_at: number
  readonly finished_at: number | null
}

export const writeStatus = (path: string, status: UpgradeStatus): void =>
  writeDurable(path, `${JSON.stringify({ ...status, sentences: sentencesIn(status.message) })}\n`, { mode: 0o644 })

const maxBytes = 16_384

/** Null when there was no upgrade yet, or the file cannot be read. */
export function readStatus(path: string): UpgradeStatus | null {
  try {
    const text = withFile(path, constants.O_RDONLY, (file) => readFileSync(file, 'utf8'))
    if (text.length > maxBytes) return null
    const value = JSON.parse(text) as Partial<UpgradeStatus>
    return isStatus(value) ? value : null
  } catch {
    return null
  }
}

function isStatus(value: Partial<UpgradeStatus> | null): value is UpgradeStatus {
  if (typeof value !== 'object' || value === null) return false
  const { id, from, to, by, state, step, message, started_at, finished_at } = value
  const hasTexts = [id, from, to, message].every((one) => typeof one === 'string')
  const hasWords = upgradeStates.includes(state ?? ('' as 'done')) && upgradeSteps.includes(step ?? ('' as 'checking'))
  const hasTimes =
    typeof started_at === 'number' && (finished_at === null || typeof finished_at === 'number') && by !== undefined
  return hasTexts && hasWords && hasTimes
}

export const unixNow = (): number => Math.floor(Date.now() / 1000)
