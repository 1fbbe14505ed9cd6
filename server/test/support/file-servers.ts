// Real servers that backups are uploaded to: vsftpd and smbd with all their files in one folder. They have one account, and
// run as processes of the test, on loopback or in a lab; never as services of the machine.

import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lacking } from './requires.ts'
import { until } from './until.ts'

export const reasonToSkipServers: string | false =
  process.getuid?.() !== 0
    ? 'file servers need root'
    : lacking('/usr/sbin/vsftpd', '/usr/sbin/smbd', '/usr/bin/smbclient')

export interface FileServer {
  /** Where uploads to the folder `in` of the server, or to `share/in`, arrive. */
  readonly arrivals: string
  readonly login: string
  readonly command: readonly string[]
}

/** World-readable above, because the servers drop root. */
export function makeServerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'file-server-'))
  chmodSync(folder, 0o755)
  return folder
}

function makeArrivals(folder: string): string {
  const arrivals = join(folder, 'root', 'in')
  mkdirSync(arrivals, { recursive: true })
  chmodSync(join(folder, 'root'), 0o755)
  chmodSync(arrivals, 0o777)
  return arrivals
}

/** Its anonymous account with a list of passwords is the only account that does not need one on the machine. */
export function ftpServer(folder: string, host: string, port: number, password: string): FileServer {
  const arrivals = makeArrivals(folder)
  mkdirSync(join(folder, 'empty'))
  writeFileSync(join(folder, 'passwords'), `${password}\n`)
  const lines = [
    'background=NO',
    'listen=YES',
    `listen_address=${host}`,
    `listen_port=${port}`,
    'seccomp_sandbox=NO',
    'anonymous_enable=YES',
    'local_enable=NO',
    'write_enable=YES',
    'anon_umask=077',
    'ftp_username=daemon',
    'anon_upload_enable=YES',
    'anon_other_write_enable=YES',
    'secure_email_list_enable=YES',
    `anon_root=${join(folder, 'root')}`,
    `email_password_file=${join(folder, 'passwords')}`,
    `secure_chroot_dir=${join(folder, 'empty')}`,
  ]
  const path = join(folder, 'vsftpd.conf')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return { arrivals, login: 'anonymous', command: ['/usr/sbin/vsftpd', path] }
}

export function shareServer(folder: string, host: string, port: number, password: string): FileServer {
  const arrivals = makeArrivals(folder)
  const own = ['private', 'lock', 'state', 'cache', 'pid', 'ncalrpc']
  for (const name of own) mkdirSync(join(folder, name))
  const lines = [
    '[global]',
    'server role = standalone server',
    'disable netbios = yes',
    'load printers = no',
    'log level = 0',
    `interfaces = ${host}`,
    'bind interfaces only = yes',
    `smb ports = ${port}`,
    ...own.map(
      (name) =>
        `${name === 'private' || name === 'ncalrpc' ? `${name} dir` : `${name} directory`} = ${join(folder, name)}`,
    ),
    `passdb backend = tdbsam:${join(folder, 'private', 'passdb.tdb')}`,
    `log file = ${join(folder, 'log')}`,
    '[share]',
    `path = ${join(folder, 'root')}`,
    'read only = no',
    'valid users = daemon',
  ]
  const path = join(folder, 'smb.conf')
  writeFileSync(path, `${lines.join('\n')}\n`)
  const input = `${password}\n${password}\n`
  const { status, stderr } = spawnSync('/usr/bin/smbpasswd', ['-c', path, '-a', '-s', 'daemon'], { input })
  if (status !== 0) throw new Error(`smbpasswd: ${String(stderr)}`)
  const flags = ['--foreground', '--no-process-group', `--configfile=${path}`]
  return { arrivals, login: 'daemon', command: ['/usr/sbin/smbd', ...flags] }
}

export interface RunningServer extends FileServer {
  readonly port: number
  stop(): Promise<void>
}

type MakeServer = (folder: string, host: string, port: number, password: string) => FileServer

/** On loopback, at a port that is free. */
export async function startOnLoopback(make: MakeServer, password: string): Promise<RunningServer> {
  const folder = makeServerFolder()
  const port = await freePort()
  const server = make(folder, '127.0.0.1', port, password)
  const [program = '', ...args] = server.command
  // A separate process group, so that its children end with it; it ends when the test process ends.
  const child = spawn('/usr/bin/setpriv', ['--pdeathsig=KILL', '--', program, ...args], {
    stdio: 'ignore',
    detached: true,
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await until(`${program} listens`, () => canConnect(port))
  return {
    ...server,
    port,
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
