// What is installed is what was reviewed: exact versions, contents pinned by hash, no scripts at install time, and every
// direct dependency with its reason in docs/dependencies.md.
// Requirement 56.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const root = new URL('../../../', import.meta.url)
const readJson = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, root), 'utf8')) as T

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly hasInstallScript?: boolean
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly workspaces?: readonly string[]
}

const lock = readJson<{ lockfileVersion: number; packages: Record<string, LockedPackage> }>('package-lock.json')
const manifests: readonly [name: string, manifest: Manifest][] = [
  'package.json',
  'server/package.json',
  'web/package.json',
].map((name) => [name, readJson<Manifest>(name)])
const installed = Object.entries(lock.packages).filter(([name, entry]) => name.includes('node_modules/') && !entry.link)

const dependenciesOf = ({ dependencies, devDependencies, optionalDependencies }: Manifest): [string, string][] =>
  [dependencies, devDependencies, optionalDependencies].flatMap((list) => Object.entries(list ?? {}))

describe('the supply chain', () => {
  it('pins the content of every package', () => {
    assert.ok(installed.length > 40)
    for (const [name, { integrity, version }] of installed) {
      assert.match(integrity ?? '', /^sha512-[A-Za-z0-9+/]{86}==$/, name)
      assert.match(version ?? '', /^\d+\.\d+\.\d+/, name)
    }
  })

  it('names no place to fetch from: the registry is the operator’s choice', () => {
    const places = Object.entries(lock.packages).flatMap(([name, { resolved, link }]) =>
      resolved === undefined || link ? [] : [`${name}: ${resolved}`],
    )
    assert.deepEqual(places, [])
    for (const [name, { link, resolved }] of Object.entries(lock.packages)) {
      if (link) assert.ok(['server', 'web'].includes(resolved ?? ''), name)
    }
  })

  it('runs nothing at install time', () => {
    const withScripts = Object.entries(lock.packages).filter(([, entry]) => entry.hasInstallScript)
    assert.deepEqual(withScripts, [])
    for (const [name, { scripts }] of manifests) {
      for (const hook of ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']) {
        assert.equal(scripts?.[hook], undefined, `${name} ${hook}`)
      }
    }
  })

  it('asks for exact versions, and the lock file agrees', () => {
    for (const [file, manifest] of manifests) {
      for (const [name, version] of dependenciesOf(manifest)) {
        assert.match(version, /^\d+\.\d+\.\d+(?:-[0-9a-z.]+)?$/, `${file} ${name}`)
        const workspace = file.split('/')[0]
        const entry = lock.packages[`${workspace}/node_modules/${name}`] ?? lock.packages[`node_modules/${name}`]
        assert.equal(entry?.version, version, `${file} ${name}`)
      }
    }
    for (const [name, manifest] of manifests) {
      const locked = lock.packages[name.replace(/\/?package\.json$/, '')] as Manifest | undefined
      assert.deepEqual(
        dependenciesOf(locked ?? {}).sort(),
        dependenciesOf(manifest).sort(),
        `${name} and the lock file`,
      )
    }
  })

  it('has a reason for every direct dependency', () => {
    const file = new URL('docs/dependencies.md', root)
    assert.ok(existsSync(file), 'docs/dependencies.md is missing')
    const text = readFileSync(file, 'utf8')
    for (const [path, manifest] of manifests) {
      for (const [name] of dependenciesOf(manifest)) assert.ok(text.includes(`\`${name}\``), `${path} ${name}`)
    }
  })

  it('runs on the runtime that is pinned', () => {
    const pinned = manifests[0]?.[1].optionalDependencies?.[`node-linux-${process.arch}`]
    assert.equal(process.versions.node, pinned)
  })
})
