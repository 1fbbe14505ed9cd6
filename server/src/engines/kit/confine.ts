// What surrounds every program that runs for an engine.

import type { UnitSpec } from './tables.ts'

/** What surrounds a program: limits, then user, capabilities and no way to more. Both wrappers become the program. */
export function confine({ user, capabilities, limits }: Pick<UnitSpec, 'user' | 'capabilities' | 'limits'>): string[] {
  const set = ['-all', ...capabilities.map((name) => `+${name}`)].join(',')
  const account = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []
  const own = user && capabilities.length > 0 ? [`--inh-caps=${set}`, `--ambient-caps=${set}`] : ['--inh-caps=-all']
  return [
    '/usr/bin/prlimit',
    '--core=0',
    ...Object.entries(limits).map(([name, limit]) => `--${name}=${limit}`),
    '--',
    '/usr/bin/setpriv',
    ...account,
    '--no-new-privs',
    ...own,
    `--bounding-set=${set}`,
    '--',
  ]
}
