// The Debian packages that each part of `npm run bench` needs beside the runtime: nothing that was not asked for is installed.

import { ensurePackages, findMissing, labPackages, readEnginePackages } from './packages.mjs'

const named = (names) => labPackages.filter(({ name }) => names.includes(name))

/** Network namespaces with rules, without a gateway in them. */
const rooms = [
  ...named(['iproute2', 'nftables', 'netbase', 'mount']),
  { name: 'procps', file: 'sysctl', purpose: 'kernel settings in the rooms of the bench' },
]
const dig = readEnginePackages(undefined, 'dns').tests.filter(({ file }) => file === 'dig')
const strace = { name: 'strace', file: 'strace', purpose: 'counts what applyd asks of the kernel' }
/** Without one of these its rows are left out, and the part goes on. */
const logEngines = [
  { name: 'ripgrep', file: 'rg', purpose: 'a search in plain files, to compare with', isOptional: true },
  {
    name: 'clickhouse-server',
    file: 'clickhouse-server',
    units: ['clickhouse-server.service'],
    purpose: 'a log server, to compare with',
    isOptional: true,
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

/** Of `npm run budget`, which counts and takes no times. */
export const budgetPackages = [...labPackages, strace]

/** The groups of parts that the arguments name, or all; a name that no part has is refused later. */
function groupsOf(args) {
  const asked = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.split('/')[0])
  return asked.length === 0 ? Object.keys(benchPackages) : asked.filter((part) => part in benchPackages)
}

const once = (packages) => [...new Map(packages.map((one) => [`${one.name} ${one.file}`, one])).values()]

export const packagesOfBench = (args) => once(groupsOf(args).flatMap((part) => benchPackages[part]))

/**
 * Installs what each part needs, part by part, so that one that cannot be had keeps no other part from being measured. Returns the
 * parts that lack something, and why, in the words of apt where it said any.
 */
export function prepareBench(args, { skip, ensure = ensurePackages, missing = findMissing }) {
  const lacking = {}
  // Who installs packages themselves measures with what is there.
  if (skip) return lacking
  for (const part of new Set(groupsOf(args))) {
    const complaints = ensure(once(benchPackages[part]), { skip: false })
    const left = missing(once(benchPackages[part])).filter(({ isOptional = false }) => !isOptional)
    if (left.length === 0) continue
    lacking[part] = [`not installed: ${left.map(({ name }) => name).join(', ')}`, ...complaints].join('. ')
  }
  return lacking
}
