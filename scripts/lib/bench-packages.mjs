// The Debian packages that each part of `npm run bench` needs beside the runtime: nothing that was not asked for is installed.

import { labPackages, readEnginePackages } from './packages.mjs'

const named = (names) => labPackages.filter(({ name }) => names.includes(name))

/** Network namespaces with rules, without a gateway in them. */
const rooms = [
  ...named(['iproute2', 'nftables', 'netbase', 'mount']),
  { name: 'procps', file: 'sysctl', purpose: 'kernel settings in the rooms of the bench' },
]
const dig = readEnginePackages(undefined, 'dns').tests.filter(({ file }) => file === 'dig')
const strace = { name: 'strace', file: 'strace', purpose: 'counts what applyd asks of the kernel' }
const logEngines = [
  { name: 'ripgrep', file: 'rg', purpose: 'a search in plain files, to compare with' },
  {
    name: 'clickhouse-server',
    file: 'clickhouse-server',
    units: ['clickhouse-server.service'],
    purpose: 'a log server, to compare with',
  },
]

/** By part; a part of `firewall` has its own name below it. */
export const benchPackages = {
  requests: [],
  changes: [],
  start: labPackages,
  scale: labPackages,
  logs: logEngines,
  signatures: [],
  categories: [],
  firewall: [...labPackages, ...rooms, strace],
  dhcp: labPackages,
  dns: [...labPackages, ...dig],
  sessions: [...labPackages, ...rooms],
  filter: [...rooms, ...readEnginePackages(undefined, 'web-filter').use],
  inspection: [...rooms, ...readEnginePackages(undefined, 'inspection').use],
}

/** Of the parts that the arguments name, or of all; a name that no part has is refused later. */
export function packagesOfBench(args) {
  const asked = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.split('/')[0])
  const parts = asked.length === 0 ? Object.keys(benchPackages) : asked
  const all = parts.flatMap((part) => benchPackages[part] ?? [])
  return [...new Map(all.map((one) => [`${one.name} ${one.file}`, one])).values()]
}
