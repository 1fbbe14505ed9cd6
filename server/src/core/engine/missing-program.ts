// What an engine's message means whose program is not installed.

import { type SaidText, say } from '../../shared/said.ts'
import type { EngineData } from './engine.ts'

/** What an administrator can do about a unit whose message says that its program is not there; null for other messages. */
export function describeMissing({ packages }: EngineData, message: string): SaidText | null {
  if (!/failed to execute|not installed/.test(message)) return null
  const [first] = [...packages.start, ...packages.use]
  return say`The program ${first?.file} is not installed (Debian package ${first?.name}).`
}
