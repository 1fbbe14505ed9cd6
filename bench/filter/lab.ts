// Client, gateway and web server in three rooms. Two addresses of the server are taken by TPROXY: one by a plain Squid, one by
// Squid with our settings, helper and decision process; the third is forwarded. So all three can be measured in turns.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorPages } from '../../server/src/domain/web-filter/block-page.ts'
import { printDictionaries, printUserCategories } from '../../server/src/domain/web-filter/policy-file.ts'
import { fixedSettings } from '../../server/src/engines/web-filter/applyd/settings.ts'
import { webPorts } from '../../server/src/engines/web-filter/index.ts'
import { issueServer, makeRoot } from '../../server/src/shared/certificates/certificate-maker.ts'
import { until } from '../../server/test/support/until.ts'
import { openRoom, type Room } from '../firewall/room.ts'
import { benchFolder } from '../folder.ts'
import { indexFolder } from './index-file.ts'
import type { LoadOrder, LoadOutcome } from './load.ts'
import { allowedHosts, deniedCategory, deniedHosts, policyText } from './policy.ts'

export const ways = { direct: '192.0.2.1', squid: '192.0.2.2', gateway: '192.0.2.3' } as const
export type Way = keyof typeof ways

const plainPorts = { http: 3229, https: 3230 }
const certgen = '/usr/lib/squid/security_file_certgen'
const source = join(import.meta.dirname, '..', '..', 'server', 'src')

/** Processor time in milliseconds. */
export interface Spent {
  readonly plain: number
  readonly squid: number
  readonly helper: number
  readonly filterd: number
}

export class FilterLab implements Disposable {
  readonly folder = benchFolder()
  readonly hosts: readonly string[]
  readonly #rooms: readonly Room[]
  readonly #running: ChildProcess[] = []
  #plain = 0
  #squid = 0
  #filterd = 0

  private constructor(rooms: readonly Room[], hosts: readonly string[]) {
    this.#rooms = rooms
    this.hosts = hosts
    // The programs of the proxy read here as another account.
    chmodSync(this.folder, 0o755)
  }

  static async open(entries: number, ruleCount: number): Promise<FilterLab> {
    const index = await indexFolder(entries)
    const lab = new FilterLab([await openRoom(), await openRoom(), await openRoom()], allowedHosts(entries))
    try {
      lab.#connect()
      await lab.#startServer()
      await lab.#startOurs(index, ruleCount)
      await lab.#startPlain()
      return lab
    } catch (error) {
      lab[Symbol.dispose]()
      throw error
    }
  }

  get #client(): Room {
    return this.#rooms[0] as Room
  }
  get #gateway(): Room {
    return this.#rooms[1] as Room
  }
  get #server(): Room {
    return this.#rooms[2] as Room
  }

  [Symbol.dispose](): void {
    for (const child of this.#running) child.kill('SIGKILL')
    for (const room of this.#rooms) room[Symbol.dispose]()
  }

  load(order: LoadOrder): Promise<LoadOutcome> {
    const program = join(import.meta.dirname, 'load.ts')
    const child = this.#start(this.#client, [process.execPath, program, JSON.stringify(order)], 'pipe')
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    return new Promise((resolve, reject) =>
      child.on('close', () => {
        if (text === '') reject(new Error('The load generator said nothing.'))
        else resolve(JSON.parse(text) as LoadOutcome)
      }),
    )
  }

  spent(): Spent {
    const helper = childrenOf(this.#squid).filter((pid) => commandOf(pid).includes('helper.pl'))
    return {
      plain: spentBy(this.#plain),
      squid: spentBy(this.#squid),
      helper: helper.reduce((sum, pid) => sum + spentBy(pid), 0),
      filterd: spentBy(this.#filterd),
    }
  }

  #start(room: Room, argv: readonly string[], output: 'pipe' | 'ignore' = 'ignore'): ChildProcess {
    const [program = '', ...args] = room.enter(argv)
    const child = spawn(program, args, { stdio: ['ignore', output, 'inherit'] })
    this.#running.push(child)
    return child
  }

  #connect(): void {
    const link = (to: Room, own: string, other: string): void => {
      const peer = ['type', 'veth', 'peer', 'name', other, 'netns', String(to.pid)]
      this.#gateway.run(['ip', 'link', 'add', own, ...peer])
    }
    link(this.#client, 'lan0', 'host0')
    link(this.#server, 'wan0', 'host0')
    for (const [room, device, address] of [
      [this.#gateway, 'lan0', '10.9.0.1/24'],
      [this.#gateway, 'wan0', '192.0.2.254/24'],
      [this.#client, 'host0', '10.9.0.2/24'],
      ...Object.values(ways).map((way) => [this.#server, 'host0', `${way}/24`] as const),
    ] as const) {
      room.run(['ip', 'addr', 'add', address, 'dev', device])
      room.run(['ip', 'link', 'set', device, 'up'])
    }
    this.#client.run(['ip', 'route', 'add', 'default', 'via', '10.9.0.1'])
    this.#server.run(['ip', 'route', 'add', 'default', 'via', '192.0.2.254'])
    this.#client.run(['sysctl', '-qw', 'net.ipv4.ip_local_port_range=1024 65000', 'net.ipv4.tcp_tw_reuse=1'])
    this.#gateway.run(['sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv4.conf.all.rp_filter=0'])
    this.#gateway.run(['ip', 'rule', 'add', 'fwmark', '1', 'lookup', '100'])
    this.#gateway.run(['ip', 'route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo', 'table', '100'])
    const take = (way: string, port: number, to: number): string =>
      `iifname "lan0" ip daddr ${way} tcp dport ${port} tproxy to 127.0.0.1:${to} meta mark set 1 accept`
    const rules = [
      'type filter hook prerouting priority mangle',
      'iifname "wan0" meta l4proto tcp socket transparent 1 meta mark set 1 accept',
      take(ways.squid, 80, plainPorts.http),
      take(ways.squid, 443, plainPorts.https),
      take(ways.gateway, 80, webPorts.http),
      take(ways.gateway, 443, webPorts.https),
      // Without a listener the packets would go on to the server.
      `iifname "lan0" ip daddr { ${ways.squid}, ${ways.gateway} } drop`,
    ]
    this.#gateway.run(['nft', '-f', '-'], { input: `table ip bench {\nchain pre {\n${rules.join('\n')}\n}\n}\n` })
  }

  async #startServer(): Promise<void> {
    const root = await makeRoot([], new Date())
    const pair = await issueServer(root, ['example.com'], new Date())
    writeFileSync(join(this.folder, 'pair.json'), JSON.stringify(pair))
    const program = join(import.meta.dirname, 'origin.ts')
    this.#start(this.#server, [process.execPath, program, join(this.folder, 'pair.json')])
    await this.#answers('direct')
  }

  /** What both have: names without DNS, an authority, a log. */
  async #prepareProxy(name: string, way: Way): Promise<{ readonly folder: string; readonly lines: readonly string[] }> {
    const folder = join(this.folder, name)
    mkdirSync(folder)
    const root = await makeRoot([], new Date())
    writeFileSync(join(folder, 'ca.crt'), root.certificate)
    writeFileSync(join(folder, 'authority.pem'), root.certificate + root.key)
    writeFileSync(
      join(folder, 'hosts'),
      [...this.hosts, ...deniedHosts].map((host) => `${ways[way]} ${host}\n`).join(''),
    )
    execFileSync(certgen, ['-c', '-s', join(folder, 'ssl_db'), '-M', '16MB'])
    execFileSync('/bin/chown', ['-R', 'proxy:proxy', join(folder, 'ssl_db')])
    return { folder, lines: [`hosts_file ${join(folder, 'hosts')}`] }
  }

  async #startPlain(): Promise<void> {
    const { folder, lines } = await this.#prepareProxy('plain', 'squid')
    const config = [
      ...lines,
      // Squid does not start without one.
      'http_port 127.0.0.1:3234',
      `http_port ${plainPorts.http} tproxy`,
      `https_port ${plainPorts.https} tproxy ${bumping(folder)}`,
      `sslcrtd_program ${certgen} -s ${join(folder, 'ssl_db')} -M 16MB`,
      'acl step1 at_step SslBump1',
      'ssl_bump peek step1',
      'ssl_bump splice all',
      'http_access allow all',
      'pid_filename none',
      `coredump_dir ${folder}`,
      'cache_log /dev/null',
      'access_log stdio:/dev/stdout',
      'cache deny all',
      'cache_mem 8 MB',
      'memory_pools off',
      'pinger_enable off',
      'client_dst_passthru on',
      'dns_nameservers 127.0.0.1',
      'max_filedescriptors 16384',
      'visible_hostname plain',
      'via off',
    ]
    this.#plain = await this.#startSquid(folder, config, 'squid')
  }

  async #startOurs(index: string, ruleCount: number): Promise<void> {
    const { folder, lines } = await this.#prepareProxy('ours', 'gateway')
    const path = (name: string): string => join(folder, name)
    for (const name of ['errors', 'categories']) mkdirSync(path(name))
    for (const [name, text] of errorPages) writeFileSync(path(`errors/${name}`), text)
    symlinkSync(join(index, 'current'), path('categories/current'))
    writeFileSync(path('policy.json'), policyText(ruleCount))
    writeFileSync(path('user-categories.txt'), printUserCategories([{ id: deniedCategory, entries: deniedHosts }]))
    writeFileSync(path('dictionaries.json'), printDictionaries([]))
    const filterd = this.#start(this.#gateway, [
      process.execPath,
      join(source, 'filterd', 'main.ts'),
      path('policy.json'),
      path('user-categories.txt'),
      path('dictionaries.json'),
      path('categories'),
      path('gateway.sock'),
      folder,
      ...[webPorts.http, webPorts.https, webPorts.blockPeer, webPorts.pageText].map(String),
    ])
    this.#filterd = filterd.pid ?? 0
    await until(
      'filterd listens',
      () => (statSync(path('ask.sock'), { throwIfNoEntry: false })?.mode ?? 0) % 0o1000 === 0o660,
    )
    const [uid = 0, gid = 0] = ['-u', '-g'].map((option) => Number(execFileSync('/usr/bin/id', [option, 'proxy'])))
    chownSync(path('ask.sock'), uid, gid)
    const fixed = fixedSettings({
      folder,
      errors: path('errors'),
      certificates: path('ssl_db'),
      askSocket: path('ask.sock'),
      helper: join(source, 'filterd', 'helper.pl'),
      authorities: [path('ca.crt')],
    })
    const config = [
      ...lines,
      `http_port ${webPorts.http} tproxy name=http`,
      `https_port ${webPorts.https} tproxy name=https ${bumping(folder)}`,
      'acl fails_open any-of !all',
      'acl logged any-of all',
      'acl strict_video any-of !all',
      'acl clients src 10.9.0.0/24',
      'acl own dst 10.9.0.1',
      fixed,
    ]
    this.#squid = await this.#startSquid(folder, config, 'gateway')
  }

  async #startSquid(folder: string, config: readonly string[], way: Way): Promise<number> {
    writeFileSync(join(folder, 'squid.conf'), `${config.join('\n')}\n`)
    const name = `bench${process.pid}${way}`
    const child = this.#start(this.#gateway, ['/usr/sbin/squid', '-n', name, '-N', '-f', join(folder, 'squid.conf')])
    await this.#answers(way)
    return child.pid ?? 0
  }

  #answers(way: Way): Promise<void> {
    const order = { kind: 'requests', address: ways[way], connections: 1, milliseconds: 50, hosts: this.hosts } as const
    return until(`${way} answers`, async () => {
      const { count, failed } = await this.load({ ...order, status: 200 })
      return count > 0 && failed === 0
    })
  }
}

const bumping = (folder: string): string =>
  `ssl-bump tls-cert=${join(folder, 'authority.pem')} generate-host-certificates=on dynamic_cert_mem_cache_size=16MB`

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

/** All its threads; the kernel counts in hundredths of a second. */
function spentBy(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
