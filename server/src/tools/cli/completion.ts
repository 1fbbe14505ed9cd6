// Answers for the tab key: candidates for the last word. One candidate a line, with a tab and a few
// words about it; a candidate that ends with = or / goes on without a space.

import type { Endpoint, Method } from '../../core/contract/endpoint.ts'
import { type Command, findCommand, helpOption, type Option } from './command.ts'
import { commands } from './command-list.ts'
import type { Context } from './context.ts'
import { allEndpoints } from './contract/contracts.ts'
import { completePath, endpointsAt } from './contract/paths.ts'
import { asSchema, branchesOf, choicesOf, findField, listFields, type Schema, showType } from './contract/schema.ts'
import { exitCodes } from './failure.ts'
import { escapeText } from './output/text.ts'

export interface Candidate {
  readonly text: string
  readonly about: string
}

export async function completeCommand(words: readonly string[], { terminal }: Pick<Context, 'terminal'>) {
  const lines = complete(words).map(({ text, about }) => `${escapeText(text)}\t${escapeText(about)}\n`)
  terminal.out(lines.join(''))
  return exitCodes.done
}

/** `words` are those after `gw`; the last one is being typed and may be empty. */
export function complete(words: readonly string[]): Candidate[] {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (before.includes('--')) return []
  const command = findCommand(commands, before)
  const longer = nextWords(before)
  const candidates = command === null ? longer : [...longer, ...afterCommand(command, before, typed)]
  return candidates.filter(({ text }) => text.startsWith(typed) && text !== '')
}

/** Words of commands that begin with what was typed so far. */
function nextWords(before: readonly string[]): Candidate[] {
  const found = new Map<string, string>()
  for (const command of commands) {
    const next = command.words[before.length]
    if (next === undefined || !before.every((word, index) => command.words[index] === word)) continue
    if (found.has(next)) continue
    found.set(next, command.words.length === before.length + 1 ? command.summary : '')
  }
  return [...found].map(([text, about]) => ({ text, about }))
}

function afterCommand(command: Command, before: readonly string[], typed: string): Candidate[] {
  const args = before.slice(command.words.length)
  const last = args.at(-1) ?? ''
  const options = [...command.options, helpOption]
  const open = options.find((option) => option.value !== undefined && last === `--${option.name}`)
  if (open) return optionValues(open, command, args, typed)
  if (typed.startsWith('-')) return options.map(({ name, summary }) => ({ text: `--${name}`, about: summary }))
  const operands = operandsOf(options, args)
  switch (command.operand.kind) {
    case 'words':
      return operands.length === 0 ? command.operand.words.map((text) => ({ text, about: '' })) : []
    case 'topic':
      return topics(operands, typed)
    case 'call':
      return callOperands(command.operand.method, operands, typed)
    case 'none':
      return []
  }
}

/** What is neither an option nor the value of one. */
function operandsOf(options: readonly Option[], args: readonly string[]): string[] {
  const takesValue = new Set(options.filter((option) => option.value !== undefined).map(({ name }) => `--${name}`))
  return args.filter((word, index) => !word.startsWith('-') && !takesValue.has(args[index - 1] ?? ''))
}

function topics(operands: readonly string[], typed: string): Candidate[] {
  if (operands.length > 0) return nextWords(operands)
  if (typed.startsWith('/')) return paths(allEndpoints, typed)
  return nextWords([])
}

function callOperands(method: Method, operands: readonly string[], typed: string): Candidate[] {
  const ofMethod = allEndpoints.filter((endpoint) => endpoint.method === method)
  const [path] = operands
  if (path === undefined) return paths(ofMethod, typed)
  const [endpoint] = endpointsAt(ofMethod, path)
  if (!endpoint) return []
  const given = operands.slice(1).map((word) => word.split(/:?=/, 1)[0] ?? '')
  return fields(asSchema(endpoint.body ?? endpoint.query), typed, given)
}

function paths(endpoints: readonly Endpoint[], typed: string): Candidate[] {
  const found = completePath(
    endpoints.map((endpoint) => endpoint.path),
    typed,
  )
  return found.map((text) => ({ text, about: endpoints.find((endpoint) => endpoint.path === text)?.summary ?? '' }))
}

function fields(schema: Schema, typed: string, given: readonly string[]): Candidate[] {
  const at = typed.indexOf('=')
  if (at < 0) {
    return listFields(schema)
      .filter(({ name }) => !given.includes(name))
      .map(({ name, schema: field }) => ({ text: `${name}=`, about: field.description ?? showType(field) }))
  }
  const field = findField(schema, typed.slice(0, at))
  if (field === null) return []
  const name = typed.slice(0, at + 1)
  return values(field, typed.slice(at + 1)).map((value) => ({ text: `${name}${value}`, about: '' }))
}

/** In a list the last entry is being typed; entries that are already in it are not offered again. */
function values(schema: Schema, typed: string): string[] {
  const list = branchesOf(schema).find((branch) => branch.type === 'array')
  if (list === undefined) return [...choicesOf(schema)]
  const entries = typed.split(',').slice(0, -1)
  const start = entries.map((entry) => `${entry},`).join('')
  return choicesOf(list.items ?? {})
    .filter((choice) => !list.uniqueItems || !entries.includes(choice))
    .map((choice) => `${start}${choice}`)
}

function optionValues(option: Option, command: Command, args: readonly string[], typed: string): Candidate[] {
  if (option.name !== 'query' || command.operand.kind !== 'call') return []
  const { method } = command.operand
  const [path = ''] = operandsOf(command.options, args.slice(0, -1))
  const [endpoint] = endpointsAt(
    allEndpoints.filter((candidate) => candidate.method === method),
    path,
  )
  return endpoint ? fields(asSchema(endpoint.query), typed, []) : []
}
