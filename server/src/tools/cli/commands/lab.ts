// gw lab status and gw lab exec: the namespaces of a lab that runs on this machine.

import { execInLab, type LabStatus, NoLab, readLabStatus } from '../../launcher/enter-lab.ts'
import { findStateDir } from '../client/local-gateway.ts'
import type { Run } from '../command.ts'
import { badUsage, codeOf, exitCodes, refused } from '../failure.ts'
import { showPairs, showTable } from '../output/table.ts'
import type { Terminal } from '../output/terminal.ts'
import { showJson } from '../output/text.ts'
import { showTime } from '../output/time.ts'

export const labStatusCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const stateDir = findStateDir(context)
  const status = await readLabStatus(stateDir).catch(explain)
  if (status === null) throw refused(`No gateway runs with the state folder ${stateDir}. Start one with npm start.`)
  if (invocation.has('json')) terminal.out(`${showJson(status, 2)}\n`)
  else printStatus(status, terminal)
  return exitCodes.done
}

function printStatus(status: LabStatus, terminal: Terminal): void {
  const { namespaces, processes, servers } = status
  terminal.out(
    showPairs(
      [
        ['address', status.address],
        ['data plane', status.dataplane],
        ['limitation', status.limitation ?? '-'],
        ['started', `${showTime(status.started)} UTC`],
        ['process', String(status.pid)],
      ],
      terminal,
    ),
  )
  const processRows = Object.entries(processes).map(([name, { pid, starts, ready }]) => [
    name,
    { text: ready ? 'serving' : 'down', colour: ready ? ('green' as const) : ('red' as const) },
    pid === null ? '-' : String(pid),
    String(starts),
    servers.find((server) => server.name === name)?.listens.join(', ') ?? '',
  ])
  terminal.out(
    `\n${showTable({ columns: ['process', 'state', 'pid', 'starts', 'listens'], rows: processRows }, terminal)}`,
  )
  const interfaceRows = namespaces.flatMap(({ name, interfaces }) =>
    interfaces.map((entry) => [name, entry.name, entry.up ? 'up' : 'down', entry.mac, entry.addresses.join(', ')]),
  )
  if (interfaceRows.length === 0) return
  const columns = ['namespace', 'interface', 'link', 'mac', 'addresses']
  terminal.out(`\n${showTable({ columns, rows: interfaceRows }, terminal)}`)
}

export const labExecCommand: Run = async (invocation, context) => {
  const [namespace = ''] = invocation.operands
  if (invocation.rest.length === 0) throw badUsage('Missing command. Usage: gw lab exec client -- <command ...>')
  // Ctrl-C reaches the command itself, which has the same terminal; we wait for its exit status.
  process.on('SIGINT', () => {})
  try {
    const { code } = await execInLab(findStateDir(context), namespace, invocation.rest, { stdio: 'inherit' })
    return code ?? exitCodes.refused
  } catch (error) {
    return explain(error)
  }
}

function explain(error: unknown): never {
  if (error instanceof NoLab) throw refused(error.message)
  if (['EACCES', 'EPERM'].includes(codeOf(error))) {
    throw refused('The lab belongs to another account. Use the account that started it, or root.')
  }
  throw error
}
