// A machine with its own stock kernel, emulated: for what the kernel around a container does not have. It is installed and set up
// once for a package and saved; each test goes on from there. full-kernel.sh makes, boots and saves machines.

import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'
import { mustRun, type Result, runTied, startTied } from './processes.ts'
import { cacheFolder, noteUse, once, type Suite } from './roots.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

const script = join(import.meta.dirname, 'full-kernel.sh')
/** It is twenty to thirty times slower, beside other work even more. */
export const slowMs = 40 * 60_000
/** For each test. */
export const slowly = { timeout: slowMs }
/** Waits on state, as long as an emulated machine needs. Questions without a pause would take what it has to do its work with. */
export const eventually = (what: string, isTrue: () => Promise<boolean>): Promise<void> =>
  until(what, async () => (await isTrue()) || pause(2000, false), slowMs)
export const password = 'Slow-Kernel-19-Pass'

/** False when such a machine can be made here. */
export const reasonWithoutEmulator = (): string | false =>
  process.getuid?.() !== 0
    ? 'an emulated machine needs root'
    : lacking(
        process.arch === 'arm64' ? '/usr/bin/qemu-system-aarch64' : '/usr/bin/qemu-system-x86_64',
        '/usr/bin/qemu-img',
        '/usr/bin/mmdebstrap',
        '/usr/bin/busybox',
      )

export class FullKernel implements AsyncDisposable {
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  static async boot(root: string, name: string): Promise<FullKernel> {
    await mustRun([script, 'boot', root, name], { timeoutMs: slowMs })
    return new FullKernel(name)
  }

  run(argv: readonly string[], input = ''): Promise<Result> {
    return runTied([script, 'enter', this.#name, ...argv], { input, timeoutMs: slowMs })
  }

  must(argv: readonly string[], input = ''): Promise<string> {
    return mustRun([script, 'enter', this.#name, ...argv], { input, timeoutMs: slowMs })
  }

  shell(text: string): Promise<string> {
    return this.must(['/bin/sh', '-euc', text])
  }

  beside(where: 'client' | 'inet', argv: readonly string[], input = ''): Promise<Result> {
    return runTied([script, 'beside', this.#name, where, ...argv], { input, timeoutMs: slowMs })
  }

  startBeside(where: 'client' | 'inet', argv: readonly string[]): ChildProcess {
    return startTied([script, 'beside', this.#name, where, ...argv], { stdio: ['pipe', 'pipe', 'inherit'] })
  }

  copy(from: string, to: string): Promise<string> {
    return mustRun([script, 'copy', this.#name, from, to], { timeoutMs: slowMs })
  }

  async save(folder: string): Promise<void> {
    await mustRun([script, 'save', this.#name, folder], { timeoutMs: slowMs })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await runTied([script, 'kill', this.#name], { timeoutMs: slowMs })
  }
}

/** Beside the dependencies: engines that are not always used, and what tests look with. */
const more = ['curl', 'squid-openssl', 'iptables', 'tcpdump']
/** Debian 12 itself has an older one. */
const installSuricata: Readonly<Record<Suite, string>> = {
  bookworm: [
    `sed -i 's/^Suites: bookworm bookworm-updates$/& bookworm-backports/' /etc/apt/sources.list.d/debian.sources`,
    'apt-get update',
    'apt-get install -y --no-install-recommends -t bookworm-backports suricata',
  ].join(' && '),
  trixie: 'apt-get install -y --no-install-recommends suricata',
}

const network = (card: string, ...lines: readonly string[]): string =>
  ['[Match]', `Name=${card}`, '[Network]', ...lines, ''].join('\n')
const files: Readonly<Record<string, string>> = {
  'etc/systemd/network/20-wan0.network': network('wan0', 'Address=203.0.113.2/24', 'Gateway=203.0.113.1'),
  'etc/systemd/network/20-lan0.network': network('lan0', 'Address=10.10.0.1/24'),
  'etc/dpkg/dpkg.cfg.d/test-machine': 'force-unsafe-io\n',
}

/** A machine that is a plain router, with everything but the package. */
function routerRoot(suite: Suite, dependencies: string): Promise<string> {
  const install = [
    'apt-get update',
    `apt-get satisfy -y --no-install-recommends "${dependencies}"`,
    `apt-get install -y --no-install-recommends ${more.join(' ')}`,
    installSuricata[suite],
    'apt-get clean',
    'systemctl enable systemd-networkd.service',
    // Only cost time. The DNS server of Debian stays: it has to give way, and to come back.
    'systemctl disable squid.service suricata.service',
  ].join(' && ')
  const recipe = JSON.stringify([readFileSync(script, 'utf8'), process.arch, install, files])
  return once(join(cacheFolder, `kernel-${suite}-root-${keyOf(recipe)}`), async (root) => {
    await mustRun([script, 'make', root, suite], { timeoutMs: slowMs })
    for (const [path, text] of Object.entries(files)) writeFileSync(join(root, 'tree', path), text)
    await mustRun([script, 'chroot', root, '/bin/sh', '-c', install], { timeoutMs: slowMs })
    rmSync(join(root, 'tree'), { recursive: true })
  })
}

const keyOf = (...data: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const one of data) hash.update(one)
  return hash.digest('hex').slice(0, 12)
}

export interface SavedMachine {
  /** FullKernel.boot() goes on from there, any number of times. */
  readonly place: string
  /** The machine before the package was installed. */
  readonly untouched: Snapshot
}

/** A machine of this release on which the package was installed and set up. It is made when it is not there. */
export async function savedMachine(suite: Suite, deb: string, dependencies: string): Promise<SavedMachine> {
  const root = await routerRoot(suite, dependencies)
  const place = join(cacheFolder, `kernel-${suite}-saved-${keyOf(root, readFileSync(deb))}`)
  const record = join(place, 'untouched.json')
  if (!existsSync(record)) {
    rmSync(place, { recursive: true, force: true })
    const machine = await FullKernel.boot(root, `made-${process.pid}`)
    try {
      const untouched = await takeSnapshot(machine)
      await install(machine, deb)
      await setUp(machine)
      await machine.save(place)
      // The last file: with it, the machine is complete.
      writeFileSync(record, JSON.stringify(untouched))
    } catch (error) {
      await machine[Symbol.asyncDispose]()
      throw error
    }
  }
  noteUse(place)
  return { place, untouched: JSON.parse(readFileSync(record, 'utf8')) as Snapshot }
}

async function install(machine: FullKernel, deb: string): Promise<void> {
  await machine.copy(deb, '/var/tmp/portcullis.deb')
  await machine.must(['/usr/bin/dpkg', '--install', '/var/tmp/portcullis.deb'])
}

const setUp = (machine: FullKernel): Promise<string> =>
  machine.must(
    [
      'gw',
      'setup',
      '--outside',
      'wan0',
      '--outside-address',
      '203.0.113.2/24',
      '--gateway',
      '203.0.113.1',
      '--inside',
      'lan0',
      '--inside-address',
      '10.10.0.1/24',
      '--yes',
      '--password-stdin',
    ],
    `${password}\n`,
  )

export interface FullGateway extends AsyncDisposable {
  readonly machine: FullKernel
  readonly api: FullApi
}

/** Goes on from a saved machine. */
export async function bootGateway({ place }: SavedMachine): Promise<FullGateway> {
  const machine = await FullKernel.boot(place, `k${process.pid}`)
  try {
    const api = await openApi(machine)
    const dispose = async (): Promise<void> => {
      api[Symbol.dispose]()
      await machine[Symbol.asyncDispose]()
    }
    return { machine, api, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await machine[Symbol.asyncDispose]()
    throw error
  }
}

export interface FullApi extends Disposable {
  /** Rejects with the answer when it is not a good one. */
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are those of the contract, which tests of contracts check
  call(method: string, path: string, body?: unknown): Promise<any>
  /** Status 0: no answer. */
  try(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly text: string }>
}

/** An address of the client that is used for nothing else: hosts of tests take all connections that they may have. */
const administrator = '10.10.0.4'

/** The interface of the gateway, asked from the client beside it. */
async function openApi(machine: FullKernel): Promise<FullApi> {
  const jar = join(tmpdir(), `portcullis-kernel-${process.pid}`)
  const ask = async (method: string, path: string, body?: unknown) => {
    const data = body === undefined ? [] : ['--data-binary', '@-', '--header', 'content-type: application/json']
    const { stdout } = await machine.beside(
      'client',
      [
        '/usr/bin/curl',
        '-sk',
        '-m',
        '1800',
        '--interface',
        administrator,
        '-b',
        jar,
        '-c',
        jar,
        '-X',
        method,
        '-w',
        '\n%{http_code}',
        ...data,
        `https://10.10.0.1:8443${path}`,
      ],
      body === undefined ? '' : JSON.stringify(body),
    )
    const end = stdout.lastIndexOf('\n')
    return { text: stdout.slice(0, end), status: Number(stdout.slice(end + 1)) }
  }
  const signIn = () => ask('POST', '/web/auth/login', { login: 'admin', password, rest_path: '/' })
  const attempt = async (method: string, path: string, body?: unknown) => {
    const answer = await ask(method, path, body)
    // Between two requests a session may come to its end here.
    if (answer.status !== 401) return answer
    const signed = await signIn()
    return signed.status === 200 ? ask(method, path, body) : signed
  }
  const call = async (method: string, path: string, body?: unknown) => {
    let [status, text] = [503, '']
    // A gateway that has too much to do for a moment says so, and has changed nothing.
    await eventually(`${method} ${path} has an answer`, async () => {
      ;({ status, text } = await attempt(method, path, body))
      return status !== 503 && !(status === 0 && method === 'GET')
    })
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
  await machine.beside('client', ['ip', 'address', 'add', `${administrator}/24`, 'dev', 'eth0'])
  await call('GET', '/network/connections')
  return { call, try: attempt, [Symbol.dispose]: () => rmSync(jar, { force: true }) }
}
