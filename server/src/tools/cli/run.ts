// One run of gw: finds the command, reads its arguments, runs it, and turns what went wrong into words and an exit code.

import { version } from '../../shared/version.ts'
import { findCommand, parseInvocation, requireCommand } from './command.ts'
import { commands } from './command-list.ts'
import type { Context } from './context.ts'
import { CommandFailure, exitCodes } from './failure.ts'
import type { Terminal } from './output/terminal.ts'
import { escapeText } from './output/text.ts'

export async function run(words: readonly string[], context: Context): Promise<number> {
  try {
    return await dispatch(words, context)
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    showFailure(error, context.terminal)
    return error.exitCode
  }
}

async function dispatch(words: readonly string[], context: Context): Promise<number> {
  const [first] = words
  // Asked for at every press of the tab key: nothing but what it needs is loaded.
  if (first === '__complete') return (await import('./completion.ts')).completeCommand(words.slice(1), context)
  if (first === undefined) {
    context.terminal.note((await import('./help.ts')).showOverview(context.terminal))
    return exitCodes.usage
  }
  if (first === '--version') {
    context.terminal.out(`gw ${version}\n`)
    return exitCodes.done
  }
  if (first === '--help' || first === '-h') return dispatch(['help', ...words.slice(1)], context)
  const isHelpOfGroup =
    findCommand(commands, words) === null && words.some((word) => word === '--help' || word === '-h')
  if (isHelpOfGroup) return dispatch(['help', first], context)
  const command = requireCommand(commands, words)
  const invocation = parseInvocation(command, words)
  if (invocation.has('help')) return dispatch(['help', ...command.words], context)
  const runCommand = await command.load()
  return runCommand(invocation, { ...context, address: invocation.value('address') })
}

/** The message, then a line for each thing it is about. */
export function showFailure(failure: CommandFailure, terminal: Pick<Terminal, 'note'>): void {
  terminal.note(`gw: ${escapeText(failure.message)}\n`)
  for (const line of failure.lines) terminal.note(`  ${escapeText(line)}\n`)
}
