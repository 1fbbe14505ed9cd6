// gw help: texts made from the list of commands and from the contract, never written twice.

import { accessTable } from '../../core/contract/access.ts'
import type { Endpoint } from '../../core/contract/endpoint.ts'
import { type Command, helpOption, nameOfCommand, type Option, type Run, requireCommand, usageLine } from './command.ts'
import { commands } from './command-list.ts'
import { allEndpoints } from './contract/contracts.ts'
import { endpointsAt } from './contract/paths.ts'
import { asSchema, choicesOf, type Field, listFields, type Schema, showLimits, showType } from './contract/schema.ts'
import { nearest } from './contract/suggest.ts'
import { badUsage, exitCodes } from './failure.ts'
import { replyFields } from './output/reply.ts'
import { showPairs } from './output/table.ts'
import type { Terminal } from './output/terminal.ts'
import { escapeText, wrapText } from './output/text.ts'

type Screen = Pick<Terminal, 'columns' | 'hasColour'>

export const helpCommand: Run = async (invocation, { terminal }) => {
  terminal.out(showTopic(invocation.operands, terminal))
  return exitCodes.done
}

function showTopic(words: readonly string[], screen: Screen): string {
  const [first] = words
  if (first === undefined) return showOverview(screen)
  if (first.startsWith('/')) return showPath(first, screen)
  const group = commands.filter((command) => command.words[0] === first)
  const asked = group.filter((command) => words.every((word, index) => command.words[index] === word))
  if (asked.length > 0) return asked.map((command) => showCommand(command, screen)).join('\n')
  return showCommand(requireCommand(commands, words), screen)
}

export function showOverview(screen: Screen): string {
  const rows = commands.map((command): [string, string] => [nameOfCommand(command), command.summary])
  return [
    'gw: the command line of the gateway\n\n',
    indent(showPairs(rows, narrower(screen))),
    '\n',
    paragraph('For details, run gw <command> --help for a command or gw help <path> for a path of the API.', screen),
    paragraph('Exit codes: 0 success, 1 refused or failed, 2 wrong usage, 3 not signed in, 4 no connection.', screen),
  ].join('')
}

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ')
const narrower = (screen: Screen): Screen => ({
  ...screen,
  columns: screen.columns === null ? null : screen.columns - 2,
})

const paragraph = (text: string, screen: Screen): string =>
  `${wrapText(escapeText(text), Math.max(20, screen.columns ?? Number.POSITIVE_INFINITY)).join('\n')}\n`

export function showCommand(command: Command, screen: Screen): string {
  const options = [...command.options, helpOption].map((option): [string, string] => [
    optionWord(option),
    option.summary,
  ])
  return [
    `${usageLine(command)}\n`,
    paragraph(`${command.summary}.`, screen),
    command.description === undefined ? '' : `\n${paragraph(command.description, screen)}`,
    `\nOptions:\n${indent(showPairs(options, narrower(screen)))}`,
    command.examples && command.examples.length > 0 ? `\nExamples:\n${indent(`${command.examples.join('\n')}\n`)}` : '',
  ].join('')
}

const optionWord = ({ name, value }: Option): string => (value === undefined ? `--${name}` : `--${name} ${value}`)

/** All methods of a path with their fields. */
export function showPath(path: string, screen: Screen): string {
  const found = endpointsAt(allEndpoints, path)
  // The path as it was typed may fit a variable and a fixed word; only the nearest pattern is meant.
  const here = found.filter((endpoint) => endpoint.path === found[0]?.path)
  if (here.length === 0) {
    const meant = nearest(path, [...new Set(allEndpoints.map((endpoint) => endpoint.path))])
    throw badUsage(`There is no endpoint at ${path}.`, [
      ...(meant === null ? [] : [`Did you mean ${meant}?`]),
      'All endpoints: gw endpoints [word]',
    ])
  }
  return here.map((endpoint) => showEndpoint(endpoint, screen)).join('\n')
}

function showEndpoint(endpoint: Endpoint, screen: Screen): string {
  const { method, path, summary, description, access } = endpoint
  const reply = replyFields(asSchema(endpoint.reply))
  const isList = asSchema(endpoint.reply).type === 'array'
  return [
    `${method} ${path}\n`,
    paragraph(`${summary}.${description === '' ? '' : ` ${description}`}`, screen),
    paragraph(`Access: ${access} (${roleWords(endpoint)})`, screen),
    showFields('Fields', asSchema(endpoint.body), screen),
    endpoint.rawBodyType === null
      ? ''
      : paragraph(`Takes a file of at most ${showSize(endpoint.bodyLimitBytes)}.`, screen),
    endpoint.alsoReplies.includes('application/octet-stream') ? paragraph('Replies with a file.', screen) : '',
    showFields('Query', asSchema(endpoint.query), screen),
    reply.length === 0
      ? ''
      : paragraph(`${isList ? 'Replies with a list of' : 'Replies with'}: ${reply.join(', ')}`, screen),
    `Example: ${exampleOf(endpoint)}\n`,
  ].join('')
}

const mebibyte = 1024 * 1024
const showSize = (bytes: number): string => (bytes >= mebibyte ? `${bytes / mebibyte} MiB` : `${bytes / 1024} KiB`)

function roleWords({ access }: Endpoint): string {
  if (access === 'public') return 'everyone'
  if (access === 'signed-in') return 'every signed-in administrator'
  return accessTable[access].join(', ')
}

function showFields(title: string, schema: Schema, screen: Screen): string {
  const fields = listFields(schema)
  if (fields.length === 0) return ''
  return `${title}:\n${indent(showPairs(fields.map(showField), narrower(screen)))}`
}

function showField({ name, schema, isRequired }: Field): [string, string] {
  const limits = showLimits(schema)
  const facts = [showType(schema), limits, isRequired ? 'required' : ''].filter((words) => words !== '').join('; ')
  const words = [schema.description, schema['x-fault']].filter((text) => text !== undefined).join(' ')
  return [name, words === '' ? facts : `${facts}. ${words}`]
}

/** Required fields, or else the first two, with a value that fits their type. */
export function exampleOf(endpoint: Endpoint): string {
  const inBody = endpoint.body !== null
  const fields = listFields(asSchema(inBody ? endpoint.body : endpoint.query))
  const required = fields.filter((field) => field.isRequired)
  const chosen = required.length > 0 || !inBody ? required : fields.slice(0, 2)
  const words = [
    ...chosen.map(({ name, schema }) => `${name}=${exampleValue(schema)}`),
    ...(endpoint.rawBodyType === null ? [] : ['--file <path>']),
    ...(endpoint.alsoReplies.includes('application/octet-stream') ? ['--output <path>'] : []),
  ]
  return ['gw', endpoint.method.toLowerCase(), endpoint.path.replaceAll(/:([a-z_]+)/g, '<$1>'), ...words].join(' ')
}

function exampleValue(schema: Schema): string {
  const [choice] = choicesOf(schema)
  if (choice !== undefined) return choice
  if (schema.type === 'array')
    return (
      choicesOf(asSchema(schema.items ?? null))
        .slice(0, 2)
        .join(',') || '<a,b,c>'
    )
  if (schema.type === 'integer' || schema.type === 'number') return String(schema.minimum ?? 1)
  return '<text>'
}
