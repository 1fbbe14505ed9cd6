// Clients and servers of applications, on ports that are not their own: real programs where they are small, and peers that say the
// true first bytes for all others. A client is `ok` when it was answered.

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findApplication } from '../../src/domain/applications/catalogue.ts'
import { exchanges } from '../applications/exchanges.ts'
import { ftpServer, shareServer } from './file-servers.ts'
import { until } from './until.ts'

export interface Pair {
  /** As in `id.l7.resp`. */
  readonly application: string
  /** Applications that the connection is as well: denying one of them refuses it too. */
  readonly also: readonly string[]
  /** Of the pair, for a report. */
  readonly name: string
  readonly protocol: 'tcp' | 'udp'
  /** Where the port is part of what is recognised; otherwise any port will do. */
  readonly port?: number
  /** Programs without which the pair cannot run. */
  readonly needs: readonly string[]
  /** Command lines. The folder is empty, and world-readable. */
  server(port: number, folder: string): readonly string[]
  client(address: string, port: number, folder: string): readonly string[]
  /** The server ends with its input. Others take an input that is a socket for their connection. */
  readonly readsInput?: true
  /** In what the client writes; without it, the client ends with 0. */
  readonly saysOk?: RegExp
}

const node = process.execPath
const hook = join(import.meta.dirname, '..', '..', 'plain', 'hook.mjs')
const peer = [node, `--import=${hook}`, join(import.meta.dirname, 'application-peer.ts')]
const id = (name: string): string => `id.l7.${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`

const write = (folder: string, name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** A certificate for any name; clients do not check it. */
function certificate(folder: string): readonly [string, string] {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const form = [
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=peer',
  ]
  spawnSync('openssl', ['req', ...form, '-keyout', key, '-out', cert])
  return [key, cert]
}

const talker = (name: string) => (port: number) => [...peer, 'talk', name, `${port}`]
const curl = ['curl', '--silent', '--show-error', '--max-time', '5', '--output', '/dev/null']
const base = { also: [], protocol: 'tcp', needs: ['curl'] } as const

/** A site of a service over TLS, asked for with a real client. */
const site = (application: string, host: string): Pair => ({
  ...base,
  application: id(application),
  also: [id('TLS')],
  name: `${application}, curl to ${host}`,
  needs: ['curl', 'openssl'],
  server: (port, folder) => {
    certificate(folder)
    return [...peer, 'talk', 'secure', `${port}`, folder]
  },
  client: (address, port) => [
    ...curl,
    '--insecure',
    '--resolve',
    `${host}:${port}:${address}`,
    `https://${host}:${port}/`,
  ],
})

const plainSite = (application: string, host: string): Pair => ({
  ...base,
  application: id(application),
  also: [id('HTTP')],
  name: `${application}, curl to http://${host}`,
  server: talker('web'),
  client: (address, port) => [...curl, '--resolve', `${host}:${port}:${address}`, `http://${host}:${port}/`],
})

const asked = (
  application: string,
  server: string,
  url: (at: string) => string,
  ...options: readonly string[]
): Pair => ({
  ...base,
  application: id(application),
  name: `${application}, curl`,
  server: talker(server),
  client: (address, port) => [...curl, ...options, url(`${address}:${port}`)],
})

/** With their own programs. */
export const programPairs: readonly Pair[] = [
  {
    ...base,
    application: id('SSH'),
    name: 'SSH, dropbear',
    needs: ['dropbear', 'dropbearkey', 'dbclient'],
    server: (port, folder) => {
      const key = join(folder, 'host.key')
      spawnSync('dropbearkey', ['-t', 'ed25519', '-f', key])
      return ['dropbear', '-F', '-E', '-s', '-r', key, '-p', `${port}`]
    },
    client: (address, port) => ['dbclient', '-y', '-y', '-T', '-p', `${port}`, `nouser@${address}`, 'true'],
    saysOk: /No auth methods|Permission denied/,
  },
  {
    ...base,
    application: id('RESP'),
    name: 'RESP, redis',
    needs: ['redis-server', 'redis-cli'],
    server: (port, folder) => {
      const settings = [
        '--port',
        `${port}`,
        '--bind',
        '0.0.0.0',
        '--protected-mode',
        'no',
        '--save',
        '',
        '--dir',
        folder,
      ]
      return ['redis-server', ...settings]
    },
    client: (address, port) => ['redis-cli', '-h', address, '-p', `${port}`, 'PING'],
    saysOk: /PONG/,
  },
  {
    ...base,
    application: id('MQTT'),
    name: 'MQTT, mosquitto',
    needs: ['mosquitto', 'mosquitto_pub'],
    server: (port, folder) => [
      'mosquitto',
      '-c',
      write(folder, 'mosquitto.conf', `listener ${port}\nallow_anonymous true\nuser root\n`),
    ],
    client: (address, port) => ['mosquitto_pub', '-h', address, '-p', `${port}`, '-t', 'a', '-m', 'b'],
  },
  {
    ...base,
    application: id('RSYNC'),
    name: 'RSYNC, rsync',
    needs: ['rsync'],
    server: (port, folder) => {
      // No server answers in the lab when it asks for the name of the client.
      const settings = `use chroot = no\nreverse lookup = no\nuid = root\ngid = root\n[files]\npath = ${folder}\n`
      return [
        'rsync',
        '--daemon',
        '--no-detach',
        `--port=${port}`,
        `--config=${write(folder, 'rsyncd.conf', settings)}`,
      ]
    },
    client: (address, port) => ['rsync', '--timeout=5', `rsync://${address}:${port}/files/`],
  },
  {
    ...base,
    application: id('Memcached'),
    name: 'Memcached, memcached',
    needs: ['memcached'],
    server: (port) => ['memcached', '-u', 'root', '-l', '0.0.0.0', '-p', `${port}`],
    client: (address, port) => {
      const index = exchanges.findIndex(({ application }) => application === 'Memcached')
      return [...peer, 'ask', '5000', `${index},${address},${port}`]
    },
  },
  {
    ...base,
    application: id('Git'),
    name: 'Git, git',
    needs: ['git'],
    server: (port, folder) => {
      spawnSync('git', ['init', '--bare', '--quiet', join(folder, 'a.git')])
      return ['git', 'daemon', '--reuseaddr', '--export-all', `--base-path=${folder}`, `--port=${port}`, folder]
    },
    client: (address, port) => ['git', 'ls-remote', `git://${address}:${port}/a.git`],
  },
  {
    ...base,
    application: id('DNS'),
    name: 'DNS, unbound and dig',
    protocol: 'udp',
    needs: ['unbound', 'dig'],
    server: (port, folder) => {
      const lines = [
        'server:',
        ' interface: 0.0.0.0',
        ` port: ${port}`,
        ' access-control: 0.0.0.0/0 allow',
        ' chroot: ""',
        ' username: ""',
        ' do-daemonize: no',
        ' use-syslog: no',
        ` directory: "${folder}"`,
        ` pidfile: "${folder}/pid"`,
        ' do-ip6: no',
        ' module-config: "iterator"',
        ' local-zone: "test." static',
        ' local-data: "a.test. A 192.0.2.1"',
        'remote-control:',
        ' control-enable: no',
      ]
      return ['unbound', '-d', '-c', write(folder, 'unbound.conf', `${lines.join('\n')}\n`)]
    },
    client: (address, port) => ['dig', `@${address}`, '-p', `${port}`, '+tries=1', '+time=3', '+short', 'a.test'],
    saysOk: /192\.0\.2\.1/,
  },
  {
    ...base,
    application: id('SNMP'),
    name: 'SNMP, snmpd',
    protocol: 'udp',
    needs: ['snmpd', 'snmpget'],
    server: (port, folder) => [
      'snmpd',
      '-f',
      '-C',
      '-c',
      write(folder, 'snmpd.conf', 'rocommunity public\n'),
      '-p',
      join(folder, 'pid'),
      `udp:${port}`,
    ],
    client: (address, port) => ['snmpget', '-v2c', '-cpublic', '-r0', '-t3', `${address}:${port}`, '1.3.6.1.2.1.1.3.0'],
  },
  {
    ...base,
    application: id('FTP_CONTROL'),
    name: 'FTP, vsftpd',
    needs: ['vsftpd', 'curl'],
    server: (port, folder) => ftpServer(folder, '0.0.0.0', port, 'secret').command,
    client: (address, port) => [...curl, `ftp://anonymous:secret@${address}:${port}/`],
  },
  {
    ...base,
    application: id('SMBv23'),
    name: 'SMB, smbd',
    needs: ['smbd', 'smbclient'],
    server: (port, folder) => shareServer(folder, '0.0.0.0', port, 'secret').command,
    client: (address, port) => ['smbclient', '-N', '-p', `${port}`, '-t', '5', '-L', address],
    saysOk: /Sharename|ACCESS_DENIED|LOGON_FAILURE/,
  },
  {
    ...base,
    application: id('DTLS'),
    name: 'DTLS, openssl',
    protocol: 'udp',
    needs: ['openssl'],
    server: (port, folder) => {
      const [key, cert] = certificate(folder)
      return ['openssl', 's_server', '-dtls', '-quiet', '-accept', `${port}`, '-key', key, '-cert', cert]
    },
    client: (address, port) => ['timeout', '4', 'openssl', 's_client', '-dtls', '-connect', `${address}:${port}`],
    readsInput: true,
    saysOk: /BEGIN CERTIFICATE/,
  },
  {
    ...base,
    application: id('PostgreSQL'),
    name: 'PostgreSQL, psql',
    needs: ['psql'],
    server: talker('postgres'),
    client: (address, port) => ['psql', `host=${address} port=${port} user=a dbname=a connect_timeout=4`],
    saysOk: /hello from the peer/,
  },
  {
    ...base,
    application: id('SIP'),
    name: 'SIP, sipsak',
    protocol: 'udp',
    needs: ['sipsak'],
    server: talker('sip'),
    client: (address, port) => ['sipsak', '-s', `sip:a@${address}:${port}`],
  },
  { ...asked('TFTP', 'tftp', (at) => `tftp://${at}/file`), protocol: 'udp' },
  asked('IMAP', 'imap', (at) => `imap://a:b@${at}/`),
  asked('POP3', 'pop3', (at) => `pop3://a:b@${at}/`),
  asked(
    'SMTP',
    'smtp',
    (at) => `smtp://${at}/`,
    '--mail-from',
    'a@example.org',
    '--mail-rcpt',
    'b@example.org',
    '--upload-file',
    '/etc/hostname',
  ),
  asked('RTSP', 'rtsp', (at) => `rtsp://${at}/a`, '--request', 'OPTIONS'),
  asked('LDAP', 'ldap', (at) => `ldap://${at}/dc=test`),
  asked('Telnet', 'telnet', (at) => `telnet://${at}/`),
  asked('HTTP', 'web', (at) => `http://${at}/`),
  {
    ...asked('HTTP_Proxy', 'web', (at) => `http://${at}/`),
    also: [id('HTTP')],
    client: (address, port) => [...curl, '--proxy', `http://${address}:${port}`, 'http://www.example.org/'],
  },
  {
    ...asked('HTTP_Connect', 'connect', (at) => at),
    also: [id('HTTP')],
    client: (address, port) => [
      ...curl,
      '--proxytunnel',
      '--proxy',
      `http://${address}:${port}`,
      'http://www.example.org/',
    ],
  },
  {
    ...asked('SOCKS', 'socks', (at) => at),
    client: (address, port) => [...curl, '--socks5', `${address}:${port}`, 'http://192.0.2.1/'],
  },
  { ...site('TLS', 'www.example.org'), also: [] },
  site('YouTube', 'www.youtube.com'),
  site('VK', 'vk.com'),
  site('Telegram', 'web.telegram.org'),
  site('Facebook', 'www.facebook.com'),
  site('Netflix', 'www.netflix.com'),
  site('Dropbox', 'www.dropbox.com'),
  site('Spotify', 'open.spotify.com'),
  site('Zoom', 'us02web.zoom.us'),
  site('GMail', 'mail.google.com'),
  site('Google', 'www.google.com'),
  site('AnyDesk', 'relay-1a.net.anydesk.com'),
  site('TeamViewer', 'router1.teamviewer.com'),
  plainSite('Wikipedia', 'en.wikipedia.org'),
  plainSite('WindowsUpdate', 'download.windowsupdate.com'),
]

/** What no application says. A client gives up after that much silence. */
export const nonsensePair = (silenceMs: number): Pair => ({
  ...base,
  application: id('Unknown'),
  name: 'nonsense',
  needs: [],
  server: talker('nonsense'),
  client: (address, port) => [...peer, 'babble', `${silenceMs}`, address, `${port}`],
})

/** Exchanges of which both sides are peers of our own; many are run by one process. */
export interface PeerPair {
  readonly application: string
  readonly also: readonly string[]
  readonly name: string
  readonly protocol: 'tcp' | 'udp'
  readonly port?: number
  readonly index: number
}

export const peerPairs: readonly PeerPair[] = exchanges.map(({ application, also = [], protocol, port }, index) => ({
  application: id(application),
  also: also.map(id),
  protocol,
  index,
  name: `${application}, exchange ${index}`,
  ...(port === undefined ? {} : { port }),
}))

for (const { application } of [...programPairs, ...peerPairs])
  if (findApplication(application) === undefined) throw new Error(`The catalogue does not have ${application}.`)

/** Programs of the pair that this machine lacks. */
export const lackingPrograms = ({ needs }: Pair): readonly string[] =>
  needs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`], { env: environment() }).status !== 0)

const environment = (): NodeJS.ProcessEnv => ({ ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` })

/** What is bound there, as protocol and port. Lines of /proc/net have the local address, then the port, in hexadecimal. */
async function boundIn(enter: readonly string[]): Promise<ReadonlySet<string>> {
  const bound = new Set<string>()
  for (const [protocol, listening] of [
    ['tcp', '0A'],
    ['udp', '07'],
  ] as const) {
    const [program = '', ...args] = [...enter, '/bin/cat', `/proc/net/${protocol}`, `/proc/net/${protocol}6`]
    const { stdout } = await promisify(execFile)(program, args)
    for (const line of stdout.split('\n')) {
      const [, local = '', , state] = line.trim().split(/\s+/)
      if (state === listening) bound.add(`${protocol} ${Number.parseInt(local.split(':')[1] ?? '', 16)}`)
    }
  }
  return bound
}

export interface RunningServer {
  stop(): void
}

function start(command: readonly string[], stdin: 'pipe' | 'ignore'): RunningServer {
  const [program = '', ...args] = command
  const child: ChildProcess = spawn(program, args, {
    stdio: [stdin, 'ignore', 'ignore'],
    env: environment(),
    detached: true,
  })
  return {
    stop: () => {
      if (child.pid === undefined || child.exitCode !== null) return
      try {
        // With what it started: some servers have a process for each connection.
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        child.kill('SIGKILL')
      }
    },
  }
}

/** `enter` is put before a command line to run it in the namespace of the server. */
export async function startServer(
  enter: readonly string[],
  pair: Pair,
  port: number,
  folder: string,
): Promise<RunningServer> {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  const server = start([...enter, ...pair.server(port, folder)], pair.readsInput ? 'pipe' : 'ignore')
  await until(`the server of ${pair.name} listens`, async () =>
    (await boundIn(enter)).has(`${pair.protocol} ${port}`),
  ).catch((error: unknown) => {
    server.stop()
    throw error
  })
  return server
}

export interface PeerPlace {
  readonly pair: PeerPair
  readonly address: string
  readonly port: number
}
const textOf = ({ pair, address, port }: PeerPlace): string => `${pair.index},${address},${port}`

export async function startPeers(enter: readonly string[], places: readonly PeerPlace[]): Promise<RunningServer> {
  const server = start([...enter, ...peer, 'serve', ...places.map(textOf)], 'ignore')
  await until('the peers listen', async () => {
    const bound = await boundIn(enter)
    return places.every(({ pair, port }) => bound.has(`${pair.protocol} ${port}`))
  })
  return server
}

export type Outcome = 'ok' | 'refused'

/** What the clients came to, in the order of the places. A client gives up after that much silence. */
export function askPeers(
  enter: readonly string[],
  places: readonly PeerPlace[],
  silenceMs: number,
): Promise<readonly Outcome[]> {
  const [program = '', ...args] = [...enter, ...peer, 'ask', `${silenceMs}`, ...places.map(textOf)]
  return new Promise((resolve) => {
    execFile(program, args, { env: environment() }, (_error, stdout) => {
      const said = new Set(stdout.split('\n'))
      resolve(places.map((place) => (said.has(`${textOf(place)} ok`) ? 'ok' : 'refused')))
    })
  })
}

/** What the client came to. `enter` as above, for the namespace of the client. */
export function runClient(
  enter: readonly string[],
  pair: Pair,
  address: string,
  port: number,
  folder: string,
): Promise<Outcome> {
  const [program = '', ...args] = [...enter, ...pair.client(address, port, folder)]
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: 8000, env: environment() }, (error, stdout, stderr) => {
      const isOk = pair.saysOk === undefined ? error === null : pair.saysOk.test(stdout + stderr)
      resolve(isOk ? 'ok' : 'refused')
    })
    // A client that is refused at once does not read it.
    child.stdin?.on('error', () => {})
    child.stdin?.end(pair.application === id('Telnet') ? 'hello\r\n' : '')
  })
}
