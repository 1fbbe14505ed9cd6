// What a machine is, as lines that can be compared: its files, units, rules, kernel settings, addresses and routes.

import assert from 'node:assert/strict'
import { until } from '../support/until.ts'

/** Any kind of machine. */
interface Looked {
  run(argv: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }>
}

export type Snapshot = Readonly<Record<string, readonly string[]>>

/** What any use of a machine changes: logs, caches, and what apt and dpkg write about what they did. */
const unrelated = [
  '/proc',
  '/sys',
  '/dev',
  '/run',
  '/tmp',
  '/var/tmp',
  '/var/log',
  '/var/cache',
  '/var/lib/apt',
  '/root',
  '/var/lib/systemd/random-seed',
  '/var/lib/systemd/timers',
  '/var/lib/systemd/catalog',
  '/var/lib/dpkg/status',
  '/var/lib/dpkg/status-old',
  '/var/lib/dpkg/available-old',
  '/var/lib/dpkg/lock',
  '/var/lib/dpkg/lock-frontend',
  '/var/lib/dpkg/triggers',
  '/var/lib/dpkg/diversions-old',
  '/etc/.pwd.lock',
  // The copies that tools for accounts make of the file before.
  '/etc/passwd-',
  '/etc/group-',
  '/etc/shadow-',
  '/etc/gshadow-',
  '/etc/subuid-',
  '/etc/subgid-',
]
const found = `find / -xdev ${unrelated.map((path) => `-path ${path} -prune -o`).join(' ')}`

const questions: Readonly<Record<string, string>> = {
  files: `${found} -printf '%p %y %m %u:%g %l\\n'`,
  'contents of /etc': `${found} -path '/etc/*' -type f -exec sha256sum {} +`,
  accounts: 'getent passwd; getent group',
  'unit files': 'systemctl list-unit-files --no-legend --no-pager --plain',
  'running units': 'systemctl list-units --no-legend --no-pager --plain --state=running,listening | cut -d " " -f 1',
  'failed units': 'systemctl list-units --no-legend --no-pager --plain --state=failed | cut -d " " -f 1',
  rules: 'nft --stateless list ruleset',
  'kernel settings': 'sysctl -a 2>/dev/null | grep "^net\\."',
  addresses: 'ip -o address show scope global | sed "s/^[0-9]*: //; s/ valid_lft.*//"',
  'routing rules': 'ip rule; ip -6 rule',
  routes: 'ip route show table all',
  'control groups': 'find /sys/fs/cgroup -name "portcullis*"',
  queues: 'tc qdisc show',
  links: 'ip -o link show | cut -d " " -f 2 | cut -d @ -f 1',
  listeners: 'ss -lntuH | tr -s " " | cut -d " " -f 1,5',
}

/** An empty answer is not one: systemd was too busy to give one, for example. */
const neverEmpty = ['files', 'contents of /etc', 'accounts', 'unit files', 'running units', 'addresses', 'links']
/** systemctl gives up after 25 s otherwise, and an emulated machine takes longer to read all units. */
const patience = 'export SYSTEMD_BUS_TIMEOUT=30min'

/** Settings that count, or that the kernel changes by itself. */
const volatile = /nf_conntrack_count|\.random|tcp_fastopen_key|route\.gc_|neigh\.|nf_log|netfilter\.nf_hooks/

/** Taken when the kernel has ended its look for double addresses: a link-local address has its route from then on. */
export async function takeSnapshot(machine: Looked): Promise<Snapshot> {
  await until('every address is in use', async () => {
    const { stdout } = await machine.run(['ip', '-6', 'address', 'show', 'tentative'])
    return stdout === ''
  })
  const snapshot: Record<string, readonly string[]> = {}
  for (const [name, command] of Object.entries(questions)) {
    const { stdout, stderr } = await machine.run(['/bin/sh', '-c', `${patience}; ${command}`])
    const lines = stdout.split('\n').map((line) => line.trimEnd())
    snapshot[name] = lines.filter((line) => line !== '' && !(name === 'kernel settings' && volatile.test(line))).sort()
    assert.ok(snapshot[name].length > 0 || !neverEmpty.includes(name), `No ${name}: ${stderr}`)
  }
  return snapshot
}

/** What differs, a line each. Kernel settings that exist only since a module was loaded are not a difference. */
export function differences(before: Snapshot, after: Snapshot): readonly string[] {
  return Object.keys(before).flatMap((name) => {
    const [old, now] = [new Set(before[name]), new Set(after[name])]
    const gone = [...old].filter((line) => !now.has(line)).map((line) => `${name}: no longer ${line}`)
    const keys = new Set([...old].map(keyOf))
    const come = [...now]
      .filter((line) => !old.has(line) && (name !== 'kernel settings' || keys.has(keyOf(line))))
      .map((line) => `${name}: now ${line}`)
    return [...gone, ...come]
  })
}

const keyOf = (line: string): string => line.split(' = ')[0] ?? ''
