// The engines are complete and agree with what is outside of TypeScript: folders of the source, the unit files of systemd
// and the documents.
// Requirement 53.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { productionTables } from '../../src/applyd/production.ts'
import { accountNames } from '../../src/core/engine/accounts.ts'
import type { EngineData } from '../../src/core/engine/engine.ts'
import { topFolders } from '../../src/core/engine/views.ts'
import { productionEngines } from '../../src/engines/applyd.ts'
import { engines } from '../../src/engines/index.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8')
const foldersIn = (pattern: string): string[] =>
  globSync(`server/src/engines/${pattern}`, { cwd: repository })
    .map((found) => found.split('/')[3] ?? '')
    .sort()
const state = '/var/lib/portcullis'

describe('engines', () => {
  it('have what both sides of the socket know and a privileged half, and are in both lists in the same order', () => {
    const services = engines.map(({ service }) => service)
    assert.deepEqual(foldersIn('*/index.ts'), services.toSorted())
    assert.deepEqual(foldersIn('*/applyd/index.ts'), services.toSorted())
    assert.deepEqual(
      productionEngines.map(({ data }) => data),
      engines,
    )
  })

  it('name their units for the service', () => {
    const unitsOf = ({ units, unitTemplates }: EngineData) => [...Object.keys(units), ...Object.keys(unitTemplates)]
    const others = engines.flatMap((engine) =>
      unitsOf(engine).filter((name) => name !== engine.service && !name.startsWith(`${engine.service}-`)),
    )
    assert.deepEqual(others, [])
  })

  it('put their files into folders of their own or of applyd', () => {
    for (const { service, folders, files, fileTemplates } of engines) {
      const own = new Set(['applyd', 'log', ...folders.map(({ path }) => path)])
      const used = [
        ...Object.values(files).map(({ path }) => path.split('/').slice(0, -1).join('/')),
        ...Object.values(fileTemplates).map(({ folder }) => folder),
      ]
      for (const folder of used) assert.ok(own.has(folder), `${service} declares no folder ${folder}`)
      for (const { path } of folders) assert.match(path, /^[a-z][a-z-]*(?:\/[a-z][a-z-]*)*$/)
    }
  })

  it('keep the process of a unit that had another name in an earlier release', () => {
    const { formerUnits } = productionTables('/state', null, 'none')
    assert.equal(formerUnits.get('unbound'), 'dns')
  })

  it('have every package in docs/dependencies.md', () => {
    const text = textOf('docs/dependencies.md')
    const packages = engines.flatMap(({ packages: { start, use, tests } }) => [...start, ...use, ...tests])
    for (const { name } of packages) assert.ok(text.includes(`\`${name}\``), name)
  })
})

describe('the sandbox of applyd', () => {
  const unit = textOf('deploy/systemd/portcullis-applyd.service')
  const writable = [...unit.matchAll(/^ReadWritePaths=(.*)$/gm)].flatMap((match) => (match[1] ?? '').split(' '))

  it('may write to its own folders and those of the engines, and to nothing else', () => {
    const expected = ['applyd', 'run', 'log', ...topFolders(engines).map(({ path }) => path)]
    assert.deepEqual(
      writable,
      [
        ...expected.map((path) => `${state}/${path}`),
        '-/sys/fs/cgroup/system.slice/portcullis-groups.service',
        '/proc/sys/net',
      ],
      'deploy/systemd/portcullis-applyd.service: ReadWritePaths',
    )
  })

  it('sees nothing of the folder of gatewayd', () => {
    assert.match(unit, /^TemporaryFileSystem=\/var\/lib\/portcullis\/gateway:ro$/m)
    assert.doesNotMatch(unit, /^Bind/m)
  })

  it('leaves gatewayd its own folder, those of backups and upgrades and those that engines declare for it', () => {
    const gatewayd = textOf('deploy/systemd/portcullis-gatewayd.service')
    const found = [...gatewayd.matchAll(/^ReadWritePaths=(.*)$/gm)].flatMap((match) => (match[1] ?? '').split(' '))
    const declared = engines.flatMap(({ folders }) => folders.filter(({ owner }) => owner === 'portcullis'))
    const expected = ['gateway', 'backups', 'upgrade', ...declared.map(({ path }) => path)].map(
      (path) => `${state}/${path}`,
    )
    assert.deepEqual(found.toSorted(), expected.toSorted())
    const made = textOf('deploy/systemd/portcullis.tmpfiles.conf')
    for (const path of expected) assert.ok(made.includes(`\nd ${path} `), `tmpfiles does not make ${path}`)
  })

  it('finds every folder of an engine made by tmpfiles', () => {
    const lines = textOf('deploy/systemd/portcullis.tmpfiles.conf')
      .split('\n')
      .map((line) => line.split(/ +/).slice(0, 5).join(' '))
    for (const { path, mode, group, owner: account = 'root' } of topFolders(engines)) {
      const owner = `${account} ${account !== 'root' ? account : group === 'service' ? 'portcullis' : 'root'}`
      const line = `d ${state}/${path} ${mode.toString(8).padStart(4, '0')} ${owner}`
      assert.ok(lines.includes(line), `deploy/systemd/portcullis.tmpfiles.conf lacks: ${line}`)
    }
  })

  it('finds every account that is not of the lab made by sysusers, in the range of the system', () => {
    const lines = textOf('deploy/systemd/portcullis.sysusers.conf').split('\n')
    const made = lines.filter((line) => line.startsWith('u ')).map((line) => line.split(/ +/).slice(0, 3).join(' '))
    const expected = accountNames.filter((name) => !name.includes('-lab-')).map((name) => `u ${name} -`)
    assert.deepEqual(made, expected)
  })
})
