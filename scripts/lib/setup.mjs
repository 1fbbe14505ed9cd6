// What must be there before anything of ours can run.

import { ensureDependencies } from './dependencies.mjs'
import { ensurePackages, labPackages, skipOption, skipsPackages } from './packages.mjs'
import { ensurePlain } from './plain.mjs'

/** Returns the arguments without those that were for the set-up itself. */
export function setUp(args, { packages = labPackages } = {}) {
  ensureDependencies()
  ensurePlain()
  const skip = skipsPackages()
  ensurePackages(packages, { skip })
  // Engines that are switched on later are not installed then either.
  if (skip) process.env.PORTCULLIS_SKIP_PACKAGES = '1'
  return args.filter((arg) => arg !== skipOption)
}
