// What a gateway makes at its first start and then finds again: code that the runtime has compiled, and what the inspection engine says
// of the signatures of the product. Both take a second of processor time. The first lab of a run that ends hands them on, and those
// that start later find them as they would after a restart. A file that is run alone starts from nothing.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { labAccount, readAccounts } from '../../src/tools/launcher/privileges.ts'

/** Of the run (scripts/lib/tests/runner.mjs), which removes it. Only root gives files to the accounts of a gateway. */
const seed = process.geteuid?.() === 0 ? process.env.PORTCULLIS_TEST_SEED : undefined
const verdicts = 'gateway/signatures/verdicts.json'

/** Into a state folder that does not exist yet. The launcher gives what is in it to the accounts of the gateway. */
export function plantSeed(stateDir: string): void {
  if (seed === undefined || !existsSync(seed)) return
  for (const { folder, uid } of compiledIn(stateDir))
    for (const version of readdirSync(join(seed, folder)))
      copyFolder(join(seed, folder, version), join(stateDir, folder, `${version}-${uid}`))
  copyFile(join(seed, verdicts), join(stateDir, verdicts))
}

/** Of a lab that has ended, if none has left one. */
export function keepSeed(stateDir: string): void {
  if (seed === undefined || existsSync(seed) || !existsSync(join(stateDir, verdicts))) return
  const made = mkdtempSync(`${seed}-`)
  for (const { folder, uid } of compiledIn(stateDir)) {
    const own = readdirSync(join(stateDir, folder)).filter((name) => name.endsWith(`-${uid}`))
    for (const name of own)
      copyFolder(join(stateDir, folder, name), join(made, folder, name.slice(0, name.lastIndexOf('-'))))
  }
  copyFile(join(stateDir, verdicts), join(made, verdicts))
  try {
    renameSync(made, seed)
  } catch {
    // Another lab of the run was faster.
    rmSync(made, { recursive: true })
  }
}

/** The runtime keeps compiled code in a folder that it names by its version and the account. */
function compiledIn(stateDir: string): readonly { readonly folder: string; readonly uid: number }[] {
  const accounts = readAccounts({ isolation: 'plain', plane: 'lab' }, stateDir)
  const web = labAccount(accounts, 'portcullis-lab-web')
  return [
    { folder: 'gateway/compile-cache', uid: accounts.service.uid },
    { folder: 'applyd/compile-cache', uid: 0 },
    { folder: 'lab/compile-cache', uid: web.uid },
  ]
}

function copyFolder(from: string, to: string): void {
  for (const name of readdirSync(from)) copyFile(join(from, name), join(to, name))
}

/** A new file, which is ours: copies of the file system keep the owner. */
function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  writeFileSync(to, readFileSync(from), { mode: 0o600 })
}
