// Code that runs as root opens files only through shared/files/, which follows no link and waits for no pipe. What it reads
// elsewhere (/proc, /etc) or writes where root alone can is listed with the reason.
// Requirement 49.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exceptions } from '../support/exceptions.ts'

const source = join(import.meta.dirname, '..', '..', 'src')

/** Functions of node:fs that take a path and open, make, change or remove what it names. */
const acting =
  /\b((?:append|copy|create|chmod|chown|lchown|cp|link|mkdir|mkdtemp|open|read|rename|rm|symlink|truncate|unlink|utimes|write|watch)(?:File|Stream|ReadStream|WriteStream|dir)?(?:Sync)?)\b/g
/** These take a handle that was opened elsewhere, or only list names. */
const harmless = new Set(['writeSync', 'readSync', 'readdirSync', 'readdir'])

const allowed = exceptions('files of root that use node:fs themselves', [
  ['applyd/applyd.ts', 'makes the state folder and removes its old socket, in folders of root'],
  ['applyd/checkpoints.ts', 'takes handles of withFile()'],
  ['engines/inspection/applyd/watch.ts', 'reads /proc'],
  ['applyd/engine-tables.ts', 'reads /etc/passwd'],
  ['applyd/executor.ts', 'the staging folder in the folder of applyd'],
  ['applyd/network.ts', 'opens /dev/ppp'],
  ['engines/kit/processes.ts', 'reads /proc'],
  ['applyd/production.ts', 'reads /proc'],
  ['applyd/supervisor.ts', 'takes handles of withFile()'],
  ['applyd/live/tracking.ts', 'reads /proc/sys'],
  ['applyd/machine/settings.ts', 'reads and writes /proc/sys/net'],
  ['applyd/machine/read.ts', 'reads /proc, /sys, /run and /etc, and writes files of the kernel'],
  ['tools/launcher/host-pids.ts', 'reads /proc'],
  ['tools/launcher/identity.ts', 'reads /proc'],
  ['tools/launcher/layout.ts', 'makes the state folder, in folders of root'],
  ['tools/launcher/lock.ts', 'the lock in a folder of root'],
  ['tools/launcher/mounts.ts', 'files of its own private /run'],
  ['tools/launcher/privileges.ts', 'reads /etc/passwd and /proc'],
  ['tools/launcher/processes.ts', 'watches for the socket, in a folder of root'],
  ['tools/launcher/record.ts', 'the record in a folder of root'],
  ['shared/secret.ts', 'reads and writes its own memory in /proc'],
])

/** Programs that an engine starts as its own account do not run as root. */
const ofEngines = /^engines\/wpad\/serve\.ts$/

function actsOf(text: string): string[] {
  const names = [...text.matchAll(/^import (\{[^}]*\}|\* as fs) from 'node:fs(?:\/promises)?'$/gm)].flatMap(
    ([, what = '']) =>
      what === '* as fs'
        ? [...text.matchAll(/\bfs\.(\w+)/g)].map(([, name = '']) => name)
        : what
            .replaceAll(/[{}]|type \w+/g, '')
            .split(',')
            .map((name) => name.trim()),
  )
  return names.filter((name) => name.match(acting)?.[0] === name && !harmless.has(name))
}

const files = globSync(
  ['applyd', 'tools/launcher', 'engines/kit', 'engines/*/applyd']
    .map((folder) => `${folder}/**/*.ts`)
    .concat('shared/secret.ts'),
  {
    cwd: source,
  },
).filter((file) => !/\.test\.ts$|stand-ins\//.test(file) && !ofEngines.test(file))

test('root opens files only through shared/files/, or where no other account can write', () => {
  const using = files.filter((file) => actsOf(readFileSync(join(source, file), 'utf8')).length > 0)
  assert.deepEqual(using.toSorted(), allowed.map(([file]) => file).toSorted())
})

test('the search finds what it should', () => {
  assert.deepEqual(actsOf("import { existsSync, readFileSync } from 'node:fs'\n"), ['readFileSync'])
  assert.deepEqual(actsOf("import * as fs from 'node:fs'\nfs.lstatSync('a'); fs.mkdtempSync('b')\n"), ['mkdtempSync'])
  assert.deepEqual(actsOf("import { type FileHandle, open } from 'node:fs/promises'\n"), ['open'])
})
