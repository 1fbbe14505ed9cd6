// Runs inside of a namespace that a test made: an origin, both ICAP services, the antivirus program and Squid. It fetches
// pages and files through Squid and prints what came. Not a test itself.

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { createScanService } from '../../src/filterd/icap/scan-service.ts'
import { WordsService } from '../../src/filterd/icap/words-service.ts'
import { until } from './until.ts'

export interface Fetched {
  readonly name: string
  readonly status: number
  readonly bytes: number
  readonly isWhole: boolean
  readonly isPage: boolean
  readonly text: string
}

const eicar = Buffer.from(['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE', '!$H+H*'].join(''))
const as1251 = (text: string) =>
  Buffer.from([...text].map((one) => (one.charCodeAt(0) < 128 ? one.charCodeAt(0) : one.charCodeAt(0) - 0x410 + 0xc0)))
const page = (bytes: number, isBad: boolean) =>
  `<html><body>${'<p>just some text</p>\n'.repeat(bytes / 22)}${isBad ? 'казино '.repeat(5) : ''}</body></html>`

const utf8 = 'text/html; charset=utf-8'
const cyrillic = 'text/html; charset=windows-1251'

/** Name, type, encoding, body, whether its length is announced. */
type Served = readonly [name: string, type: string, encoding: string | null, body: Buffer, hasLength: boolean]
const served: readonly Served[] = [
  ['good', utf8, null, Buffer.from(page(20_000, false)), true],
  ['bad', utf8, null, Buffer.from(page(20_000, true)), true],
  ['bad-1251', cyrillic, null, as1251(page(20_000, true)), true],
  ['bad-gzip', utf8, 'gzip', gzipSync(page(20_000, true)), true],
  ['bad-br', cyrillic, 'br', brotliCompressSync(as1251(page(20_000, true))), false],
  ['good-100k', utf8, null, Buffer.from(page(100_000, false)), true],
  ['good-1m', utf8, null, Buffer.from(page(1_000_000, false)), true],
  ['good-1m-chunked', utf8, null, Buffer.from(page(1_000_000, false)), false],
  ['bad-100k', utf8, null, Buffer.from(page(100_000, true)), true],
  ['bad-1m-chunked', cyrillic, null, as1251(page(1_000_000, true)), false],
  ['long-page', utf8, null, Buffer.from(page(30_000_000, true)), true],
  ['clean-file', 'application/octet-stream', null, Buffer.alloc(1_000_000, 'clean '), true],
  ['long-file', 'application/octet-stream', null, Buffer.alloc(40_000_000, 'clean '), true],
  ['virus', 'application/octet-stream', null, eicar, true],
]
const bodies = new Map(served.map((one) => [one[0], one]))

const origin = createServer((asked, reply) => {
  const [, type, encoding, body, hasLength] = bodies.get((asked.url ?? '').slice(1)) ?? [
    '',
    utf8,
    null,
    Buffer.of(),
    true,
  ]
  reply.writeHead(200, {
    'Content-Type': type,
    'X-Filter-Words': 'forged',
    'X-Infection-Found': 'forged',
    ETag: '"x"',
    ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
    ...(hasLength ? { 'Content-Length': body.length } : {}),
  })
  reply.end(body)
})

const fetchThrough = (name: string) =>
  new Promise<Fetched>((resolve) => {
    const asked = request({ host: '127.0.0.1', port: 3128, path: `http://127.0.0.1:8000/${name}` }, (reply) => {
      const parts: Buffer[] = []
      const finish = (isWhole: boolean) => {
        const body = Buffer.concat(parts)
        const text = body.toString('latin1', 0, 2_000)
        const isPage = text.includes('<h1>Access denied</h1>')
        resolve({
          name,
          status: reply.statusCode ?? 0,
          bytes: body.length,
          isWhole,
          isPage,
          text: isPage ? text.slice(text.indexOf('<h1>')) : '',
        })
      }
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('end', () => finish(true))
      reply.on('error', () => finish(false))
    })
    asked.on('error', () => resolve({ name, status: 0, bytes: 0, isWhole: false, isPage: false, text: '' }))
    asked.end()
  })

const canConnect = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

async function main(folder: string): Promise<void> {
  const socket = join(folder, 'clamd.sock')
  const words = new WordsService({ onLate: () => undefined, onFault: (error) => console.error(error) })
  const scan = createScanService({ socket, words, onNote: () => undefined, onFault: (error) => console.error(error) })
  await words.update([{ id: 'd.1', title: 'Games', threshold: 100, words: [{ value: 'казино', weight: 20 }] }])
  await scan.listen(3133)
  await new Promise<void>((resolve) => origin.listen(8000, '127.0.0.1', () => resolve()))
  writeFileSync(
    join(folder, 'test.hdb'),
    `${createHash('md5').update(eicar).digest('hex')}:${eicar.length}:Eicar-Test\n`,
  )
  writeFileSync(join(folder, 'clamd.conf'), `DatabaseDirectory ${folder}\nLocalSocket ${socket}\nForeground yes\n`)
  const log = join(folder, 'access.log')
  const squid = [
    'http_port 127.0.0.1:3128',
    'pid_filename none',
    'cache deny all',
    'http_access allow all',
    'visible_hostname gw',
    `coredump_dir ${folder}`,
    `cache_log ${join(folder, 'cache.log')}`,
    'shutdown_lifetime 1 second',
    'netdb_filename none',
    'pinger_enable off',
    'cache_effective_user proxy',
    'logformat gw {"u":"%#ru","words":"%#{X-Filter-Words}adapt::<last_h","virus":"%#{X-Infection-Found}adapt::<last_h"}',
    `access_log stdio:${log} logformat=gw`,
    'icap_enable on',
    'icap_preview_enable on',
    'icap_preview_size 4096',
    'icap_service_failure_limit -1',
    'icap_service antivirus respmod_precache icap://127.0.0.1:3133/antivirus bypass=off',
    'adaptation_access antivirus allow all',
    '',
  ]
  writeFileSync(join(folder, 'squid.conf'), squid.join('\n'))
  const children: ChildProcess[] = []
  const start = (program: string, ...args: string[]) => children.push(spawn(program, args, { stdio: 'ignore' }))
  try {
    start('/usr/sbin/clamd', '--foreground', `--config-file=${join(folder, 'clamd.conf')}`)
    start('/usr/sbin/squid', '-N', '-f', join(folder, 'squid.conf'))
    await until('clamd listens', () => existsSync(socket))
    await until('Squid listens', () => canConnect(3128))
    const fetched: Fetched[] = []
    for (const [name] of served) fetched.push(await fetchThrough(name))
    await until('the log is written', () => existsSync(log) && readFileSync(log, 'utf8').includes('/virus'))
    children[0]?.kill('SIGKILL')
    await until('clamd is gone', () => children[0]?.signalCode !== null)
    fetched.push(
      { ...(await fetchThrough('clean-file')), name: 'dead-large' },
      { ...(await fetchThrough('good')), name: 'dead' },
    )
    scan.update('pass')
    fetched.push({ ...(await fetchThrough('clean-file')), name: 'dead-pass' })
    process.stdout.write(JSON.stringify({ fetched, log: readFileSync(log, 'utf8').trim().split('\n') }))
  } finally {
    for (const child of children) child.kill('SIGKILL')
    process.exitCode = 0
  }
  await scan.close()
  origin.closeAllConnections()
  origin.close()
}

const [, , folder] = process.argv
if (folder !== undefined) await main(folder)
