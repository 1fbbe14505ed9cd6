// Tests with the package of this checkout on a machine of each release. Where none can be booted, the reason is shown.

import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { onlyNightly } from '../load/lab.ts'
import { reasonWithoutMachine } from './abilities.ts'
import { buildPackages, type Packages } from './packages.ts'
import { releases, type Suite, sweepRoots } from './roots.ts'

interface Options {
  readonly isNightly: boolean
  /** How many releases at the same time. */
  readonly atOnce: number
}

/** `packages` are built when the first test runs. */
export type MachineTests = (suite: Suite, packages: () => Packages) => void

export async function describeOnReleases(title: string, options: Options, tests: MachineTests): Promise<void> {
  const reasons = new Map<Suite, string | false>()
  for (const { suite } of releases)
    reasons.set(suite, (options.isNightly && onlyNightly) || (await reasonWithoutMachine(suite)))
  const isAnywhere = [...reasons.values()].includes(false)

  describe(title, { concurrency: options.atOnce }, () => {
    let packages: Packages | undefined
    before(async () => {
      if (!isAnywhere) return
      sweepRoots()
      packages = await buildPackages()
    })
    after(() => packages?.[Symbol.dispose]())
    const built = (): Packages => {
      assert.ok(packages)
      return packages
    }

    for (const { suite, name } of releases)
      describe(`on ${name}`, { concurrency: 1, skip: reasons.get(suite) ?? false }, () => tests(suite, built))
  })
}
