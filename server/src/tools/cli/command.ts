// What a command of gw is: its words, options and texts as data, and the code that runs it, loaded when needed. Help,
// completion and the reading of arguments all work from this.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Method } from '../../core/contract/endpoint.ts'
import type { Context } from './context.ts'
import { nearest } from './contract/suggest.ts'
import { badUsage, type ExitCode } from './failure.ts'

export interface Option {
  readonly name: string
  /** Placeholder of the value in help, such as SECONDS; without it the option is a flag. */
  readonly value?: string
  readonly isRepeatable?: boolean
  /** One letter that means the same. */
  readonly short?: string
  readonly summary: string
}

/** The kind of operand that follows the words of a command, for completion. */
export type Operand =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'call'; readonly method: Method }
  | { readonly kind: 'topic' }
  | { readonly kind: 'none' }

export interface Invocation {
  readonly operands: readonly string[]
  /** Everything after `--`. */
  readonly rest: readonly string[]
  has(option: string): boolean
  value(option: string): string | undefined
  values(option: string): readonly string[]
}

export type Run = (invocation: Invocation, context: Context) => Promise<ExitCode | number>

export interface Command {
  /** `['revisions', 'show']` is typed `gw revisions show`. */
  readonly words: readonly string[]
  /** What follows the words, as help shows it. */
  readonly usage: string
  readonly summary: string
  readonly description?: string
  readonly examples?: readonly string[]
  readonly options: readonly Option[]
  readonly operand: Operand
  readonly operands: { readonly least: number; readonly most: number }
  readonly load: () => Promise<Run>
}

export const nameOfCommand = (command: Pick<Command, 'words'>): string => `gw ${command.words.join(' ')}`

/** The command with the most words that `words` begins with. */
export function findCommand(commands: readonly Command[], words: readonly string[]): Command | null {
  const fitting = commands.filter((command) => command.words.every((word, index) => words[index] === word))
  return fitting.sort((a, b) => b.words.length - a.words.length)[0] ?? null
}

export function requireCommand(commands: readonly Command[], words: readonly string[]): Command {
  const found = findCommand(commands, words)
  if (found) return found
  const [first = ''] = words
  const inside = commands.filter((command) => command.words[0] === first)
  if (inside.length > 0) throw badUsage(`gw ${first} needs a subcommand:`, inside.map(usageLine))
  const meant = nearest(first, [...new Set(commands.map((command) => command.words[0] ?? ''))])
  throw badUsage(`There is no command "${first}".`, [
    ...(meant === null ? [] : [`Did you mean gw ${meant}?`]),
    'All commands: gw help',
  ])
}

export const usageLine = (command: Command): string => `${nameOfCommand(command)} ${command.usage}`.trimEnd()

export const helpOption: Option = { name: 'help', summary: 'Show the help of this command.' }

export function parseInvocation(command: Command, words: readonly string[]): Invocation {
  const end = words.indexOf('--')
  const own = end < 0 ? words : words.slice(0, end)
  const { values, positionals } = parseWords(command, own.slice(command.words.length))
  const { least, most } = command.operands
  const isHelp = values.help === true
  if (!isHelp && (positionals.length < least || positionals.length > most)) {
    const fault = positionals.length < least ? 'Missing argument.' : `Unexpected argument "${positionals[most]}".`
    throw badUsage(`${fault} Usage: ${usageLine(command)}`)
  }
  return {
    operands: positionals,
    rest: end < 0 ? [] : words.slice(end + 1),
    has: (option) => values[option] === true,
    value: (option) => {
      const value = values[option]
      return typeof value === 'string' ? value : undefined
    },
    values: (option) => {
      const value = values[option]
      return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
    },
  }
}

function parseWords(command: Command, args: readonly string[]) {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } }
  for (const { name, value, isRepeatable, short } of command.options) {
    const type = value === undefined ? 'boolean' : 'string'
    options[name] = { type, multiple: isRepeatable ?? false, ...(short === undefined ? {} : { short }) }
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    // Node explains at length how to pass a positional that begins with a dash; the first sentence is enough.
    const [sentence = ''] = (error as Error).message.split('. ')
    throw badUsage(`${sentence.replace(/\.?$/, '.')} See: ${nameOfCommand(command)} --help`)
  }
}

/** A whole number given as an option or operand; `what` names it in the error message. */
export function readNumber(text: string, what: string, least: number, most: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw badUsage(`${what} must be a whole number from ${least} to ${most}, not "${text}".`)
}
