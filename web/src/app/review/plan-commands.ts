// The commands of a whole plan: one line for each call, or one call that makes several as one change.

import { makeCalls } from '@gateway/server/contract/configuration'
import { type ApplyOptions, wireCall } from '../../api/apply.ts'
import type { ChangePlan } from '../../api/change.ts'
import { type Command, commandsOf } from '../../api/commands.ts'

export function planCommands({ calls }: ChangePlan, options: ApplyOptions): readonly Command[] {
  const [first, ...others] = calls
  if (!first) return []
  if (others.length > 0) return commandsOf(makeCalls, { body: { calls: calls.map(wireCall) }, ...options })
  const { endpoint, ...rest } = first
  return commandsOf(endpoint, { ...rest, ...options })
}
