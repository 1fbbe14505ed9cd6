// The processes of a running gateway as data: what is started, where, with which rights and environment.

import type { IOType } from 'node:child_process'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { plainOption } from '../../shared/files/plain.ts'
import { tryStoring } from '../../shared/files/reserve.ts'
import { adminPasswordVariable, descriptorOf } from '../../shared/secret.ts'
import { type LabNamespace, webListeners } from '../lab/network.ts'
import { applydDir, gatewayDir, labDir, type Places, runDir, runtimePath } from './layout.ts'
import { namespacePath } from './namespaces.ts'
import type { PlaneChoice } from './planes.ts'
import { type Accounts, dropOptions, labAccount } from './privileges.ts'
import type { ProcessSpec, ReadyMessage, Report } from './processes.ts'
import { type ListenAddress, showListen } from './settings.ts'
import { cleanPath, findTool, toolPath } from './tools.ts'

export interface ProgramContext {
  readonly choice: PlaneChoice
  readonly places: Places
  readonly accounts: Accounts
  readonly brand: string
  /** The management socket: bound outside, accepted from inside. */
  readonly listenFd: number
  readonly listenAddress: string
  /** Where client agents connect; null leaves it to gatewayd. */
  readonly agentListen: ListenAddress | null
  readonly agentPath: string | null
  readonly nftWay: 'library' | 'program' | null
  readonly openLog: (name: string) => number
  /** The first administrator's password until gatewayd has stored it, then null. */
  readonly firstPassword: () => string | null
}

type PipeReport = Extract<Report, { readonly pipe: number }>

type Environment = Readonly<Record<string, string>>

export function listPrograms(context: ProgramContext): readonly ProcessSpec[] {
  const programs = [applyd(context), gatewayd(context)]
  return context.choice.plane === 'lab' ? [...programs, ...labServers(context)] : programs
}

function gatewayd(context: ProgramContext): ProcessSpec {
  const { places, choice, accounts } = context
  const log = context.openLog('gatewayd')
  return {
    name: 'gatewayd',
    ...commandLine(
      enter(choice, 'gateway'),
      setpriv([...dropOptions(accounts.service), ...followToDeath(choice)]),
      script(places, gatewaydScript),
    ),
    cwd: places.app,
    stdio: ['ignore', log, log, context.listenFd, 'pipe', 'pipe'],
    report: { pipe: 4, parse: parseReady },
    secret: { pipe: 5, read: context.firstPassword },
    env: () => ({
      ...commonEnvironment(context),
      PORTCULLIS_BRAND: context.brand,
      PORTCULLIS_LISTEN: context.listenAddress,
      PORTCULLIS_LISTEN_FD: '3',
      PORTCULLIS_NOTIFY_FD: '4',
      [descriptorOf(adminPasswordVariable)]: '5',
      ...optional('PORTCULLIS_AGENT_LISTEN', context.agentListen && showListen(context.agentListen)),
      ...optional('PORTCULLIS_AGENT_PATH', context.agentPath),
      // Its own, because code that the service account can write must never be run by root.
      NODE_COMPILE_CACHE: join(gatewayDir(places.state), 'compile-cache'),
    }),
  }
}

function applyd(context: ProgramContext): ProcessSpec {
  const { places, choice, accounts } = context
  const log = context.openLog('applyd')
  return {
    name: 'applyd',
    ...commandLine(
      enter(choice, 'gateway'),
      setpriv(followToDeath(choice)),
      script(places, 'server/src/applyd/main.ts'),
    ),
    cwd: places.app,
    stdio: ['ignore', log, log],
    report: { file: join(runDir(places.state), 'applyd.sock') },
    env: () => ({
      ...commonEnvironment(context),
      PORTCULLIS_LIMITATION: choice.limitation ?? '',
      PORTCULLIS_SERVICE_UID: String(accounts.service.uid),
      PORTCULLIS_SERVICE_GID: String(accounts.service.gid),
      PORTCULLIS_ACCOUNT_BLOCK: String(accounts.block),
      ...optional('PORTCULLIS_NFT', context.nftWay),
      ...optional('PORTCULLIS_SKIP_PACKAGES', process.env.PORTCULLIS_SKIP_PACKAGES ?? null),
      NODE_COMPILE_CACHE: join(applydDir(places.state), 'compile-cache'),
    }),
  }
}

/** Servers of the pretended internet; they need no rights at all, see the port setting in `namespaces.ts`. */
function labServers(context: ProgramContext): readonly ProcessSpec[] {
  const log = context.openLog('lab')
  const web = script(context.places, 'server/src/tools/lab/web.ts', ...webListeners)
  const unbound = findTool('unbound')
  const servers = [labServer(context, 'web', web, ['ignore', log, log, 'pipe'], { pipe: 3, parse: parseReady })]
  if (unbound === null) return servers
  const command = [unbound, '-d', '-p', '-c', join(context.places.app, 'server/src/tools/lab/dns.conf')]
  return [...servers, labServer(context, 'dns', command, ['ignore', log, 'pipe'], { pipe: 2, parse: copyTo(log) })]
}

/** unbound reports that it is up only in its log, so we read the log on its way to the file. */
function copyTo(log: number): PipeReport['parse'] {
  return (line) => {
    tryStoring(() => writeSync(log, `${line}\n`))
    return /\bstart of service\b/.test(line) ? { event: 'ready' } : null
  }
}

/** What it says is shown on a terminal of root and written into a record that root believes: plain short texts only. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' && /^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]{0,300}$/u.test(value)

export function parseReady(line: string): ReadyMessage | null {
  try {
    const message = JSON.parse(line) as ReadyMessage | null
    return message?.event === 'ready' && Object.values(message).every(isPlain) ? message : null
  } catch {
    // Other lines on the pipe are ignored.
    return null
  }
}

function labServer(
  { choice, places, accounts }: ProgramContext,
  name: 'web' | 'dns',
  command: readonly string[],
  stdio: (IOType | number)[],
  report: PipeReport,
): ProcessSpec {
  return {
    name,
    ...commandLine(
      enter(choice, 'internet'),
      limit(accounts),
      setpriv(dropOptions(labAccount(accounts, `portcullis-lab-${name}`))),
      command,
    ),
    cwd: places.app,
    stdio,
    report,
    env: () => ({
      PATH: cleanPath,
      PORTCULLIS_NOTIFY_FD: String(report.pipe),
      NODE_COMPILE_CACHE: join(labDir(places.state), 'compile-cache'),
    }),
  }
}

function commonEnvironment({ choice, places }: ProgramContext): Environment {
  return {
    PATH: cleanPath,
    LANG: 'C.UTF-8',
    ...frugalMemory,
    ...optional('PORTCULLIS_LOG_REQUESTS', process.env.PORTCULLIS_LOG_REQUESTS ?? null),
    ...optional('PORTCULLIS_AUDIT_DAYS', process.env.PORTCULLIS_AUDIT_DAYS ?? null),
    ...optional('PORTCULLIS_AUDIT_MB', process.env.PORTCULLIS_AUDIT_MB ?? null),
    ...optional('TZ', process.env.TZ ?? null),
    PORTCULLIS_STATE: places.state,
    PORTCULLIS_DATAPLANE: choice.plane,
  }
}

function optional(name: string, value: string | null): Environment {
  return value === null ? {} : { [name]: value }
}

/** nsenter and setpriv replace themselves by what follows, so the pid we get is that of the program itself. */
function enter(choice: PlaneChoice, namespace: LabNamespace): readonly string[] {
  return choice.plane === 'lab' ? [toolPath('nsenter'), `--net=${namespacePath(namespace)}`, '--'] : []
}

/** Processes are counted by account, so the limit is for accounts that have nothing else to run. Threads count too. */
function limit({ service }: Accounts): readonly string[] {
  return service.kind === 'separate' ? [toolPath('prlimit'), '--nproc=64', '--core=0', '--'] : []
}

function setpriv(options: readonly string[]): readonly string[] {
  return options.length === 0 ? [] : [toolPath('setpriv'), ...options, '--']
}

/** Without our own process table, each process asks the kernel for a signal when the launcher dies. */
function followToDeath(choice: PlaneChoice): readonly string[] {
  return choice.isolation === 'mounts' || choice.isolation === 'plain' ? ['--pdeathsig=TERM'] : []
}

const gatewaydScript = 'server/src/gatewayd/main.ts'
export const youngMegabytes = { gatewayd: 4, others: 2 } as const

/**
 * A young generation that holds what a few changes leave behind: with less, gatewayd copies lists of ten thousand rules into
 * the old one, where they lie until it is collected as a whole. With --expose-gc processes can collect when they are quiet. Empty pages go back to the system after a second instead of 8, and the runtime looks for
 * more to return after 2 s instead of 8. The warning is that node:ffi may change; the version of the runtime is pinned.
 */
export const runtimeOptions = (youngMegabytes: number): readonly string[] => [
  `--max-semi-space-size=${youngMegabytes}`,
  '--expose-gc',
  '--memory-pool-timeout=1',
  '--memory-reducer-delay-ms=2000',
  '--disable-warning=ExperimentalWarning',
]

/** One arena, and large blocks go back at once: a password hash takes 19 MB that is not needed afterwards. */
export const frugalMemory = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

function script(places: Places, path: string, ...args: readonly string[]): readonly string[] {
  const options = runtimeOptions(path === gatewaydScript ? youngMegabytes.gatewayd : youngMegabytes.others)
  return [runtimePath(places.app), plainOption(places.app), ...options, join(places.app, path), ...args]
}

function commandLine(...parts: readonly (readonly string[])[]): { readonly command: string; readonly args: string[] } {
  const [command = '', ...args] = parts.flat()
  return { command, args }
}
