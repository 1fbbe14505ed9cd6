// The gw command, as its own process or (much faster) in the process of the test, against a gateway that listens
// with TLS here.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createTlsServer, ensureCertificate } from '../../src/shared/certificates/tls.ts'
import { createKeyboard } from '../../src/tools/cli/keyboard.ts'
import { createTerminal } from '../../src/tools/cli/output/terminal.ts'
import { run } from '../../src/tools/cli/run.ts'
import { readIdentity } from '../../src/tools/launcher/identity.ts'
import { removeRecord, writeRecord } from '../../src/tools/launcher/record.ts'
import { compileCache, ourRuntime } from '../support/started.ts'
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts'

export interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly workingDir?: string
  /** Gets the answer as it is written. */
  readonly onOut?: (text: string) => void
}

export interface CliWorld {
  readonly stateDir: string
  readonly gateway: TestGateway
  readonly address: string
  gw(words: readonly string[], options?: RunOptions): Promise<Said>
  gwProcess(words: readonly string[], options?: RunOptions): Promise<Said>
  /** Stops and starts the gateway on the same state, at another port. */
  stopGateway(): Promise<void>
  startGateway(): Promise<void>
  close(): Promise<void>
}

const program = join(import.meta.dirname, '..', '..', 'src', 'tools', 'cli', 'main.ts')

export async function createCliWorld(): Promise<CliWorld> {
  const home = mkdtempSync(join(tmpdir(), 'gw-test-'))
  const stateDir = join(home, 'state')
  const folder = join(stateDir, 'gateway')
  mkdirSync(folder, { recursive: true })
  mkdirSync(join(stateDir, 'run'))
  const certificate = await ensureCertificate(join(folder, 'tls'), ['127.0.0.1'], new Date())
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    PORTCULLIS_STATE: stateDir,
    ...compileCache,
  }
  let gateway: TestGateway | null = null
  let address = ''

  async function startGateway(): Promise<void> {
    gateway = await createTestGateway({
      folder,
      parts: { serverFactory: (handler) => createTlsServer(certificate, handler) },
    })
    await gateway.http.listen({ host: '127.0.0.1', port: 0 })
    address = `https://127.0.0.1:${(gateway.http.server.address() as AddressInfo).port}`
    record(stateDir, address)
  }

  async function stopGateway(): Promise<void> {
    removeRecord(stateDir)
    if (gateway) await shut(gateway)
    gateway = null
  }

  await startGateway()
  return {
    stateDir,
    get gateway() {
      if (!gateway) throw new Error('the gateway is stopped')
      return gateway
    },
    get address() {
      return address
    },
    gw: (words, options = {}) => runHere(words, options, env),
    gwProcess: (words, options = {}) => runProcess(words, options, env),
    stopGateway,
    startGateway,
    close: async () => {
      await stopGateway()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** As the launcher leaves it: gw finds the address of a gateway by its state folder. */
function record(stateDir: string, address: string): void {
  const identity = readIdentity(process.pid)
  if (identity === null) throw new Error('this process has no identity')
  writeRecord(stateDir, {
    pid: process.pid,
    launcher: identity,
    inside: identity,
    userNamespace: false,
    address: `${address}/`,
    dataplane: 'none',
    limitation: null,
    namespaces: [],
    started: new Date(0).toISOString(),
    processes: {},
  })
}

/** Unlike TestGateway.close(), this leaves the files. */
async function shut({ engine, services, http, database }: TestGateway): Promise<void> {
  await engine.idle()
  engine.close()
  services.audit.flush()
  await http.close()
  database.close()
}

type Environment = Readonly<Record<string, string>>

async function runHere(words: readonly string[], options: RunOptions, base: Environment): Promise<Said> {
  const { input = '', env = {}, onOut, workingDir = base.HOME ?? '/' } = options
  const said = { out: '', err: '' }
  const stream = (name: 'out' | 'err') => ({
    write: (text: string | Buffer) => {
      said[name] += text
      if (name === 'out') onOut?.(String(text))
    },
  })
  const terminal = createTerminal(stream('out'), stream('err'), {})
  const keyboard = createKeyboard(PassThrough.from([Buffer.from(input)]), terminal.note)
  const code = await run(words, { env: { ...base, ...env }, workingDir, terminal, keyboard })
  return { code, ...said }
}

function runProcess(words: readonly string[], { input = '', env = {} }: RunOptions, base: Environment): Promise<Said> {
  const [runtime, plain] = ourRuntime
  const child = spawn(runtime, [plain, program, ...words], { env: { ...base, ...env }, cwd: base.HOME })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return ended(child).then((code): Said => ({ code, ...said }))
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
