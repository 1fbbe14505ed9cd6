// A control group for each engine: an engine that wants all memory, processes or processor time takes them from itself, then from
// the other engines, and never from applyd, gatewayd or SSH. systemd delegates the group of portcullis-groups.service for it. Only on a
// host: a lab belongs to anyone who started it. docs/behaviour/host.md has the numbers.

import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { DataPlane } from '../../core/plan/artifacts.ts'
import { type Log, wordsOf } from '../../engines/kit/text.ts'
import { makeGroup, namesIn, textOf, writeKernel } from './read.ts'

export interface ControlGroups {
  /** Moves a process that has just been started into the group of its unit. */
  readonly place: (unit: string, pid: number) => void
  /** Why engines have no limits; null when they have them, or need none. */
  readonly missing: string | null
}

const controllers = ['cpu', 'memory', 'pids']
const megabyte = 1024 * 1024
/** What engines together leave to the rest of the machine, in bytes. */
const reserveOf = (total: number): number => Math.min(total / 2, Math.max(total / 4, 384 * megabyte))
const mostTasks = 2048

const none = (missing: string | null): ControlGroups => ({ place: () => {}, missing })

/** Tests have a folder of their own. */
export function createControlGroups(
  { plane, log }: { readonly plane: DataPlane; readonly log: Log },
  { root = '/sys/fs/cgroup', total = totalmem() } = {},
): ControlGroups {
  if (plane !== 'host') return none(null)
  if (textOf(join(root, 'cgroup.controllers')) === '')
    return none('The machine does not use control groups of version 2.')
  const unit = join(root, 'system.slice/portcullis-groups.service')
  const engines = join(unit, 'engines')
  if (namesIn(unit).length === 0) return none('portcullis-groups.service does not run.')
  const mostMemory = total - reserveOf(total)
  try {
    const offered = textOf(join(unit, 'cgroup.controllers')).trim().split(' ')
    const lacking = controllers.filter((name) => !offered.includes(name))
    if (lacking.length > 0) return none(`The kernel does not offer the controllers ${lacking.join(', ')}.`)
    leaveToKeeper(unit)
    makeGroup(engines)
    divide(unit)
    limit(engines, { 'memory.max': mostMemory })
    divide(engines)
  } catch (fault) {
    log('warning', 'Engines have no separate limits of memory and processor time', { fault })
    return none(wordsOf(fault))
  }

  function place(name: string, engine: number): void {
    try {
      const group = makeGroup(join(engines, name.replace(/[^A-Za-z0-9._-]/g, '_')))
      // With one engine beyond its limit the others still have a fifth of what all may have.
      limit(group, { 'memory.max': mostMemory * 0.8, 'memory.oom.group': 1, 'pids.max': mostTasks })
      writeKernel(join(group, 'cgroup.procs'), String(engine))
    } catch (fault) {
      // One that has already ended is reported by its exit.
      if ((fault as NodeJS.ErrnoException).code !== 'ESRCH')
        log('warning', `${name} has no separate limits of memory and processor time`, { fault })
    }
  }
  return { place, missing: null }
}

/** A group with processes of its own cannot be divided: the one that holds the group goes below it. */
function leaveToKeeper(unit: string): void {
  const keeper = makeGroup(join(unit, 'keeper'))
  for (const one of textOf(join(unit, 'cgroup.procs'))
    .split('\n')
    .filter((line) => Number(line) > 1))
    writeKernel(join(keeper, 'cgroup.procs'), one)
}

const divide = (group: string): void =>
  writeKernel(join(group, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '))

function limit(group: string, limits: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(limits)) writeKernel(join(group, name), String(Math.floor(value)))
}
