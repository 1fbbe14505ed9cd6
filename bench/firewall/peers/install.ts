// Puts the peers into a folder of the checkout, as their packages lie on Debian's servers: nothing is installed on this
// machine, and only the rooms of the bench see them.

import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { runTool, toolPath } from '../../../server/src/tools/launcher/tools.ts'

export const peersFolder = join(import.meta.dirname, '..', '..', '..', '.cache', 'peers')

const packages = ['firewalld', 'ufw', 'shorewall', 'iptables']

export function installPeers(): void {
  console.error(`Fetching ${packages.join(', ')} into ${peersFolder} ...`)
  const draft = `${peersFolder}.new`
  const archives = `${peersFolder}.deb`
  for (const folder of [draft, archives]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(archives, 'partial'), { recursive: true })
  const options = ['-y', '--no-install-recommends', '--download-only', '-o', `Dir::Cache::archives=${archives}`]
  runTool('apt-get', [...options, 'install', ...packages])
  for (const name of readdirSync(archives).filter((name) => name.endsWith('.deb')))
    runTool('dpkg-deb', ['--extract', join(archives, name), draft])
  finish(draft)
  rmSync(archives, { recursive: true })
  rmSync(peersFolder, { recursive: true, force: true })
  renameSync(draft, peersFolder)
}

/** What dpkg and the packages' own scripts would do to the files. */
function finish(tree: string): void {
  mkdirSync(join(tree, 'usr/sbin'), { recursive: true })
  for (const name of ['lib', 'sbin']) {
    if (!existsSync(join(tree, name))) continue
    cpSync(join(tree, name), join(tree, 'usr', name), { recursive: true, verbatimSymlinks: true })
    rmSync(join(tree, name), { recursive: true })
  }
  for (const family of ['iptables', 'ip6tables'])
    for (const verb of ['', '-save', '-restore'])
      if (existsSync(join(tree, `usr/sbin/${family}-nft${verb}`)))
        symlinkSync(`${family}-nft${verb}`, join(tree, `usr/sbin/${family}${verb}`))
  const rights = join(tree, 'usr/share/polkit-1/actions/org.fedoraproject.FirewallD1')
  if (existsSync(`${rights}.server.policy.choice`)) copyFileSync(`${rights}.server.policy.choice`, `${rights}.policy`)
  // A warning about one module is no reason not to have the others ready.
  spawnSync(toolPath('python3'), ['-m', 'compileall', '-q', join(tree, 'usr')])
}
