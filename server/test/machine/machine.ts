// A booted Debian with systemd as its first process and two network cards, wan0 and lan0, between a small internet and a
// client. Everything is in namespaces of one holder process, which ends when this process does, however that happens; with it
// the kernel ends the machine, its networks and its mounts. Only a folder and an empty control group can be left, and the next
// test run removes those.
//
//   inet 203.0.113.1/24 ── wan0 [machine] lan0 ── 10.10.0.2/24 client (default route 10.10.0.1)
//   inet has 198.51.100.10 (web) and 198.51.100.53 (DNS), and reaches 10.10.0.0/24 through 203.0.113.2

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readIdentity } from '../../src/tools/launcher/identity.ts'
import { patienceMs, until } from '../support/until.ts'
import { childrenOf, lastLines, mustRun, type Result, type RunOptions, runTied, startTied } from './processes.ts'
import { cacheFolder } from './roots.ts'

export const internet = { card: '203.0.113.1', web: '198.51.100.10', dns: '198.51.100.53' }
export const client = { address: '10.10.0.2', gateway: '10.10.0.1' }
/** What the machine's own cards are meant to have. */
export const outside = { card: 'wan0', address: '203.0.113.2/24', mac: '02:00:cb:00:71:02' }
export const inside = { card: 'lan0', address: '10.10.0.1/24', mac: '02:00:0a:0a:00:01' }

export type Side = 'client' | 'inet'

const runningFolder = join(cacheFolder, 'running')
const groupPrefix = 'portcullis-test-machine-'
const groups = '/sys/fs/cgroup'
/** Where the holder mounts the machine's files. */
const mounted = '/run/root'
/** systemd-nspawn ends with it when the machine wants to boot again. */
const rebootCode = 133
const consoleLimit = 200_000
const plainEnvironment = [
  '/usr/bin/env',
  '-i',
  'HOME=/root',
  'TERM=dumb',
  'LC_ALL=C.UTF-8',
  'container=systemd-nspawn',
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
]

export interface BootOptions {
  /** Files of the machine, by their paths, written before it boots. */
  readonly files?: Readonly<Record<string, string>>
}

/** Take it with `await using`. */
export async function bootMachine(root: string, options: BootOptions = {}): Promise<Machine> {
  sweep()
  mkdirSync(runningFolder, { recursive: true })
  const folder = mkdtempSync(join(runningFolder, `${process.pid}-${readIdentity(process.pid)?.startTicks}-`))
  const holder = spawn(
    '/usr/bin/unshare',
    ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation', 'private', '/bin/cat'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const machine = new Machine(holder, folder)
  try {
    // Comes back once it is in its namespaces.
    holder.stdin?.write('ready')
    await Promise.race([once(holder.stdout ?? holder, 'data'), once(holder, 'close')])
    await machine.build(root)
    for (const [path, text] of Object.entries(options.files ?? {})) machine.write(path, text)
    await machine.boot()
    return machine
  } catch (error) {
    await machine[Symbol.asyncDispose]()
    throw error
  }
}

export class Machine implements AsyncDisposable {
  readonly #holder: ChildProcess
  readonly #folder: string
  readonly #closed: Promise<unknown>
  #nspawn: ChildProcess | null = null
  #stopped: Promise<number | null> = Promise.resolve(null)
  #console = ''
  /** Programs beside the machine. */
  readonly #neighbours = new Set<ChildProcess>()

  constructor(holder: ChildProcess, folder: string) {
    this.#holder = holder
    this.#folder = folder
    this.#closed = once(holder, 'close')
  }

  get name(): string {
    return `${groupPrefix}${basename(this.#folder).toLowerCase()}`
  }

  /** What systemd wrote to the console, of all boots. */
  get console(): string {
    return this.#console
  }

  /** The first process in the namespaces of the holder. */
  get #first(): number {
    const [pid] = childrenOf(this.#holder.pid ?? 0)
    assert.ok(pid !== undefined, 'no namespace can be made')
    return pid
  }

  /** The first process of the booted machine, or null while it is down. */
  get #init(): number | null {
    return this.#nspawn?.pid === undefined ? null : findBelow(this.#nspawn.pid, 'systemd')
  }

  /** Where files of the machine are for this process; without those of file systems in its memory, such as /run and /tmp. */
  path(inMachine: string): string {
    return join(`/proc/${this.#first}/root${mounted}`, inMachine)
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8')
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.path(path)), { recursive: true })
    writeFileSync(this.path(path), text)
  }

  /** Mounts, control group and networks around the machine. */
  async build(root: string): Promise<void> {
    const layers = ['upper', 'work'].map((name) => join(this.#folder, name))
    for (const layer of layers) mkdirSync(layer)
    const [upper, work] = layers
    const overlay = `lowerdir=${root},upperdir=${upper},workdir=${work}`
    const mounts = [
      'mount -t tmpfs -o mode=755 run /run',
      `mkdir -p /run/netns ${mounted}`,
      `mount -t overlay overlay -o "$1" ${mounted}`,
      // Read-only, so that systemd-nspawn takes cards without waiting for udev.
      'mount -t sysfs -o ro sysfs /sys',
      `mount -t cgroup2 none ${groups}`,
    ].join('\n')
    await this.#besides(['/bin/sh', '-ec', mounts, 'sh', overlay])
    // Never those of a machine that is only about to start, beside this one or in another test run.
    const left = readdirSync(`/proc/${this.#first}/root${groups}`).filter(isLeftGroup)
    const steps = [
      ...left.map((name) => `find ${groups}/${name} -depth -type d -exec rmdir {} + 2>/dev/null || true`),
      `mkdir ${groups}/${this.name}`,
      'ip link set lo up',
      'for side in client inet; do ip netns add $side; ip -n $side link set lo up; done',
      `ip -n inet address add ${internet.web}/32 dev lo`,
      `ip -n inet address add ${internet.dns}/32 dev lo`,
    ].join('\n')
    await this.#besides(['/bin/sh', '-ec', steps])
  }

  /** A command beside the machine, in the mounts, processes and network that the holder has. */
  #besides(argv: readonly string[]): Promise<string> {
    return mustRun([...this.#enterHolder(), ...argv])
  }

  #enterHolder(): readonly string[] {
    return ['/usr/bin/nsenter', '--target', `${this.#first}`, '--mount', '--net', '--pid', '--']
  }

  /** Cards as after a cold start: both without an address, and the other ends already waiting. */
  async #plugCards(): Promise<void> {
    const steps = [
      // systemd-nspawn gives cards back when a machine ends.
      `for card in ${outside.card} ${inside.card}; do ip link delete $card 2>/dev/null || true; done`,
      `ip link add ${outside.card} address ${outside.mac} type veth peer name eth0 netns inet`,
      `ip link add ${inside.card} address ${inside.mac} type veth peer name eth0 netns client`,
      `ip -n inet address add ${internet.card}/24 dev eth0`,
      `ip -n client address add ${client.address}/24 dev eth0`,
      'for side in client inet; do ip -n $side link set eth0 up; done',
      // Known, so that the first packet passes as soon as the card takes it.
      `ip -n inet neighbour replace 203.0.113.2 lladdr ${outside.mac} dev eth0`,
      `ip -n client neighbour replace ${client.gateway} lladdr ${inside.mac} dev eth0`,
      'ip -n inet route add 10.10.0.0/24 via 203.0.113.2',
      `ip -n client route add default via ${client.gateway}`,
    ].join('\n')
    await this.#besides(['/bin/sh', '-ec', steps])
  }

  /** Resolves when systemd has started all that it starts, also when some of that failed. */
  async boot(): Promise<void> {
    assert.equal(this.#nspawn, null, 'the machine is up')
    await this.#plugCards()
    const options = [
      '--quiet',
      `--directory=${mounted}`,
      `--machine=${this.name}`,
      '--hostname=gateway',
      '--boot',
      '--register=no',
      '--keep-unit',
      '--console=pipe',
      '--capability=all',
      '--resolv-conf=off',
      '--timezone=off',
      // Otherwise IPAddressDeny= of units has no effect, and tests of sandboxes prove nothing.
      '--system-call-filter=bpf',
      `--network-interface=${outside.card}`,
      `--network-interface=${inside.card}`,
    ]
    const join = `echo 0 > ${groups}/${this.name}/cgroup.procs && exec "$@"`
    const nspawn = startTied([
      ...this.#enterHolder(),
      '/bin/sh',
      '-c',
      join,
      'sh',
      '/usr/bin/systemd-nspawn',
      ...options,
    ])
    for (const stream of [nspawn.stdout, nspawn.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#console = (this.#console + text).slice(-consoleLimit)
      })
    nspawn.stdin?.end()
    this.#nspawn = nspawn
    this.#stopped = once(nspawn, 'close').then(([code]) => {
      this.#nspawn = null
      return code as number | null
    })
    await this.#waitForSystemd()
  }

  async #waitForSystemd(): Promise<void> {
    const isUp = async (): Promise<boolean> => {
      assert.ok(this.#nspawn, `The machine ended while it booted:\n${lastLines(this.#console)}`)
      if (this.#init === null) return false
      const { stdout } = await this.run(['/usr/bin/systemctl', 'is-system-running', '--wait'])
      return ['running', 'degraded'].includes(stdout.trim())
    }
    await until('the machine has booted', isUp)
  }

  /** Resolves when it is up again. */
  async reboot(): Promise<void> {
    await this.run(['/usr/bin/systemctl', 'reboot'])
    const code = await this.#stopped
    assert.equal(code, rebootCode, `the machine did not reboot, it ended with ${code}:\n${lastLines(this.#console)}`)
    await this.boot()
  }

  /** Powers it off in order; its files and networks stay for another boot. */
  async powerOff(): Promise<void> {
    await this.run(['/usr/bin/systemctl', 'poweroff'])
    assert.equal(await this.#stopped, 0, lastLines(this.#console))
  }

  /** As when the power fails. */
  async pullPlug(): Promise<void> {
    const init = this.#init
    assert.ok(init !== null, 'the machine is down')
    process.kill(init, 'SIGKILL')
    await this.#stopped
  }

  /** Put before a command line, to run it in the machine. */
  enter(): readonly string[] {
    const init = this.#init
    assert.ok(init !== null, `the machine is down:\n${lastLines(this.#console)}`)
    return ['/usr/bin/nsenter', '--target', `${init}`, '--all', '--wdns=/root', '--', ...plainEnvironment]
  }

  /** Put before a command line, to run it in the client or in the internet, with the files of the test's own machine. */
  side(side: Side): readonly string[] {
    return ['/usr/bin/nsenter', `--net=/proc/${this.#first}/root/run/netns/${side}`, '--']
  }

  run(argv: readonly string[], options: RunOptions = {}): Promise<Result> {
    return runTied([...this.enter(), ...argv], options)
  }

  /** Rejects with what the command wrote when it does not end well. */
  must(argv: readonly string[], options: RunOptions = {}): Promise<string> {
    return mustRun([...this.enter(), ...argv], options)
  }

  beside(side: Side, argv: readonly string[], options: RunOptions = {}): Promise<Result> {
    return runTied([...this.side(side), ...argv], options)
  }

  /** A program that goes on beside the machine and ends with it. */
  startBeside(side: Side, argv: readonly string[]): ChildProcess {
    const child = startTied([...this.side(side), ...argv], { stdio: ['pipe', 'pipe', 'ignore'] })
    this.#neighbours.add(child)
    child.once('close', () => this.#neighbours.delete(child))
    return child
  }

  /** What the journal has of units, for a failure. */
  async journal(...units: readonly string[]): Promise<string> {
    const names = units.flatMap((unit) => ['--unit', unit])
    const { stdout } = await this.run(['/usr/bin/journalctl', '--no-pager', '--boot', '--lines=60', ...names])
    return stdout
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const neighbour of this.#neighbours) neighbour.kill('SIGKILL')
    const group = this.#holder.exitCode === null ? [...this.#enterHolderOrNone()] : []
    if (group.length > 0 && this.#nspawn) {
      const init = this.#init
      if (init !== null) process.kill(init, 'SIGKILL')
      await this.#stopped
      const tree = `find ${groups}/${this.name} -depth -type d -exec rmdir {} +`
      await runTied([...group, '/bin/sh', '-c', tree])
    }
    this.#holder.stdin?.end()
    await this.#closed
    await removeFolder(this.#folder)
  }

  #enterHolderOrNone(): readonly string[] {
    return childrenOf(this.#holder.pid ?? 0).length > 0 ? this.#enterHolder() : []
  }
}

/** The uppermost process below one that has this name. */
function findBelow(pid: number, name: string): number | null {
  const children = childrenOf(pid)
  const found = children.find((child) => nameOf(child) === name)
  if (found !== undefined) return found
  for (const child of children) {
    const deeper = findBelow(child, name)
    if (deeper !== null) return deeper
  }
  return null
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

/** Mounts of a machine that has just ended go in the background of the kernel. */
async function removeFolder(folder: string): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if (performance.now() > deadline) throw error
      await pause(50)
    }
  }
}

/** Whether the test run is gone whose process the name of a folder or group begins with. */
function isLeft(name: string): boolean {
  const [pid, startTicks] = name.split('-')
  return readIdentity(Number(pid))?.startTicks !== startTicks
}

const isLeftGroup = (name: string): boolean =>
  /^[a-z0-9-]+$/.test(name) && name.startsWith(groupPrefix) && isLeft(name.slice(groupPrefix.length))

/** Folders of machines whose test run is gone. */
function sweep(): void {
  if (!existsSync(runningFolder)) return
  for (const name of readdirSync(runningFolder))
    if (isLeft(name)) rmSync(join(runningFolder, name), { recursive: true, force: true })
}
