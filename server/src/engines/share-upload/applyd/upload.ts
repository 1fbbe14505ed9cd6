// Puts a backup on a share (SMB 2 and later) with smbclient. gatewayd names the backup, never a path, and says where to;
// the program runs as its own account without any right, gets the file on its standard input and the password over a pipe, and runs only two fixed
// commands on the share. Of its output only the name of a status is used.

import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import type { Account } from '../../../core/engine/accounts.ts'
import { openOwned } from '../../../shared/files/guarded.ts'
import { confine } from '../../kit/confine.ts'
import { programEnvironment } from '../../kit/processes.ts'
import type { Limits, ServiceAccount } from '../../kit/tables.ts'
import { parseForm, parseKeys, Refusal } from '../../kit/values.ts'
import type { ShareUpload, ShareUploadResult } from '../request.ts'

const program = '/usr/bin/smbclient'
/** It is started for one upload at a time, but two may overlap while the first is ended. */
const limits: Limits = { nofile: 256, data: 512 * 1024 * 1024 }
const processes = { nproc: 32 }
const maxOutput = 64 * 1024
const uploadsAtOnce = 4

const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/
const serverForm = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/
/** Neither a path nor what Windows does not allow in a name. */
const shareForm = /^[^\p{Cc}\p{Cs}\\/:"*?<>|]{1,80}$/u
const folderForm = /^(?!(?:.*\/)?\.\.(?:\/|$))[^\p{Cc}\p{Cs}\\:"*?<>|]{0,255}$/u
/** smbclient takes what follows a percent sign for the password. */
const loginForm = /^[^\p{Cc}\p{Cs}%]{1,255}$/u
const passwordForm = /^[^\p{Cc}\p{Cs}]{1,255}$/u

export function parseShareUpload(value: unknown): ShareUpload {
  const keys = ['backup', 'name', 'server', 'address', 'share', 'folder', 'login', 'password'] as const
  const { backup, name, server, address, share, folder, login, password } = parseKeys(value, keys)
  if (typeof address !== 'string' || !isIPv4(address)) throw new Refusal('Not a valid IP address.')
  return {
    backup: parseForm(backup, idForm, 'backup is not named by its id'),
    name: parseForm(name, nameForm, 'name of the file is not allowed'),
    server: parseForm(server, serverForm, 'name of the server is not allowed'),
    address,
    share: parseForm(share, shareForm, 'name of the share is not allowed'),
    folder: parseForm(folder, folderForm, 'folder is not allowed'),
    login: parseForm(login, loginForm, 'login is not allowed'),
    password: parseForm(password, passwordForm, 'password is not allowed'),
  }
}

export interface ShareUploaderOptions {
  /** Below it gatewayd keeps its backups. */
  readonly stateDir: string
  readonly service: ServiceAccount
  /** Of the program; undefined where there is no other account. */
  readonly user: Account | undefined
  readonly port?: number
  readonly wholeMs?: number
}

export interface ShareUploader {
  upload(request: ShareUpload): Promise<ShareUploadResult>
  /** Ends running uploads and refuses new ones. */
  stop(): void
}

export function createShareUploader(options: ShareUploaderOptions): ShareUploader {
  const { stateDir, service, user, port = 445, wholeMs = 15 * 60_000 } = options
  const stopping = new AbortController()
  let running = 0

  const upload = async (request: ShareUpload): Promise<ShareUploadResult> => {
    if (running >= uploadsAtOnce) throw new Refusal('Other backups are being uploaded. Wait until one has ended.')
    const file = openBackup(stateDir, request.backup, service)
    running += 1
    try {
      const deadline = AbortSignal.any([stopping.signal, AbortSignal.timeout(wholeMs)])
      const call = (command: string, input: number | 'ignore') => {
        const args = [...argumentsOf(request, port), `--command=${command}`]
        return runClient(args, { input, password: request.password, signal: deadline, user })
      }
      // Under another name until it is whole, so that a half file is never taken for a backup.
      const part = `${request.name}.part`
      const put = await call(`put - ${part}`, file)
      const named = put.isDone ? await call(`rename ${part} ${request.name} -f`, 'ignore') : put
      // Not after a refused sign-in: a second attempt with a wrong password could lock the account.
      const hasPart = put.isDone || /FULL|QUOTA/.test(put.status)
      if (!named.isDone && hasPart && !deadline.aborted) await call(`rm ${part}`, 'ignore')
      return named
    } finally {
      running -= 1
      closeSync(file)
    }
  }
  return { upload, stop: () => stopping.abort() }
}

/** Only a plain file of the service itself: it cannot send through applyd what it could not read itself. */
function openBackup(stateDir: string, id: string, service: ServiceAccount): number {
  const file = openOwned(stateDir, ['backups', `${id}.backup`], service?.uid ?? process.geteuid?.() ?? 0)
  if (file === null) throw new Refusal('The backup does not exist.')
  return file
}

const argumentsOf = ({ server, address, share, folder, login }: ShareUpload, port: number): string[] => [
  `//${server}/${share}`,
  `--ip-address=${address}`,
  `--port=${port}`,
  `--user=${login}`,
  `--directory=${folder}`,
  '--configfile=/dev/null',
  '--client-protection=sign',
  '--use-kerberos=off',
  '--timeout=30',
]

interface ClientRun {
  readonly input: number | 'ignore'
  readonly password: string
  readonly signal: AbortSignal
  readonly user: Account | undefined
}

function runClient(args: readonly string[], { input, password, signal, user }: ClientRun): Promise<ShareUploadResult> {
  return new Promise((resolve) => {
    const bounds = { user, capabilities: [], limits: user ? { ...limits, ...processes } : limits }
    const [wrapper = '', ...rest] = [...confine(bounds), program, ...args]
    const child = spawn(wrapper, rest, {
      cwd: '/',
      env: { ...programEnvironment, PASSWD_FD: '3' },
      stdio: [input, 'pipe', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        if (output.length < maxOutput) output += chunk.toString('latin1')
      })
    const pipe = child.stdio[3] as NodeJS.WritableStream
    pipe.on('error', () => {})
    pipe.end(`${password}\n`)
    child.on('error', (fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') resolve({ isDone: false, status: 'missing' })
    })
    child.on('close', (code) => {
      if (code === 0) resolve({ isDone: true })
      // What the wrappers end with when there is no such program.
      else if (code === 127) resolve({ isDone: false, status: 'missing' })
      else resolve({ isDone: false, status: signal.aborted ? 'timeout' : statusIn(output) })
    })
  })
}

/** The last status it named; empty when it named none. */
const statusIn = (output: string): string => output.match(/\bNT_STATUS_[A-Z0-9_]{1,60}/g)?.at(-1) ?? ''
