// What must be there before anything of ours can run.

import { ensureDependencies } from './dependencies.mjs'
import { ensurePackages, labPackages } from './packages.mjs'

const skipOption = '--skip-packages'

/** Returns the arguments without those that were for the set-up itself. */
export function setUp(args, { packages = labPackages } = {}) {
  ensureDependencies()
  ensurePackages(packages, { skip: args.includes(skipOption) || process.env.PORTCULLIS_SKIP_PACKAGES === '1' })
  return args.filter((arg) => arg !== skipOption)
}
