// The Debian package, without building one: what is in it, what it needs, and what its scripts say. Machines that are booted show
// that it installs and leaves.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { stateFormat } from '../../src/core/database/state-format.ts'
import { builtField } from '../../src/upgrade/judge.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Plain JavaScript, because it runs before anything is installed. */
const load = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(join(root, 'scripts/lib/package', name)).href)) as T

interface Sources {
  readonly listProgram: () => string[]
  readonly isProgram: (path: string) => boolean
  readonly isOfPackage: (path: string) => boolean
  readonly listPackages: (lock: unknown) => { path: string }[]
  readonly listPackageFiles: (path: string) => string[]
  readonly readLock: () => { packages: Record<string, { dev?: boolean }> }
}
interface Control {
  readonly readValues: () => Record<string, string>
  readonly fill: (template: string, values: Record<string, string>) => string
}
interface Units {
  readonly listUnits: () => { name: string; isEnabled: boolean }[]
  readonly foreignUnits: () => string[]
  readonly dropIns: () => { path: string; text: string }[]
}

const { listProgram, isProgram, isOfPackage, listPackages, listPackageFiles, readLock } =
  await load<Sources>('sources.mjs')
const { readValues, fill } = await load<Control>('control.mjs')
const { listUnits, foreignUnits, dropIns } = await load<Units>('units.mjs')

const template = (name: string): string => readFileSync(join(root, 'deploy/debian', name), 'utf8')
const program = listProgram()

describe('the program in the package', () => {
  it('has no tests, golden files or benches', () => {
    const odd = program.filter((path) =>
      /\.test\.|\/golden\/|\/stand-ins\/|^bench\/|^server\/test\/|^web\/test\//.test(path),
    )
    assert.deepEqual(odd, [])
    assert.ok(!isProgram('server/src/areas/dns/golden/01-empty.golden') && !isProgram('deploy/debian/control'))
  })

  it('has every file of ours that a file in it names in an import', () => {
    const known = new Set(program)
    const sources = program.filter((path) => /\.(?:ts|mjs)$/.test(path))
    const missing = sources.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/^(?:import|export)\b[^'\n]* from '(\.{1,2}\/[^'\n]+)'$/gm)]
        .map(([, target = '']) => join(dirname(path), target))
        .filter((target) => !known.has(target))
        .map((target) => `${path}: ${target}`),
    )
    assert.deepEqual(missing, [])
  })

  it('has every script and file of deploy/ that a unit names, and those that are run can be', () => {
    const names = globSync('deploy/systemd/*.service', { cwd: root }).flatMap((path) =>
      [
        ...readFileSync(join(root, path), 'utf8').matchAll(/\/usr\/lib\/portcullis\/((?:scripts|deploy)\/[\w./-]+)/g),
      ].map(([, name = '']) => name),
    )
    assert.ok(names.includes('scripts/install-engine.mjs'))
    assert.deepEqual(
      names.filter((name) => !program.includes(name)),
      [],
    )
    for (const name of names.filter((each) => each.endsWith('.sh')))
      assert.notEqual(statSync(join(root, name)).mode & 0o100, 0, name)
  })

  it('has of the packages of npm those that the lock file does not mark as development, and no runtime', () => {
    const paths = listPackages(readLock()).map(({ path }) => path)
    assert.ok(paths.includes('node_modules/fastify'))
    assert.deepEqual(
      paths.filter((path) => readLock().packages[path]?.dev === true || path.includes('node-linux')),
      [],
    )
  })

  it('has of a package what it runs, not what people read', () => {
    assert.ok(isOfPackage('lib/index.js') && isOfPackage('package.json') && isOfPackage('dist/data.json'))
    for (const path of [
      'README.md',
      'index.d.ts',
      'test/a.js',
      '.github/b.js',
      'a.js.map',
      'LICENSE',
      'node_modules/c/d.js',
    ])
      assert.ok(!isOfPackage(path), path)
    assert.ok(listPackageFiles('node_modules/fastify').includes('fastify.js'))
  })
})

describe('the control file', () => {
  const values = readValues()

  it('needs what every engine needs from the start, and neither npm nor another Node', () => {
    const depends = (values.DEPENDS ?? '').split(', ').map((one) => one.split(' ')[0])
    for (const name of ['libatomic1', 'nftables', 'unbound', 'dnsmasq-base', 'ulogd2-json', 'systemd'])
      assert.ok(depends.includes(name), name)
    assert.deepEqual(
      depends.filter((name) => name === 'npm' || name === 'nodejs'),
      [],
    )
    assert.match(values.SUGGESTS ?? '', /suricata \(>= 7\)/)
  })

  it('has a value for every place, and says so where one has none', () => {
    const all = { ...values, VERSION: '1.2.3', ARCHITECTURE: 'amd64', SIZE: '1', BUILT: '1' }
    for (const name of ['control', 'preinst', 'postinst', 'prerm', 'postrm'])
      assert.doesNotMatch(fill(template(name), all), /@[A-Z]+@/, name)
    assert.throws(() => fill('a @NOWHERE@ b', all), /@NOWHERE@/)
  })

  it('carries the time of its commit, by which builds of one version are told apart', () => {
    assert.match(template('control'), new RegExp(`^${builtField}: @BUILT@$`, 'm'))
  })

  it('carries the format of the state that gatewayd writes', () => {
    assert.equal(values.FORMAT, String(stateFormat))
  })
})

describe('the scripts of the package', () => {
  it('are correct for the shell of Debian', () => {
    const all = { ...readValues(), VERSION: '1.2.3' }
    for (const name of ['preinst', 'postinst', 'prerm', 'postrm', 'gw']) {
      const { status, stderr } = spawnSync('/bin/sh', ['-n'], { input: fill(template(name), all), encoding: 'utf8' })
      assert.equal(status, 0, `${name}: ${stderr}`)
    }
  })

  it('do not make the account of a person that of the gateway', () => {
    const install = (entry: string) => {
      const played = `getent() { [ "$2" = portcullis ] && echo '${entry}'; }\nrm() { :; }\nsystemctl() { :; }\n`
      const script = fill(template('preinst'), { ...readValues(), VERSION: '1.2.3' })
      return spawnSync('/bin/sh', ['-s', 'install'], { input: `${played}${script}`, encoding: 'utf8' })
    }
    for (const entry of ['portcullis:x:1000:1000::/home/p:/bin/bash', 'portcullis:x:0:0::/root:/bin/sh']) {
      const { status, stderr } = install(entry)
      assert.equal(status, 1, entry)
      assert.match(stderr, /the account portcullis \(number \d+\) is that of a person/)
    }
    for (const entry of ['portcullis:x:998:998::/:/usr/sbin/nologin', 'portcullis:x:1001:1001::/:/usr/sbin/nologin'])
      assert.equal(install(entry).status, 0, entry)
  })

  it('believe root alone about the format of the state', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-format-'))
    try {
      const recorded = join(folder, 'applyd', 'format')
      const played = 'systemctl() { :; }\ngetent() { :; }\n'
      const run = (name: string, format: number, ...words: string[]) => {
        const script = fill(template(name), { ...readValues(), VERSION: '1.2.3', FORMAT: String(format) })
          .replace('kept=/var/lib/portcullis', `kept=${folder}`)
          .replaceAll(/\/(?:run|usr|etc)\//g, `${folder}/`)
          .replaceAll(/\b(?:deb-systemd-(?:helper|invoke)|systemd-(?:sysusers|tmpfiles))\b/g, 'true')
        return spawnSync('/bin/sh', ['-s', ...words], { input: `${played}${script}`, encoding: 'utf8' })
      }
      const install = (format: number): number | null => run('preinst', format, 'upgrade', '1.2.2').status
      for (const name of ['applyd', 'gateway']) mkdirSync(join(folder, name))
      writeFileSync(join(folder, 'gateway', 'format'), '999999999\n')
      assert.equal(install(2), 0)
      for (const [format, after] of [
        [2, '2\n'],
        [10, '10\n'],
        [9, '10\n'],
      ] as const) {
        const { status, stderr } = run('postinst', format, 'configure', '1.2.2')
        assert.equal(status, 0, stderr)
        assert.equal(readFileSync(recorded, 'utf8'), after)
      }
      assert.deepEqual([9, 10, 11].map(install), [1, 0, 0])
      assert.match(run('preinst', 9, 'install').stderr, /has format 10, and version 1\.2\.3 knows formats up to 9/)
      assert.equal(run('postinst', 11, 'abort-upgrade', '1.2.2').status, 0)
      assert.equal(readFileSync(recorded, 'utf8'), '10\n')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('remove the state also behind a link, and nothing else there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-purge-'))
    try {
      const [kept, disk] = [join(folder, 'kept'), join(folder, 'disk')]
      for (const name of ['gateway', 'applyd', 'web-filter/lists', 'photos'])
        mkdirSync(join(disk, name), { recursive: true })
      writeFileSync(join(disk, 'made-accounts'), '')
      symlinkSync(disk, kept)
      const played = 'systemctl() { :; }\nuserdel() { :; }\n'
      const paths = fill(template('postrm'), readValues())
        .replace('kept=/var/lib/portcullis', `kept=${kept}`)
        .replaceAll(/ \/(?:var|etc)\//g, ` ${folder}/`)
        .replaceAll('"/etc/', `"${folder}/`)
        .replaceAll('deb-systemd-helper', 'true')
      const { status, stderr } = spawnSync('/bin/sh', ['-s', 'purge'], { input: `${played}${paths}`, encoding: 'utf8' })
      assert.equal(status, 0, stderr)
      assert.deepEqual([readdirSync(disk), existsSync(kept)], [['photos'], false])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('stop the gateway before it is removed, whatever a policy says about services', () => {
    const script = template('prerm')
    assert.match(script, /^ +systemctl stop @STOP@ \|\| true$/m)
    assert.doesNotMatch(script, /^ *deb-systemd-invoke/m)
  })

  it('enable the units that say where they belong, and stop all that last', () => {
    const { UNITS = '', STOP = '' } = readValues()
    const units = listUnits()
    assert.deepEqual(
      UNITS.split(' '),
      units.filter(({ isEnabled }) => isEnabled).map(({ name }) => name),
    )
    for (const name of ['portcullis.target', 'portcullis-applyd.service', 'portcullis-gatewayd.socket'])
      assert.ok(STOP.split(' ').includes(name), name)
    assert.ok(!STOP.includes('@') && !STOP.includes('upgrade'))
  })
})

describe('services of engine packages', () => {
  it('are those that the engines declare for use, not those of tests', () => {
    const units = foreignUnits()
    for (const name of ['unbound.service', 'ulogd2.service', 'squid.service', 'clamav-daemon.socket'])
      assert.ok(units.includes(name), name)
    assert.ok(!units.includes('rsyslog.service'))
  })

  it('get a drop-in each, in a folder of their own name and under ours', () => {
    for (const { path, text } of dropIns()) {
      assert.match(path, /^usr\/lib\/systemd\/system\/[a-z0-9-]+\.(?:service|socket)\.d\/portcullis\.conf$/)
      assert.match(text, /^\[Unit\]\nConditionPathExists=!\/usr\/lib\/portcullis\/package\.json$/m)
    }
  })
})

describe('the arguments', async () => {
  interface Options {
    readonly readOptions: (args: string[], version: string) => { architectures: string[]; version: string }
  }
  const { readOptions } = await load<Options>('options.mjs')

  it('name the architectures of Debian, or all', () => {
    assert.deepEqual(readOptions(['--arch', 'all'], '1.0').architectures, ['amd64', 'arm64'])
    assert.deepEqual(readOptions(['--arch', 'amd64', '--version', '1.0+2'], '1.0').version, '1.0+2')
  })

  it('are refused when they are not known or not complete', () => {
    for (const args of [['--arch'], ['--arch', 'x64'], ['--constructor', 'x'], ['amd64'], ['--arch', 'toString']])
      assert.throws(() => readOptions(args, '1.0'), /npm run package/, args.join(' '))
    assert.throws(() => readOptions(['--version', '1 0'], '1.0'), /not a version/)
  })
})

describe('a runtime from npm', async () => {
  interface Runtime {
    readonly hasIntegrity: (bytes: Buffer, integrity: string | undefined) => boolean
  }
  const { hasIntegrity } = await load<Runtime>('runtime.mjs')

  it('is taken only when it is the file that the lock file names', () => {
    const bytes = Buffer.from('runtime')
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    assert.ok(hasIntegrity(bytes, integrity))
    assert.ok(!hasIntegrity(Buffer.from('other'), integrity))
    assert.ok(!hasIntegrity(bytes, undefined) && !hasIntegrity(bytes, 'sha1-AAAA'))
  })
})

describe('the page of gw', async () => {
  interface Documents {
    readonly roff: (text: string) => string
    readonly manPage: (commands: object[], about: { version: string; date: Date }) => string
  }
  const { roff, manPage } = await load<Documents>('documents.mjs')

  it('takes no text for a request of its language', () => {
    assert.equal(roff(".so /etc/passwd\n'x \\fB"), "\\&.so /etc/passwd\n\\&'x \\efB")
  })

  it('has a section for each command with its options', () => {
    const commands = [
      { usage: 'gw login', summary: 'Sign in', options: [{ name: 'login', value: 'NAME', summary: 'Who.' }] },
    ]
    const page = manPage(commands, { version: '1.0', date: new Date(0) })
    assert.match(page, /^\.SS\ngw login\nSign in\.\n\.TP\n\.BI "\\-\\-login " "NAME"\nWho\.$/m)
  })
})
