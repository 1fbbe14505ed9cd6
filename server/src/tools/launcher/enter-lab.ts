// Running commands inside a running lab, and reading its state. For the gw command and the
// tests; works from outside, through the namespaces of a process named in launcher.json.

import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { dnsAddress, isLabNamespace, type LabNamespace, labNamespaces, webListeners } from '../lab/network.ts'
import { findOutsider } from './layout.ts'
import { groupOf } from './privileges.ts'
import { type LauncherRecord, type ProcessRecord, readRecord } from './record.ts'
import { cleanPath, findTool } from './tools.ts'

export interface ExecOptions {
  /** `inherit` hands the caller's terminal through; then nothing is collected. */
  readonly stdio?: 'collect' | 'inherit'
  readonly input?: string
  readonly timeoutMs?: number
}

export interface ExecResult {
  /** 128 plus the number is not made up for signals: a command ended by one has code null. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface InterfaceStatus {
  readonly name: string
  readonly mac: string
  readonly up: boolean
  readonly addresses: readonly string[]
}

export interface LabStatus {
  readonly pid: number
  readonly address: string
  readonly dataplane: LauncherRecord['dataplane']
  readonly limitation: string | null
  readonly started: string
  readonly namespaces: readonly { readonly name: string; readonly interfaces: readonly InterfaceStatus[] }[]
  readonly servers: readonly { readonly name: string; readonly listens: readonly string[]; readonly up: boolean }[]
  readonly processes: Readonly<Record<string, ProcessRecord>>
}

/** A reason why the lab cannot be entered, in a sentence for the administrator. */
export class NoLab extends Error {}

export function execInLab(
  stateDir: string,
  namespace: string,
  argv: readonly string[],
  options: ExecOptions = {},
): Promise<ExecResult> {
  return run(openLab(stateDir, namespace), argv, options)
}

/** For programs that the caller starts itself, such as one that is spoken to over more than standard input and output. */
export function openLab(stateDir: string, namespace: string): Door {
  const { command, env } = openDoor(stateDir, requireLab(stateDir))
  if (!isLabNamespace(namespace)) throw new NoLab(`The lab has ${labNamespaces.join(', ')}, but no "${namespace}".`)
  return { command: [...command, ...enterNetwork(namespace)], env }
}

/** Null when no gateway runs with this state folder. */
export async function readLabStatus(stateDir: string): Promise<LabStatus | null> {
  const record = readRecord(stateDir)
  if (record === null) return null
  const { pid, address, dataplane, limitation, started, processes } = record
  const door = openDoor(stateDir, record)
  const namespaces = await Promise.all(
    record.namespaces.map(async (name) => ({ name, interfaces: await readInterfaces(door, name) })),
  )
  return { pid, address, dataplane, limitation, started, namespaces, servers: listServers(record), processes }
}

function requireLab(stateDir: string): LauncherRecord {
  const record = readRecord(stateDir)
  if (record === null) throw new NoLab(`No gateway runs with the state folder ${stateDir}. Start one with npm start.`)
  if (record.dataplane !== 'lab')
    throw new NoLab(`This gateway runs with the data plane ${record.dataplane} and has no lab.`)
  return record
}

/** What enters the lab, and the environment that a command there gets. */
export interface Door {
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/**
 * The record belongs to the owner of the state folder and is believed with the rights of that account only: programs come from the mounts of
 * the process it names, so root enters as that account. A user namespace knows no other account anyway.
 */
function openDoor(stateDir: string, { inside, userNamespace }: LauncherRecord): Door {
  const { uid } = statSync(stateDir)
  const isOwn = uid === process.geteuid?.()
  if (isOwn && findOutsider(stateDir) !== null)
    throw new NoLab(`Other accounts could replace the state folder ${stateDir} or what is in it.`)
  const become = isOwn ? [] : [tool('setpriv'), `--reuid=${uid}`, `--regid=${groupOf(uid)}`, '--clear-groups', '--']
  const user = userNamespace ? ['--user', '--preserve-credentials'] : []
  return {
    command: [...become, tool('nsenter'), `--target=${inside.pid}`, ...user, '--mount', '--pid', '--'],
    env: isOwn ? process.env : { PATH: cleanPath, LANG: 'C.UTF-8', TERM: process.env.TERM },
  }
}

/** A second step, because the names of the networks are in the mounts entered by the first. */
function enterNetwork(namespace: LabNamespace): readonly string[] {
  return [tool('nsenter'), `--net=/run/netns/${namespace}`, '--']
}

function tool(name: string): string {
  const path = findTool(name)
  if (path === null) throw new NoLab(`The program ${name} is missing on this machine.`)
  return path
}

function run(
  { command, env }: Door,
  argv: readonly string[],
  { stdio = 'collect', input = '', timeoutMs }: ExecOptions,
): Promise<ExecResult> {
  const [program = '', ...args] = [...command, ...argv]
  const child = spawn(program, args, {
    env,
    stdio: stdio === 'inherit' ? 'inherit' : 'pipe',
    // Killing nsenter would leave the command behind it running: the signal goes to the whole group.
    detached: stdio === 'collect',
  })
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => killGroup(child.pid), timeoutMs)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code, ...output })
    })
  })
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended at the same moment.
  }
}

async function readInterfaces(door: Door, namespace: string): Promise<readonly InterfaceStatus[]> {
  const { code, stdout, stderr } = await run(door, [tool('ip'), '-n', namespace, '-j', 'address'], {})
  if (code !== 0) throw new NoLab(`The interfaces of ${namespace} cannot be read: ${stderr.trim()}`)
  return parseInterfaces(stdout)
}

interface IpAddressOutput {
  readonly ifname: string
  readonly address?: string
  readonly flags: readonly string[]
  readonly addr_info: readonly { readonly local: string; readonly prefixlen: number }[]
}

/** From `ip -j address`. */
export function parseInterfaces(json: string): readonly InterfaceStatus[] {
  return (JSON.parse(json) as readonly IpAddressOutput[]).map(({ ifname, address, flags, addr_info }) => ({
    name: ifname,
    mac: address ?? '',
    up: flags.includes('UP'),
    addresses: addr_info.map(({ local, prefixlen }) => `${local}/${prefixlen}`),
  }))
}

function listServers({ namespaces, processes }: LauncherRecord): LabStatus['servers'] {
  if (namespaces.length === 0) return []
  return [
    { name: 'web', listens: webListeners, up: processes.web?.ready ?? false },
    { name: 'dns', listens: [`${dnsAddress}:53`], up: processes.dns?.ready ?? false },
  ]
}
