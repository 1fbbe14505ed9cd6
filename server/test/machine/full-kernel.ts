// A machine with its own stock kernel, emulated: for what the kernel around a container does not have. It is installed and set up
// once for a package and saved; each test goes on from there. full-kernel.sh makes, boots and saves machines.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lacking } from '../support/requires.ts'
import { mustRun, type Result, runTied } from './processes.ts'
import { cacheFolder, type Suite } from './roots.ts'

const script = join(import.meta.dirname, 'full-kernel.sh')
/** It is twenty to thirty times slower, beside other work even more. */
export const slowMs = 40 * 60_000
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

/** Beside the dependencies: what is inspected with, and what tests look with. */
const more = ['curl', 'suricata', 'iptables', 'tcpdump']

/** The place of a machine of this release with the package installed and set up. It is made when it is not there. */
export async function savedMachine(suite: Suite, deb: string, dependencies: string): Promise<string> {
  const key = createHash('sha256').update(readFileSync(deb)).update(dependencies).digest('hex').slice(0, 12)
  const root = join(cacheFolder, `kernel-${suite}-${key}`)
  const saved = join(cacheFolder, `kernel-${suite}-${key}-saved`)
  if (existsSync(join(saved, 'state'))) return saved
  for (const folder of [root, saved]) rmSync(folder, { recursive: true, force: true })
  await mustRun([script, 'make', root, suite], { timeoutMs: slowMs })
  const backports = `sed -i 's/^Suites: bookworm bookworm-updates$/& bookworm-backports/' /etc/apt/sources.list.d/debian.sources`
  const install = [
    backports,
    'apt-get update',
    `apt-get satisfy -y --no-install-recommends "${dependencies}"`,
    `apt-get install -y --no-install-recommends ${more.join(' ')}`,
  ].join(' && ')
  await mustRun([script, 'chroot', root, '/bin/sh', '-c', install], { timeoutMs: slowMs })
  const machine = await FullKernel.boot(root, `made-${process.pid}`)
  try {
    await machine.copy(deb, '/var/tmp/portcullis.deb')
    await machine.must(['/usr/bin/dpkg', '-i', '/var/tmp/portcullis.deb'])
    await machine.must(
      [
        ...['gw', 'setup', '--outside', 'wan0', '--outside-address', '203.0.113.2/24', '--gateway', '203.0.113.1'],
        ...['--inside', 'lan0', '--inside-address', '10.10.0.1/24', '--yes', '--password-stdin'],
      ],
      `${password}\n`,
    )
    await machine.save(saved)
  } catch (error) {
    await machine[Symbol.asyncDispose]()
    throw error
  }
  return saved
}

/** The interface of the gateway, asked from the client beside it. */
export async function openApi(machine: FullKernel) {
  const jar = join(tmpdir(), `portcullis-kernel-${process.pid}`)
  const call = async (method: string, path: string, body?: unknown) => {
    const data = body === undefined ? [] : ['--data-binary', '@-', '--header', 'content-type: application/json']
    const { stdout } = await machine.beside(
      'client',
      [
        ...['/usr/bin/curl', '-sk', '-m', '600', '-b', jar, '-c', jar, '-X', method, '-w', '\n%{http_code}', ...data],
        `https://10.10.0.1:8443${path}`,
      ],
      body === undefined ? '' : JSON.stringify(body),
    )
    const end = stdout.lastIndexOf('\n')
    const [text, status] = [stdout.slice(0, end), Number(stdout.slice(end + 1))]
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
  await call('POST', '/web/auth/login', { login: 'admin', password, rest_path: '/' })
  return { call, [Symbol.dispose]: () => rmSync(jar, { force: true }) }
}
