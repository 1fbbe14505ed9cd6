// The outer stage: decides, makes the state folder and the lock, then starts the inner stage behind its walls
// and passes on stop signals. It touches nothing on the machine but the state folder.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { plainOption } from '../../shared/files/plain.ts'
import { adminPasswordVariable, descriptorOf, takeSecret } from '../../shared/secret.ts'
import { isJournal } from './journal.ts'
import { type Launch, launchVariable, passwordFd } from './launch.ts'
import { appRoot, makeState, openState, runtimePath } from './layout.ts'
import { releaseLock, takeLock } from './lock.ts'
import { choosePlane, type Isolation, readAbilities, unshareFlags } from './planes.ts'
import { readAccounts } from './privileges.ts'
import { openProgram } from './reach.ts'
import { removeRecord } from './record.ts'
import { readSettings } from './settings.ts'
import { onStopSignal } from './signals.ts'
import { cleanPath, toolPath } from './tools.ts'

export async function runOutside(): Promise<number> {
  const given = takeSecret(process.env, adminPasswordVariable)
  const env = { ...process.env, [adminPasswordVariable]: given ?? undefined }
  const { adminPassword, ...settings } = readSettings(env, appRoot, process.cwd())
  const choice = choosePlane(settings.plane, readAbilities())
  const stateDir = openState(settings.stateDir)
  const accounts = readAccounts(choice, stateDir)
  makeState(stateDir, accounts)
  openProgram(accounts.service)
  const launcher = takeLock(stateDir)
  const launch: Launch = { settings: { ...settings, stateDir }, choice, accounts, isJournal: isJournal(), launcher }
  try {
    if (choice.isolation !== 'plain') return await relay(startInside(launch, choice.isolation, adminPassword ?? ''))
    const { runInside } = await import('./inside.ts')
    return await runInside(launch, adminPassword)
  } finally {
    // Also after a crash of the inner stage, which could not tidy up any more.
    removeRecord(stateDir)
    releaseLock(stateDir)
  }
}

function startInside(launch: Launch, isolation: Exclude<Isolation, 'plain'>, password: string): ChildProcess {
  const hasProcessTable = isolation !== 'mounts'
  const [command = '', ...args] = [
    toolPath('setpriv'),
    // Should this stage be killed, the kernel ends unshare, which ends the table's first process and thereby all.
    `--pdeathsig=${hasProcessTable ? 'KILL' : 'TERM'}`,
    '--',
    toolPath('unshare'),
    ...unshareFlags(isolation),
    '--',
    ...(hasProcessTable ? firstProcess() : []),
    runtimePath(appRoot),
    plainOption(appRoot),
    join(import.meta.dirname, 'main.ts'),
  ]
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
    env: insideEnvironment(launch),
  })
  // A stage that ended before it read this is noticed by its end.
  const pipe = child.stdio[passwordFd] as Duplex
  pipe.on('error', () => {}).end(password)
  return child
}

/**
 * The first process of a process table inherits every orphan and must collect it when it ends; Node collects
 * only its own children, and an engine left as a zombie would look alive to applyd. xargs, which is part of
 * every Debian, starts one program, collects whatever ends, and ends with that program: all an init has to do.
 */
function firstProcess(): readonly string[] {
  return [toolPath('xargs'), '--arg-file=/dev/null', '--']
}

function insideEnvironment(launch: Launch): Record<string, string> {
  const passed = ['TZ', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(passed),
    PATH: cleanPath,
    LANG: 'C.UTF-8',
    [launchVariable]: JSON.stringify(launch),
    [descriptorOf(adminPasswordVariable)]: String(passwordFd),
  }
}

/** A signal closes the stop pipe: unshare itself blocks signals, and the pid behind it is not ours. */
function relay(child: ChildProcess): Promise<number> {
  const leash = child.stdio[3] as Duplex
  leash.on('error', () => {})
  leash.resume()
  const forget = onStopSignal(() => leash.end())
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      forget()
      resolve(code === 0 ? 0 : 1)
    })
  })
}
