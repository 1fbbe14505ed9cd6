// A machine for tests of the host plane: a process in its own network and mount namespaces, which end with it.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

export interface Machine {
  readonly pid: number
  /** Put before a command line, to run it there. */
  readonly enter: readonly string[]
  leave(): Promise<void>
}

/** Namespaces without a name: they end with the last process in them, and ours ends with this one, however it ends. */
export async function startMachine(): Promise<Machine> {
  const child = spawn('/usr/bin/unshare', ['--net', '--mount', '/bin/cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  // Comes back once it is in its namespaces.
  child.stdin.write('ready')
  await Promise.race([once(child.stdout, 'data'), closed])
  assert.ok(child.pid !== undefined && child.exitCode === null, 'no namespace can be made')
  const { pid } = child
  const leave = async (): Promise<void> => {
    child.stdin.end()
    await closed
  }
  const machine = { pid, enter: ['/usr/bin/nsenter', '--net', '--mount', '-t', String(pid), '--'], leave }
  inMachine(machine, '/bin/mount', '-t', 'sysfs', 'sysfs', '/sys')
  ip(machine, 'link', 'set', 'lo', 'up')
  return machine
}

export const runIn = ({ enter: [program = '', ...args] }: Machine, command: readonly string[]) =>
  spawnSync(program, [...args, ...command], { encoding: 'utf8' })

function inMachine(machine: Machine, ...command: readonly string[]): void {
  const { status, stderr } = runIn(machine, command)
  assert.equal(status, 0, `${command.join(' ')}: ${stderr}`)
}

export const ip = (machine: Machine, ...args: readonly string[]): void => inMachine(machine, '/usr/sbin/ip', ...args)
