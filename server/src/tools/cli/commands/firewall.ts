// gw explain and gw hygiene: which rule decides about a packet, and which rules should be reviewed.

import { explainPacket, showHygiene } from '../../../areas/firewall/contract.ts'
import type { ReplyOf } from '../../../core/contract/endpoint.ts'
import { withApi } from '../client/api.ts'
import { type Run, readNumber } from '../command.ts'
import { badUsage, exitCodes } from '../failure.ts'
import { showTable } from '../output/table.ts'
import type { Terminal } from '../output/terminal.ts'
import { escapeText, showJson } from '../output/text.ts'

const protocols = ['tcp', 'udp', 'icmp', 'gre', 'esp', 'ah'] as const

/** `192.0.2.1:80`, `[2001:db8::1]:80`, or an address alone. */
function parseEnd(text: string, what: string): { address: string; port?: number } {
  const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::(\d{1,5}))?$/.exec(text)
  const [, address = text, port] = bracketed ?? /^([0-9.]+):(\d{1,5})$/.exec(text) ?? []
  return { address, ...(port === undefined ? {} : { port: readNumber(port, what, 0, 65_535) }) }
}

/** In place of a source: where the user is. */
const anyHost = '-'

export const explainCommand: Run = async (invocation, context) => {
  const [name = '', from = '', to = ''] = invocation.operands
  const protocol = protocols.find((known) => known === name)
  if (!protocol) throw badUsage(`"${name}" is not a known protocol. Use one of: ${protocols.join(', ')}.`)
  const source: { address?: string; port?: number } = from === anyHost ? {} : parseEnd(from, 'The port of the source')
  const user = invocation.value('user')
  if (source.address === undefined && user === undefined)
    throw badUsage(`The source ${anyHost} means the session of a user: add --user.`)
  const destination = parseEnd(to, 'The port of the destination')
  const revision = invocation.value('revision')
  const body = {
    packet: {
      protocol,
      ...(source.address === undefined ? {} : { source: source.address }),
      ...(user === undefined ? {} : { user }),
      destination: destination.address,
      ...(source.port === undefined ? {} : { source_port: source.port }),
      ...(destination.port === undefined ? {} : { destination_port: destination.port }),
      incoming_interface: invocation.has('own') ? null : (invocation.value('from') ?? 'interface.local_any'),
    },
    ...(revision === undefined ? {} : { revision: readNumber(revision, '--revision', 0, Number.MAX_SAFE_INTEGER) }),
  }
  const explanation = await withApi(context, (api) => api.ask(explainPacket, { body }))
  if (invocation.has('json')) context.terminal.out(`${showJson(explanation, 2)}\n`)
  else printExplanation(explanation, context.terminal, invocation.has('reasons'))
  return ['drop', 'reject'].includes(explanation.verdict) ? exitCodes.refused : exitCodes.done
}

type Explanation = ReplyOf<typeof explainPacket>
type Step = Explanation['steps'][number]

function printExplanation(explanation: Explanation, terminal: Terminal, hasReasons: boolean): void {
  const rowsOf = (steps: readonly Step[]) =>
    steps.flatMap((step) => [
      [step.stage, step.rule?.origin ?? '', step.text],
      ...(hasReasons ? step.passed.map((rule) => ['', rule.origin, rule.reason]) : []),
    ])
  const rows = [
    ...rowsOf(explanation.steps),
    ...explanation.outcomes.flatMap((outcome) => [
      ...rowsOf(outcome.steps),
      [
        'verdict',
        outcome.decided_by ?? '',
        { text: outcome.verdict, colour: outcome.verdict === 'accept' ? ('green' as const) : ('red' as const) },
      ],
    ]),
  ]
  for (const [end, user] of [
    ['source', explanation.source_user],
    ['destination', explanation.destination_user],
  ] as const) {
    if (user) terminal.out(`${escapeText(sayUser(end, explanation.source, user))}\n`)
  }
  terminal.out(showTable({ columns: ['stage', 'rule', 'what happens'], rows, wrapLast: true }, terminal))
  for (const reason of explanation.incomplete_because) terminal.out(`Not certain: ${reason}\n`)
}

function sayUser(end: 'source' | 'destination', source: string, user: NonNullable<Explanation['source_user']>): string {
  const where = end === 'source' ? `The source ${source}` : 'The destination'
  const session = user.session_id === null ? '' : `, by the session ${user.session_id} (${user.type ?? ''})`
  return `${where} is that of ${user.user_id} "${user.name}"${session}.`
}

export const hygieneCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const findings = await withApi(context, (api) => api.ask(showHygiene))
  if (invocation.has('json')) terminal.out(`${showJson(findings, 2)}\n`)
  else if (findings.length === 0) terminal.out('No findings.\n')
  else {
    const rows = findings.map(({ severity, kind, table, rule_id, text }) => [
      severity,
      kind,
      `${table} ${rule_id}`,
      text,
    ])
    terminal.out(showTable({ columns: ['severity', 'kind', 'rule', 'finding'], rows, wrapLast: true }, terminal))
  }
  return exitCodes.done
}
