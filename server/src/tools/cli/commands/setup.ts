// gw setup: the first set-up on the machine itself. Asks which card leads to the provider and which to the local network, sets the
// administrator's own password, and writes both connections in one change that is reverted unless it is confirmed. Everything is
// asked and judged before anything is done, so it can be left at any question and run again.

import { confirmChange, putBackChange, showProbation } from '../../../areas/configuration/contract.ts'
import { entries, type Server } from '../../../areas/dhcp/contract.ts'
import { connections, type FirstSetup, type ShownConnection, setUpNetwork } from '../../../areas/network/contract.ts'
import type { Api } from '../client/api.ts'
import { findOwnGateway, type OwnGateway } from '../client/own-gateway.ts'
import { type Invocation, type Run, readNumber } from '../command.ts'
import type { Context } from '../context.ts'
import { badUsage, CommandFailure, exitCodes, refused } from '../failure.ts'
import { showPairs, showTable } from '../output/table.ts'
import { escapeText } from '../output/text.ts'
import { openSession, prepareAccount } from './setup-account.ts'
import {
  type Answers,
  bodyOf,
  cardOfConnection,
  faultsOf,
  optionOf,
  portFromOutside,
  questions,
  rangeOf,
  setupOptions,
} from './setup-answers.ts'
import { type Machine, readMachine } from './setup-machine.ts'

/** What differs in tests. */
export interface SetupParts {
  readonly isRoot: () => boolean
  readonly readMachine: (env: Context['env']) => Machine
  /** Calls `stop` at Ctrl-C, instead of ending the process, until the returned function is called. */
  readonly onInterrupt: (stop: () => void) => () => void
}

const ownParts: SetupParts = {
  isRoot: () => process.geteuid?.() === 0,
  readMachine,
  onInterrupt: (stop) => {
    process.on('SIGINT', stop)
    return () => process.off('SIGINT', stop)
  },
}

const confirmSeconds = { default: 120, least: 10, most: 3600 } as const

export const createSetupCommand =
  (parts: SetupParts): Run =>
  async (invocation, context) => {
    if (!parts.isRoot()) throw refused('Only root may do this, on the machine itself.')
    const confirm = invocation.value('confirm')
    const seconds =
      confirm === undefined
        ? confirmSeconds.default
        : readNumber(confirm, '--confirm', confirmSeconds.least, confirmSeconds.most)
    const isAsking = context.keyboard.isTerminal && !invocation.has('yes') && !invocation.has('password-stdin')
    const machine = parts.readMachine(context.env)
    showCards(machine, context)
    if (machine.cards.length < 2)
      throw refused(`A gateway needs two cards. This machine has ${machine.cards.length || 'none'}.`)
    const answers = await answersFor(invocation, context, machine, isAsking)
    const port = portFromOutside(answers, machine)
    const isLeftOut = port === null || invocation.has('no-ssh') || (isAsking && !(await askToKeepPort(context, port)))
    const keptPort = isLeftOut ? null : port
    const own = await findOwnGateway(context, invocation.value('address'))
    const given = invocation.has('password-stdin') ? await readGivenPassword(context) : null
    const account = await prepareAccount(context, own, invocation.value('login'), given)
    context.terminal.note(`\n${showPairs(linesOf(answers, port, keptPort), context.terminal)}`)
    if (isAsking) await askToBegin(context)
    const body = bodyOf(answers, machine, keptPort)
    return openSession(context, own, account, async (api) => {
      const isOver = isConnectedOver(machine, body, await api.ask(connections.list))
      const isAuto = !isOver && confirm === undefined
      const isKept = await change({ api, context, parts, body, seconds, isAsking, isAuto })
      if (isKept && rangeOf(answers) !== null) await lease(api, answers, body)
      return showEnd({ isKept, answers, own, seconds, context, body })
    })
  }

export const setupCommand: Run = createSetupCommand(ownParts)

function showCards(machine: Machine, { terminal }: Context): void {
  const over = cardOfConnection(machine)
  const rows = machine.cards.map((card) => [
    card.name,
    card.mac,
    card.hasCarrier ? 'yes' : 'no',
    card.addresses.join(' ') || '-',
    [
      ...(card.gateway === null ? [] : [`default route by ${card.gateway}`]),
      ...(card === over ? [`you are connected over it, from ${machine.connection?.from}`] : []),
    ].join('; '),
  ])
  const table = showTable({ columns: ['card', 'mac', 'carrier', 'addresses', ''], rows, wrapLast: true }, terminal)
  terminal.note(`${table}\n`)
}

/** Those of the options, and those that are asked for. Faults name the option. */
async function answersFor(
  invocation: Invocation,
  context: Context,
  machine: Machine,
  isAsking: boolean,
): Promise<Answers> {
  let answers: Answers = Object.fromEntries(
    setupOptions.flatMap((option) => {
      const value = invocation.value(option)
      return value === undefined ? [] : [[option, value.trim()]]
    }),
  )
  const given = Object.keys(answers)
  const wrong = faultsOf(answers, machine).filter(({ option }) => !isAsking || given.includes(option))
  if (wrong.length > 0)
    throw badUsage(
      'Nothing was changed: some options are missing or invalid.',
      wrong.map(({ option, message }) => `--${option}: ${message}`),
    )
  for (const { option, words, proposal, faultOf, isAsked, otherwise } of isAsking ? questions : []) {
    if (answers[option] !== undefined || isAsked?.(answers) === false) continue
    const proposed = proposal(machine, answers) ?? otherwise ?? null
    const question = proposed === null ? `${words}: ` : `${words} [${proposed}]: `
    for (;;) {
      const text = (await context.keyboard.askLine(question)) || (proposed ?? '')
      const fault = faultOf(text, machine, answers)
      if (fault === null) {
        answers = { ...answers, [option]: text }
        break
      }
      context.terminal.note(`${escapeText(fault)}\n`)
    }
  }
  const left = faultsOf(answers, machine)
  if (left.length === 0) return answers
  throw badUsage(
    'Nothing was changed: these options do not fit together.',
    left.map(({ option, message }) => `--${option}: ${message}`),
  )
}

async function readGivenPassword({ keyboard }: Context): Promise<string> {
  const password = (await keyboard.readAll()).split(/\r?\n/, 1)[0] ?? ''
  if (password === '') throw badUsage('--password-stdin: The first line of standard input is empty.')
  return password
}

/** Only yes and no are answers: either one by mistake would be a way in or a lock-out. */
async function askToKeepPort({ keyboard, terminal }: Context, port: number): Promise<boolean> {
  for (;;) {
    const word = await keyboard.askLine(
      `You are connected by SSH over the card outside. Keep port ${port} open from outside? [Y/n] `,
    )
    if (/^(y(es)?)?$/i.test(word)) return true
    if (/^no?$/i.test(word)) return false
    terminal.note('Must be y or n.\n')
  }
}

/** `port` is the one of SSH that the administrator is connected through from outside. */
const linesOf = (answers: Answers, port: number | null, keptPort: number | null): [string, string][] => [
  [
    'outside',
    `${answers.outside}, ${answers['outside-address']}${answers.gateway ? `, gateway ${answers.gateway}` : ''}${answers.dns ? `, DNS ${answers.dns}` : ''}`,
  ],
  ['inside', `${answers.inside}, ${answers['inside-address']}`],
  ['DHCP inside', rangeOf(answers) ?? 'as it is'],
  ...(port === null ? [] : [['SSH from outside', sshWords(port, keptPort !== null)] satisfies [string, string]]),
]

const sshWords = (port: number, isKept: boolean): string =>
  isKept
    ? `port ${port} stays open, by a rule of the table INPUT, because you are connected through it`
    : `no rule is added: unless there is one for port ${port}, no new session from outside is possible`

async function askToBegin({ keyboard }: Context): Promise<void> {
  if (!(await keyboard.askYes('Set up the gateway so? [y/N] '))) throw refused('Nothing was changed.')
}

/** Is the card that the administrator is connected over one whose connection changes? */
export function isConnectedOver(machine: Machine, body: FirstSetup, now: readonly ShownConnection[]): boolean {
  const card = cardOfConnection(machine)
  if (card === null) return machine.connection !== null
  const [type, side] =
    card.mac === body.outside.mac
      ? (['wan', body.outside] as const)
      : (['lan', { ...body.inside, enable_dhcp: false, gateway: null }] as const)
  if (card.mac !== side.mac) return false
  const current = now.find(({ mac, vlan_tag: tag }) => mac === card.mac && tag === null)
  return !(
    current?.type === type &&
    current.enabled &&
    current.enable_dhcp === side.enable_dhcp &&
    (current.gateway ?? null) === side.gateway &&
    (current.addresses ?? []).join() === side.addresses.join()
  )
}

interface Change {
  readonly api: Api
  readonly context: Context
  readonly parts: SetupParts
  readonly body: FirstSetup
  readonly seconds: number
  readonly isAsking: boolean
  /** Nothing can be cut off, so it is confirmed as soon as it is applied. */
  readonly isAuto: boolean
}

/** True when the change is there to stay. Ctrl-C reverts it at once. */
async function change({ api, context, parts, body, seconds, isAsking, isAuto }: Change): Promise<boolean> {
  const interrupted = new AbortController()
  const giveBack = parts.onInterrupt(() => interrupted.abort())
  try {
    const headers = { 'portcullis-confirm-within': String(seconds) }
    const answer = await named(() => api.send(setUpNetwork, { body, headers }))
    if (answer.headers['portcullis-confirm-before'] === undefined) return true
    if (interrupted.signal.aborted) return await putBack(api)
    if (!isAuto && !isAsking) return false
    return isAuto || (await askToKeep(context, seconds, interrupted.signal)) ? await confirm(api) : await putBack(api)
  } finally {
    giveBack()
  }
}

/** No answer in time is a no, and so is a Ctrl-C. */
async function askToKeep({ keyboard, terminal }: Context, seconds: number, interrupted: AbortSignal): Promise<boolean> {
  terminal.note(
    `\nThe change is in force. It is reverted in ${seconds} seconds unless you confirm it: here, or from a new session\n` +
      'with gw confirm. Try a new session before you confirm. If you are cut off, wait: the old addresses come back.\n',
  )
  const late = AbortSignal.timeout(seconds * 1000)
  try {
    const word = await keyboard.askLine('Keep it? [y/N] ', AbortSignal.any([interrupted, late]))
    return /^y(es)?$/i.test(word)
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    terminal.note('\n')
    return false
  }
}

/** From another session it may have been confirmed already. */
async function confirm(api: Api): Promise<true> {
  if ((await api.ask(showProbation)).waiting !== null) await api.send(confirmChange)
  return true
}

async function putBack(api: Api): Promise<never> {
  if ((await api.ask(showProbation)).waiting !== null) await api.send(putBackChange)
  throw refused('The addresses are as they were before. Run gw setup again to set others.')
}

/** Refusals of the gateway, with the names of the options. */
async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    const lines = [error.message, ...error.lines]
    throw new CommandFailure(error.exitCode, renamed(error.message), [...error.lines.map(renamed), ...hintsFor(lines)])
  }
}

/** Another network inside does not fit the addresses that DHCP leases there. */
function hintsFor(lines: readonly string[]): string[] {
  const ids = lines.flatMap((line) => /^dhcp\.settings\[([\w-]+)\]\.server\.ranges/.exec(line)?.[1] ?? [])
  return [...new Set(ids)].map(
    (id) =>
      `DHCP leases other addresses there. Switch it off first: gw patch /dhcp_server/settings/${id} enabled=false`,
  )
}

function renamed(line: string): string {
  const [, field = '', words = ''] = /^([\w.[\]]+): (.*)$/s.exec(line) ?? []
  const option = optionOf(field)
  return option === null ? line : `--${option}: ${words}`
}

/** The range becomes the only one of the interface; its other DHCP settings stay. */
async function lease(api: Api, answers: Answers, body: FirstSetup): Promise<void> {
  const range = rangeOf(answers) ?? ''
  const inside = (await api.ask(connections.list)).find(
    ({ mac, vlan_tag: tag }) => mac === body.inside.mac && tag === null,
  )
  const known = (await api.ask(entries.list)).find((entry) => entry.interface === `interface.id.${inside?.id}`)
  const fields = { enabled: true, relay: null, server: { ...(known?.server ?? plainServer), ranges: [range] } }
  await named(() =>
    known
      ? api.send(entries.update, { path: entries.update.path.replace(':settings_id', known.id), body: fields })
      : api.send(entries.create, { body: { ...fields, interface: `interface.id.${inside?.id}` } }),
  )
}

const plainServer: Server = {
  dns: [],
  domain: '',
  gateway: '',
  lease_time: 720,
  options: [],
  ranges: [],
  routes: [],
  tftp_filename: '',
  tftp_server: '',
  wins: [],
  wpad_enabled: false,
}

interface End {
  readonly isKept: boolean
  readonly answers: Answers
  readonly own: OwnGateway
  readonly seconds: number
  readonly context: Context
  readonly body: FirstSetup
}

function showEnd({ isKept, answers, own, seconds, context: { terminal }, body }: End): number {
  const address = (body.inside.addresses[0] ?? '').split('/')[0]
  const { port } = new URL(own.address)
  const console = `https://${address}${port === '' ? '' : `:${port}`}`
  const range = rangeOf(answers)
  const next: [string, string][] = [
    ...(isKept
      ? []
      : ([['gw confirm', `within ${seconds} seconds, from a session that works; otherwise it is reverted`]] as [
          string,
          string,
        ][])),
    ...(isKept || range === null
      ? []
      : ([['gw setup ...', 'again after that, with the same options: DHCP is not set up yet']] as [string, string][])),
    [`${console}/`, 'the web console, from the local network'],
    [`gw login --address ${console}`, 'from another machine'],
    ['gw doctor', 'what on this machine is in the way of the gateway'],
    ['gw status', 'what runs'],
  ]
  terminal.note(
    isKept ? '\nThe gateway is set up.\n\n' : '\nThe change is in force and waits for its confirmation.\n\n',
  )
  terminal.out(showPairs(next, terminal))
  return exitCodes.done
}
