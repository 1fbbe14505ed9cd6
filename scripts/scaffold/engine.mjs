// A new engine that works for an area while its switch is on: a name server that answers one question to local networks.
// It is small, and still has everything that an engine has; replace the program and its language.

import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/paths.mjs'
import { Stop } from '../lib/terminal.mjs'
import { createWriter, namesOf } from './files.mjs'

export function newEngine(area, name) {
  const writer = createWriter()
  const state = switchOf(writer, area)
  assertFree(writer, name)
  const engine = { ...namesOf(name), name, area, state, port: freePort(writer) }
  writeDeclaration(writer, engine)
  writeApplydHalf(writer, engine)
  writeLanguage(writer, engine)
  writeTest(writer, engine)
  writeAreaPart(writer, engine)
  return {
    ...writer.finish(),
    next: 'npm run golden (what is rendered), then docs/adding-an-engine.md: its status, and a test in namespaces.',
  }
}

/** The key of the slot that switches the area. */
function switchOf(writer, area) {
  const [index, config] = ['index', 'config'].map((file) => `server/src/areas/${area}/${file}.ts`)
  if (!writer.has(index)) throw new Stop(`There is no area ${area}.`)
  if (writer.has(`server/src/areas/${area}/render.ts`))
    throw new Stop(`The area ${area} renders already. Add the engine to its render.ts: docs/adding-an-engine.md.`)
  const found = writer.has(config) && /^export const state = single\('([a-z_.]+)', Enabled\b/m.exec(writer.read(config))
  if (!found) throw new Stop(`The area ${area} has no switch: config.ts must export state, a single of Enabled.`)
  return found[1]
}

const declarations = (writer) =>
  globSync('server/src/engines/*/index.ts', { cwd: root }).map((file) => writer.read(file))

/** Folders of the source and files of plans have one owner each. */
function assertFree(writer, name) {
  if (/\d/.test(name))
    throw new Stop('An engine has no digits in its name, because folders and units are named for it.')
  const folder = `server/src/engines/${name}`
  if (existsSync(join(root, folder))) throw new Stop(`${folder} is in use. Choose another name.`)
  if (declarations(writer).some((text) => text.includes(`'${name}.conf'`)))
    throw new Stop(`Another engine has a file ${name}.conf. Choose another name.`)
}

function freePort(writer) {
  const used = new Set(declarations(writer).flatMap((text) => text.match(/\b\d+\b/g) ?? []))
  let port = 8100
  while (used.has(`${port}`)) port++
  return port
}

function writeDeclaration(writer, { name, camel, snake, plain, port }) {
  const folder = `server/src/engines/${name}`
  writer.create(
    `${folder}/packages.json`,
    `{
  "start": [{ "name": "dnsmasq-base", "file": "dnsmasq", "purpose": "the ${plain}" }],
  "use": [],
  "tests": []
}
`,
  )
  writer.create(
    `${folder}/index.ts`,
    `// The ${plain}: dnsmasq as a name server for local networks. How it runs is in applyd/.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

const toServer = { name: '${snake}', networks: 'local', way: 'input', sourcePort: null, destinationPort: ${port} } as const

export const ${camel} = declareEngine({
  service: '${name}',
  title: '${plain}',
  packages,
  folders: [],
  // Read by root before the program drops its rights; one that reads it later needs a folder of its own.
  files: { '${name}.conf': { path: 'applyd/${name}.conf', mode: 0o600 } },
  fileTemplates: {},
  units: { '${name}': { log: { form: 'plain', syslogId: '${name}', unit: '{brand}-${name}' } } },
  unitTemplates: {},
  ports: { udp: { ...toServer, protocol: 'udp' }, tcp: { ...toServer, protocol: 'tcp' } },
  kernel: [],
})
`,
  )
  const list = 'server/src/engines/index.ts'
  writer.insert(list, /^import /m, `import { ${camel} } from './${name}/index.ts'\n`)
  writer.replace(list, /,?\s*\]\s*$/, `, ${camel}]\n`)
}

function writeApplydHalf(writer, { name, camel, plain }) {
  const folder = `server/src/engines/${name}/applyd`
  writer.create(
    `${folder}/index.ts`,
    `// dnsmasq as the ${plain}.

import { defineEngine } from '../../kit/privileged.ts'
import { ${camel} } from '../index.ts'

const program = '/usr/sbin/dnsmasq'
const port = ${camel}.ports.tcp.destinationPort

/** Every form of a line. No program, no path, no further file, no other port. */
const forms: readonly RegExp[] = [
  new RegExp(\`^(?:|port=\${port}|local-service|no-hosts|no-resolv)$\`),
  /^txt-record=[a-z0-9-]{1,63},"[^"\\\\]{1,255}"$/,
]

export const ${camel}Engine = defineEngine(${camel}, ({ service }) => ({
  units: {
    '${name}': {
      program,
      args: [
        // It needs root to start, and switches to the account of its package before it reads a question.
        ...(service ? ['--keep-in-foreground', '--user=dnsmasq'] : ['--no-daemon']),
        '--log-facility=-', '--pid-file=', '--conf-file={${name}.conf}',
      ],
      files: { '${name}.conf': { lines: forms } },
      check: { program, args: ['--test', '--conf-file={${name}.conf}'] },
      reload: 'restart',
      probe: { kind: 'tcp', host: '127.0.0.1', port, timeoutMs: 3000 },
      isOptional: true,
      // All it can ever have: name only what it needs.
      capabilities: ['net_bind_service', 'setgid', 'setuid'],
      limits: { nofile: 1024, data: 256 * 1024 * 1024, nproc: 64 },
    },
  },
  unitTemplates: {},
}))
`,
  )
  const list = 'server/src/engines/applyd.ts'
  writer.insert(list, /^import /m, `import { ${camel}Engine } from './${name}/applyd/index.ts'\n`)
  writer.replace(list, /,?\s*\]\s*$/, `,\n  ${camel}Engine,\n]\n`)
}

function writeLanguage(writer, { name, plain }) {
  writer.create(
    `server/src/engines/${name}/${name}.ts`,
    `// Typed writer for the file of the ${plain}: every line is made here, so no text can become another line.

declare const isLine: unique symbol
/** A line that is known to be safe because only this file makes it. */
export type Line = string & { readonly [isLine]: true }

const safe = (text: string): Line => text as Line

function demand(form: RegExp, text: string, what: string): string {
  if (!form.test(text)) throw new Error(\`not \${what} for the ${plain}: \${JSON.stringify(text)}\`)
  return text
}

export const flag = (keyword: 'local-service' | 'no-hosts' | 'no-resolv'): Line => safe(keyword)

export const port = (value: number): Line => safe(\`port=\${demand(/^[1-9]\\d{0,4}$/, \`\${value}\`, 'a port')}\`)

export const textRecord = (name: string, text: string): Line =>
  safe(
    \`txt-record=\${demand(/^[a-z0-9-]{1,63}$/, name, 'a name')},"\${demand(/^[ !#-[\\]-~]{1,255}$/, text, 'a plain text')}"\`,
  )

export const printLines = (lines: readonly Line[]): string => lines.map((line) => \`\${line}\\n\`).join('')
`,
  )
}

function writeTest(writer, { name, camel, plain, area }) {
  writer.create(
    `server/src/engines/${name}/${name}.test.ts`,
    `// The ${plain}: its writer, which lines its file may hold, and the real program in a separate network namespace.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { lacking, unlessComplete } from '../../../test/support/requires.ts'
import { until } from '../../../test/support/until.ts'
import { productionTables } from '../../applyd/production.ts'
import { unitCommandLine } from '../../applyd/units.ts'
import { state } from '../../areas/${area}/config.ts'
import { render } from '../../areas/${area}/render.ts'
import { write } from '../../core/model/slots.ts'
import { faultsIn } from '../kit/forms.ts'
import { findUnit } from '../kit/tables.ts'
import { ${camel} } from './index.ts'
import { flag, port, printLines, textRecord } from './${name}.ts'

const canSeparate = spawnSync('/usr/bin/unshare', ['--net', '--', '/usr/bin/true']).status === 0
const reasonToSkip = canSeparate
  ? lacking('/usr/sbin/dnsmasq', '/usr/bin/dig')
  : unlessComplete('network namespaces need root')

const tables = productionTables('/state', { uid: 65_534, gid: 65_534 }, 'host')
const unit = findUnit(tables, '${name}') ?? assert.fail('there is no unit ${name}')
const [file] = render(write({}, state, { enabled: true }))
assert.ok(file?.kind === 'file')

describe('the writer', () => {
  it('prints lines one below the other', () => {
    assert.equal(
      printLines([port(8053), flag('no-hosts'), textRecord('a-1', 'b, c')]),
      'port=8053\\nno-hosts\\ntxt-record=a-1,"b, c"\\n',
    )
  })

  it('refuses what is not a port, a name or a plain text', () => {
    for (const bad of [0, -1, 1.5, Number.NaN, 100_000]) assert.throws(() => port(bad))
    for (const bad of ['', 'a b', 'a,b', 'a\\nb', 'A']) assert.throws(() => textRecord(bad, 'text'))
    for (const bad of ['', 'a"b', 'a\\\\b', 'a\\nport=53', 'x'.repeat(256)]) assert.throws(() => textRecord('name', bad))
  })
})

it('may have the lines that are rendered, and no others', () => {
  assert.deepEqual(faultsIn(unit, file.name, file.text), [])
  for (const line of ['port=53', 'conf-file=/etc/x', 'dhcp-script=/bin/x', 'addn-hosts=/x', 'txt-record=a,"b"c"'])
    assert.equal(faultsIn(unit, file.name, \`\${file.text}\${line}\\n\`).length, 1, line)
})

describe('the real program', { skip: reasonToSkip }, () => {
  let folder = ''
  let holder: ChildProcess
  let server: ChildProcess
  const enter = (): string[] => [\`--net=/proc/\${holder.pid}/ns/net\`, '--']
  const inside = (...command: string[]) =>
    spawnSync('/usr/bin/nsenter', [...enter(), ...command], { encoding: 'utf8', timeout: 10_000 })

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-${name}-'))
    holder = spawn('/usr/bin/unshare', ['--net', '--', '/usr/bin/cat'])
    holder.stdin?.write('ready')
    await new Promise((resolve) => holder.stdout?.once('data', resolve))
    assert.equal(inside('/sbin/ip', 'link', 'set', 'lo', 'up').status, 0)
    writeFileSync(join(folder, file.name), file.text)
    server = spawn('/usr/bin/nsenter', [...enter(), ...unitCommandLine(unit, (own) => join(folder, own))])
  })
  after(() => {
    server.kill('SIGKILL')
    holder.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  it('starts with the rendered file and answers', async () => {
    const own = \`\${${camel}.ports.udp.destinationPort}\`
    const question = ['+short', '+time=1', '+tries=1', '-p', own, '@127.0.0.1', '${name}', 'TXT']
    await until('it answers', () => inside('/usr/bin/dig', ...question).stdout === '"The ${plain} is running."\\n')
  })
})
`,
  )
}

function writeAreaPart(writer, { name, area, camel, plain, state }) {
  const folder = `server/src/areas/${area}`
  writer.create(
    `${folder}/render.ts`,
    `// The ${plain} while it is enabled: its file and its unit. Pure.

import { engineFile, engineUnit } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import { ${camel} } from '../../engines/${name}/index.ts'
import { flag, port, printLines, textRecord } from '../../engines/${name}/${name}.ts'
import { state } from './config.ts'

export function render(config: Config): Artifact[] {
  if (!read(config, state).enabled) return []
  const lines = [
    port(${camel}.ports.udp.destinationPort),
    flag('local-service'),
    flag('no-hosts'),
    flag('no-resolv'),
    textRecord('${name}', 'The ${plain} is running.'),
  ]
  return [engineFile(${camel}, '${name}.conf', printLines(lines)), engineUnit(${camel}, '${name}')]
}
`,
  )
  writer.create(
    `${folder}/golden/01-${name}.golden`,
    `The ${plain} is enabled.\n-- config.${state} --\n{ "enabled": true }\n`,
  )
  const index = `${folder}/index.ts`
  writer.insert(index, /^import /m, `import { render } from './render.ts'\n`)
  writer.insert(index, /(?<=defineArea\([\s\S]*)\broutes\b/, 'render, ')
  const untrue = / Nothing is applied yet\./
  if (untrue.test(writer.read(index))) writer.replace(index, untrue, ` The ${plain} works for it.`)
}
