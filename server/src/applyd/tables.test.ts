import assert from 'node:assert/strict'
import { isAbsolute, join } from 'node:path'
import { test } from 'node:test'
import { accountNames } from '../core/engine/accounts.ts'
import type { Tables } from '../engines/kit/tables.ts'
import { ownApp, plainOption } from '../shared/files/plain.ts'
import { productionTables } from './production.ts'
import { benchTables, plainNft } from './stand-ins/harness.ts'

/** What the rest of applyd takes for granted. */
function assertSound({ nft, files, fileTemplates, units, templates, trial }: Tables): void {
  for (const name of [...nft.tables, nft.boot]) assert.match(name, /^(inet|netdev) [a-z][a-z0-9_]{0,30}$/)
  assert.ok(!nft.tables.includes(nft.boot), 'no plan may name the boot table')
  assert.ok(isAbsolute(nft.command[0] ?? ''))
  const instances = [...templates].map(([name, make]) => [`${name}.lan0`, make('lan0')] as const)
  const read = new Set([...units, ...instances].flatMap(([, unit]) => Object.keys(unit.files)))
  for (const [name, file] of files) {
    assert.match(name, /^[a-z0-9][a-z0-9._-]{0,63}$/)
    assert.ok(isAbsolute(file.path) && !file.path.includes('..'))
    assert.ok(read.has(name), `no unit vets ${name}`)
    assert.equal(file.mode & 0o022, 0, `others may not write ${name}`)
  }
  assert.ok(trial.every((part) => isAbsolute(part) || part === plainOption(ownApp)))
  for (const name of templates.keys()) assert.match(name, /^[a-z][a-z-]{0,30}$/)
  for (const [name, unit] of [...units, ...instances]) {
    assert.match(name, /^[a-z0-9][a-z0-9._-]{0,63}$/)
    const check = typeof unit.check === 'function' ? null : unit.check
    assert.ok(isAbsolute(unit.program) && isAbsolute(check?.program ?? '/'))
    const named = [...unit.args, ...(check?.args ?? [])].flatMap((arg) => arg.match(/(?<=\{)[^}]+(?=\})/g) ?? [])
    for (const file of [...Object.keys(unit.files), ...named])
      assert.ok(files.has(file) || fileTemplates.has(file.replace('.*', '')), `${name} uses ${file}`)
  }
}

test('the production tables and those of the tests are sound', () => {
  assertSound(productionTables('/var/lib/portcullis', { uid: 65534, gid: 65534 }, 'host'))
  assertSound(benchTables('/tmp', plainNft, 5353))
})

test('a file that applyd does not read goes to programs of ours alone, which are not root', () => {
  const { units, templates } = productionTables('/state', { uid: 65534, gid: 65534 }, 'host')
  const all = [...units.values(), ...[...templates.values()].map((make) => make('lan0'))]
  const own = all.flatMap(({ files }) => Object.keys(files).filter((name) => files[name] === 'own program'))
  assert.ok(own.length > 0)
  for (const unit of all.filter(({ files }) => own.some((name) => Object.hasOwn(files, name)))) {
    assert.ok((unit.user?.uid ?? 0) > 0)
    assert.equal(unit.program, process.execPath)
    assert.ok(unit.args.some((arg) => arg.startsWith(join(ownApp, 'server', 'src')) && arg.endsWith('.ts')))
    assert.ok(Object.values(unit.files).every((form) => form === 'own program'))
  }
})

test('an engine of a lab does not run as the account of the same name of the host', () => {
  const passwd = 'portcullis-inspection:x:998:997::/:/bin/false\n'
  const accountIn = (plane: 'lab' | 'host') =>
    productionTables('/state', { uid: 70_000, gid: 70_000 }, plane, { block: 70_000, passwd }).units.get('inspection')
      ?.user?.uid
  assert.equal(accountIn('host'), 998)
  assert.equal(accountIn('lab'), 70_000 + accountNames.indexOf('portcullis-inspection'))
})
