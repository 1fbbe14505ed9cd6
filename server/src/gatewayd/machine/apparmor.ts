// Which profiles of AppArmor confine our engines, and whether the local additions that allow our state folder are there. The
// additions themselves are in deploy/apparmor/.

import { join } from 'node:path'
import { say } from '../../shared/said.ts'
import type { ProfileReading } from './readings.ts'

/** Profiles of Debian's packages, by the name of their file. `names` are those that the kernel shows. */
export const engineProfiles = [
  {
    name: 'usr.sbin.unbound',
    program: '/usr/sbin/unbound',
    title: say`DNS server`,
    names: ['unbound', '/usr/sbin/unbound'],
  },
  { name: 'usr.sbin.squid', program: '/usr/sbin/squid', title: say`web proxy`, names: ['squid', '/usr/sbin/squid'] },
  {
    name: 'usr.sbin.clamd',
    program: '/usr/sbin/clamd',
    title: say`web antivirus`,
    names: ['clamd', '/usr/sbin/clamd'],
  },
  {
    name: 'usr.sbin.dnsmasq',
    program: '/usr/sbin/dnsmasq',
    title: say`DHCP server`,
    names: ['dnsmasq', '/usr/sbin/dnsmasq', '/usr/{bin,sbin}/dnsmasq'],
  },
] as const

const loadedPath = '/sys/kernel/security/apparmor/profiles'
const localFolder = '/etc/apparmor.d/local'

/** `textOf` gives the text of a file, by its path. */
export function readProfiles(stateDir: string, textOf: (path: string) => string): ProfileReading[] {
  const enforced = enforcedIn(textOf(loadedPath))
  return engineProfiles.map(({ names, ...profile }) => ({
    ...profile,
    isEnforced: names.some((name) => enforced.has(name)),
    hasAddition: textOf(join(localFolder, profile.name)).split('\n').includes(additionMark(stateDir)),
  }))
}

/** The line with which deploy/debian/apparmor.sh begins an addition. */
export const additionMark = (stateDir: string): string => `# portcullis begin ${stateDir}`

/** `name (mode)` in each line. */
function enforcedIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^(\S+) \((?:enforce|kill)\)$/gm)].map(([, name = '']) => name))
}
