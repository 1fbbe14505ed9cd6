// The units of the package, and the drop-ins that keep the services of engine packages off while ours is installed.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEnginePackages } from '../packages.mjs'
import { root } from '../paths.mjs'

const systemd = join(root, 'deploy', 'systemd')

/** With whether they are enabled: those that say where they belong are. */
export function listUnits() {
  return readdirSync(systemd)
    .filter((name) => /\.(?:service|socket|target|timer|path)$/.test(name))
    .sort()
    .map((name) => ({ name, isEnabled: /^\[Install\]$/m.test(readFileSync(join(systemd, name), 'utf8')) }))
}

/** Services of engine packages: ours run the same programs on the same ports. */
export function foreignUnits() {
  const { start, use } = readEnginePackages()
  return [...new Set([...start, ...use].flatMap(({ units = [] }) => units))].sort()
}

export function dropIns() {
  const text = [
    '# The gateway runs this program itself, while it is installed.',
    '[Unit]',
    'ConditionPathExists=!/usr/lib/portcullis/package.json',
    '',
  ].join('\n')
  return foreignUnits().map((unit) => ({ path: `usr/lib/systemd/system/${unit}.d/portcullis.conf`, text }))
}

/** The accounts that sysusers makes for us. */
export function listAccounts() {
  const text = readFileSync(join(systemd, 'portcullis.sysusers.conf'), 'utf8')
  return [...text.matchAll(/^u (\S+)/gm)].map(([, name]) => name)
}

/** What is right below the state folder: our folders, and what the scripts of the package note. */
export function listState() {
  const text = readFileSync(join(systemd, 'portcullis.tmpfiles.conf'), 'utf8')
  const folders = [...text.matchAll(/^d \/var\/lib\/portcullis\/([a-z-]+) /gm)].map(([, name]) => name)
  return [...folders, 'made-accounts', 'stopped-units']
}
