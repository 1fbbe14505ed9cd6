// `npm run bench` on a machine on which nothing else has ever run, and with parts that fail.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { benches, choose } from '../../../bench/parts.ts'
import { runParts } from '../../../bench/run-parts.ts'
import { appRoot } from '../../src/tools/launcher/layout.ts'

interface Package {
  readonly name: string
  readonly file: string
}

const { benchPackages, packagesOfBench, prepareBench } = (await import(
  pathToFileURL(join(appRoot, 'scripts/lib/bench-packages.mjs')).href
)) as {
  benchPackages: Readonly<Record<string, readonly Package[]>>
  packagesOfBench: (args: readonly string[]) => readonly Package[]
  prepareBench: (
    args: readonly string[],
    options: {
      skip: boolean
      ensure?: (packages: readonly Package[], options: object) => readonly string[]
      missing?: (packages: readonly Package[]) => readonly Package[]
    },
  ) => Readonly<Record<string, string>>
}

const folder = mkdtempSync(join(tmpdir(), 'bench-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const bench = join(appRoot, 'bench')
const groupOf = (name: string): string => name.split('/')[0] ?? ''

/** Programs that every Debian has: of essential packages, and of the shells. Peers are fetched with --install-peers. */
const everywhere = [
  'sh',
  'mkdir',
  'dd',
  'test',
  'sed',
  'cat',
  'tail',
  'grep',
  'chown',
  'id',
  'perl',
  'env',
  'unshare',
  'setpriv',
  'nsenter',
  'taskset',
  'node',
]
const peers = ['ufw', 'shorewall', 'firewalld', 'dbus-daemon', 'python3', 'iptables-nft-restore', 'apt-get', 'dpkg-deb']

/** Files of the bench that a file needs, itself included; programs it starts beside are in its folder. */
function filesOf(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path) || !path.startsWith(bench) || !existsSync(path)) return seen
  seen.add(path)
  const text = readFileSync(path, 'utf8')
  for (const [, name = ''] of text.matchAll(/from '(\.[^']+)'/g)) filesOf(join(dirname(path), name), seen)
  for (const [, name = ''] of text.matchAll(/import\.meta\.dirname, '([\w-]+\.ts)'/g))
    filesOf(join(dirname(path), name), seen)
  return seen
}

function programsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  const absolute = [...text.matchAll(/'\/(?:usr\/)?s?bin\/([\w.-]+)'/g)]
  const inRooms = [...text.matchAll(/(?:run|enter)\(\[\s*'([a-z][\w.-]*)'/g)]
  const usesDig = text.includes('support/dig.ts') ? ['dig'] : []
  return [...[...absolute, ...inRooms].map(([, name = '']) => name), ...usesDig]
}

const entries: Readonly<Record<string, string>> = {
  requests: 'requests.ts',
  changes: 'changes.ts',
  start: 'start.ts',
  scale: 'scale/bench.ts',
  signatures: 'scale/signatures.ts',
  categories: 'scale/categories.ts',
}

describe('npm run bench', () => {
  it('knows what every part needs', () => {
    assert.deepEqual(
      [...new Set(Object.keys(benches).map(groupOf))].sort(),
      Object.keys(benchPackages).sort(),
      'scripts/lib/bench-packages.mjs and bench/parts.ts differ',
    )
  })

  for (const part of Object.keys(benchPackages))
    it(`installs every program that ${part} starts`, () => {
      const files = [...filesOf(join(bench, entries[part] ?? `${part}/bench.ts`))]
      assert.ok(files.length > 1, `the files of ${part} were not found`)
      const installed = packagesOfBench([part]).map(({ file }) => file)
      // What is beside these comes with them: unbound-control with unbound.
      const known = [
        ...everywhere,
        ...peers,
        ...installed,
        ...(installed.includes('unbound') ? ['unbound-control'] : []),
      ]
      const own = files.filter((path) => !path.endsWith('/machine.ts')).flatMap(programsOf)
      assert.deepEqual(
        [...new Set(own)].filter((name) => !known.includes(name)),
        [],
      )
    })

  it('installs what was asked for and nothing else', () => {
    const names = (...args: string[]): string[] => packagesOfBench(args).map(({ name }) => name)
    assert.deepEqual(names('requests', 'changes', 'signatures', '--quick'), [])
    assert.deepEqual(names('firewall/lists'), names('firewall'))
    assert.ok(names('inspection').includes('suricata') && !names('inspection').includes('squid-openssl'))
    assert.ok(names('filter').includes('squid-openssl') && !names('filter').includes('suricata'))
    assert.ok(
      !names('dns').some((name) => ['suricata', 'squid-openssl', 'clickhouse-server', 'chromium'].includes(name)),
    )
    assert.deepEqual(new Set(names()), new Set(Object.keys(benchPackages).flatMap((part) => names(part))))
  })

  it('goes on without the parts whose packages cannot be installed, in the words of apt', () => {
    const asked: string[][] = []
    const lacking = prepareBench(['requests', 'firewall/lists', 'filter', 'logs', '--quick'], {
      skip: false,
      ensure: (packages) => {
        const names = packages.map(({ name }) => name)
        asked.push(names)
        return names.includes('squid-openssl') ? ['Not all could be installed (E: no network)'] : []
      },
      missing: (packages) =>
        packages.filter(({ name }) => ['squid-openssl', 'ripgrep', 'clickhouse-server'].includes(name)),
    })
    assert.equal(asked.length, 4, 'each part is installed by itself')
    // The log is compared with what is there.
    assert.deepEqual(lacking, {
      filter: 'not installed: squid-openssl. Not all could be installed (E: no network)',
    })
    assert.deepEqual(prepareBench(['filter'], { skip: true, missing: (packages) => packages }), {})
  })

  it('loads where no program of a test is installed', () => {
    const hook = join(folder, 'nothing-installed.mjs')
    writeFileSync(
      hook,
      `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { existsSync } = fs
fs.existsSync = (path) => !/^\\/(usr\\/)?s?bin\\//.test(String(path)) && existsSync(path)
syncBuiltinESMExports()
`,
    )
    const code = `await import(${JSON.stringify(pathToFileURL(join(bench, 'parts.ts')).href)})`
    const { PORTCULLIS_SKIP_NETNS: _skip, ...env } = process.env
    const options = { env, encoding: 'utf8', timeout: 300_000 } as const
    const args = [`--import=${pathToFileURL(hook).href}`, '--input-type=module', '-e', code]
    const { status, stderr } = spawnSync(process.execPath, args, options)
    assert.equal(status, 0, stderr)
  })

  it('refuses a part that is not there, and takes groups', () => {
    assert.deepEqual(choose(['nothing', 'dns']).unknown, ['nothing'])
    assert.deepEqual(choose(['firewall/lists', 'dns']), { names: ['firewall/lists', 'dns'], unknown: [] })
    assert.ok(choose(['firewall']).names.length > 3)
    assert.deepEqual(choose([]).names, Object.keys(benches))
  })

  it('goes on after parts that fail, however they end, and names them', async () => {
    const program = join(folder, 'part.ts')
    const runPartsUrl = pathToFileURL(join(bench, 'run-parts.ts')).href
    writeFileSync(
      program,
      `import { spawn } from 'node:child_process'
import { reportPart } from ${JSON.stringify(runPartsUrl)}
const name = process.argv[2]
const row = (what: string) => ({ what, ours: '1', raw: '1', ratio: 1, aim: '', isMet: true })
const endless = () => new Promise<never>(() => setInterval(() => {}, 1000))
await reportPart(async () => {
  if (name === 'refuses') throw new Error('it needs root')
  if (name === 'crashes') { spawn('/nonexistent/program'); return endless() }
  if (name === 'is killed') { process.kill(process.pid, 'SIGKILL'); return endless() }
  if (name === 'exits') process.exit(0)
  if (name === 'measures nothing') return [row('good'), { ...row('rate'), ours: '0 MB/s', raw: '9 MB/s raw', ratio: 0 }]
  if (name === 'leaves something open') setInterval(() => {}, 1000)
  return [row(name ?? '')]
})
`,
    )
    const names = [
      'first',
      'refuses',
      'crashes',
      'is killed',
      'exits',
      'measures nothing',
      'leaves something open',
      'last',
    ]
    const lacking = { 'lacks something': 'not installed: squid-openssl', group: 'not installed: nftables' }
    const all = ['lacks something', 'group/one', ...names]
    const { rows, failed } = await runParts(program, all, [], { lacking })
    assert.deepEqual(
      rows.map(({ what }) => what),
      ['first', 'leaves something open', 'last'],
    )
    assert.deepEqual(failed, [
      { name: 'lacks something', why: 'not installed: squid-openssl' },
      { name: 'group/one', why: 'not installed: nftables' },
      { name: 'refuses', why: 'it needs root' },
      { name: 'crashes', why: 'it ended without a result (exit code 1)' },
      { name: 'is killed', why: 'it ended without a result (SIGKILL)' },
      { name: 'exits', why: 'it ended without a result (exit code 0)' },
      { name: 'measures nothing', why: 'nothing was measured: rate (0 MB/s, 9 MB/s raw)' },
    ])
  })

  it('ends a part that hangs', async () => {
    const program = join(folder, 'hangs.ts')
    writeFileSync(program, 'setInterval(() => {}, 1000)\n')
    const { failed } = await runParts(program, ['hangs'], [], { limitMs: 500 })
    assert.deepEqual(failed, [{ name: 'hangs', why: 'it was ended after 1 s' }])
  })
})
