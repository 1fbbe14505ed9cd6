// What of the machine gets in the way of the gateway, in the words of the administrator, each with the exact commands that
// repair it. Pure: read-texts.ts reads what applyd saw.

import type { Conflict } from '../../core/plan/artifacts.ts'
import { oneLine } from '../../engines/kit/text.ts'
import { say } from '../../shared/said.ts'
import type { ForeignTable } from './foreign-rules.ts'
import { describeInterfaces } from './other-managers.ts'
import type { HeldPort, Readings, WatchedPort } from './readings.ts'

const severities: readonly Conflict['severity'][] = ['fault', 'warning', 'note']

/** The worst first. */
export function judge(readings: Readings): Conflict[] {
  const found = [
    ...judgePorts(readings),
    ...judgeResolver(readings),
    ...judgeRules(readings),
    ...judgeServices(readings),
    ...describeInterfaces(readings),
    ...judgeProfiles(readings),
    ...judgeLimits(readings),
  ]
  const sorted = found.toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity))
  // Two odd names can give the same code, which names one thing.
  return sorted.filter(({ code }, at) => sorted.findIndex((one) => one.code === code) === at)
}

const resolved = 'systemd-resolved.service'
const stubAddresses = ['127.0.0.53', '127.0.0.54']
const isOn = (readings: Readings, service: string): boolean => readings.services[service]?.isActive === true

const stubFix = [
  'mkdir -p /etc/systemd/resolved.conf.d',
  "printf '[Resolve]\\nDNSStubListener=no\\n' > /etc/systemd/resolved.conf.d/portcullis.conf",
  'systemctl restart systemd-resolved',
  'ln -sf /run/systemd/resolve/resolv.conf /etc/resolv.conf',
].join(' && ')

/** TCP and UDP of one port are one finding. */
function judgePorts({ ports, held }: Readings): Conflict[] {
  return [...Map.groupBy(ports, ({ port }) => port).values()].flatMap((same) => {
    const others = held.filter((one) => same.some((port) => isForeign(one, port)) && !isStub(one))
    const [[port], [first]] = [same.filter((one) => others.some((other) => isSamePort(other, one))), others]
    return port && first ? [portConflict(port, first, others)] : []
  })
}

const isSamePort = (one: HeldPort, { protocol, port }: WatchedPort): boolean =>
  one.protocol === protocol && one.port === port

/** A socket that nothing is known about is that of our engine while the engine runs. */
function isForeign(one: HeldPort, port: WatchedPort): boolean {
  if (!isSamePort(one, port) || one.owner === 'ours') return false
  return one.owner !== 'unknown' || port.state !== 'running'
}

const isStub = ({ address, port, unit, program }: HeldPort): boolean =>
  port === 53 &&
  stubAddresses.includes(address) &&
  (unit === resolved || program === null || /^systemd-resolve/.test(program))

function portConflict(port: WatchedPort, first: HeldPort, others: readonly HeldPort[]): Conflict {
  const who = first.owner === 'other' ? say`another gateway on this machine` : nameOf(first)
  const places = [...new Set(others.map(({ address }) => address))].slice(0, 4).join(', ')
  const detail = {
    running: say`Both run beside each other: on ${places} ${who} answers, and not the ${port.title} of the gateway.`,
    failed: say`The ${port.title} of the gateway cannot have it, and does not work.`,
    off: say`The ${port.title} of the gateway is off. It cannot work beside ${who} when it is switched on.`,
    unknown: say`The ${port.title} of the gateway cannot work beside it.`,
  }[port.state]
  const severity = { running: 'fault', failed: 'fault', off: 'note', unknown: 'warning' } as const
  const stop =
    first.owner === 'other'
      ? say`Stop the other gateway.`
      : first.unit?.endsWith('.service') && !first.unit.startsWith('user@')
        ? `systemctl disable --now ${first.unit}`
        : say`Stop the program ${programOf(first.program ?? say`that holds the port`, first.pid)}, and what starts it.`
  return {
    code: `port.${port.port}`,
    severity: severity[port.state],
    title: say`Port ${port.port} (${[...new Set(others.map(({ protocol }) => protocol))].join(', ')}) is held by ${who}`,
    detail,
    fix: stop,
  }
}

function nameOf({ unit, program, pid }: HeldPort): string {
  if (unit !== null) return unit
  return program === null ? say`another program` : programOf(program, pid)
}

const programOf = (program: string, pid: number | null): string =>
  pid === null ? program : say`${program} (process ${pid})`

function judgeResolver(readings: Readings): Conflict[] {
  const { held, ports, resolver } = readings
  const dns = ports.filter(({ port }) => port === 53)
  const stub = held.some((one) => one.owner !== 'ours' && isStub(one))
  const isFailed = dns.some(({ state }) => state === 'failed')
  const found: Conflict[] = []
  if (stub && dns.length > 0)
    found.push({
      code: 'resolved.stub',
      severity: dns.every(({ state }) => state === 'off') ? 'note' : isFailed ? 'fault' : 'warning',
      title: say`systemd-resolved holds port 53 on 127.0.0.53`,
      detail: isFailed
        ? say`The DNS server of the gateway cannot have port 53, and does not work.`
        : say`The DNS server of the gateway cannot start beside it.`,
      fix: stubFix,
    })
  else if (isOn(readings, resolved) && resolver.hasStub && dns.length > 0)
    found.push({
      code: 'resolved.stub',
      severity: 'warning',
      title: say`systemd-resolved runs without its port, and would take port 53 at the next start of the machine`,
      detail: say`The DNS server of the gateway was first this time. When systemd-resolved is first, it does not work.`,
      fix: stubFix,
    })
  const isStubAnswered = held.some(
    ({ port, address }) => port === 53 && ['0.0.0.0', '127.0.0.53', '::'].includes(address),
  )
  if (!stub && resolver.servers.includes('127.0.0.53') && !isStubAnswered)
    found.push({
      code: 'resolver.file',
      severity: 'warning',
      title: say`This machine asks 127.0.0.53 for names, and nothing answers there`,
      detail: say`The file /etc/resolv.conf names the stub of systemd-resolved, which does not listen.`,
      fix: "rm -f /etc/resolv.conf && printf 'nameserver 127.0.0.1\\n' > /etc/resolv.conf",
    })
  return found
}

const knownMakers = new Set(['ufw', 'firewalld', 'docker'])

/** Who made a table, by what is in it. */
function makerOf({ family, name, chains }: ForeignTable): { readonly key: string; readonly name: string } {
  if (name === 'firewalld') return { key: 'firewalld', name: 'firewalld' }
  if (chains.some((chain) => chain.startsWith('ufw'))) return { key: 'ufw', name: 'ufw' }
  if (chains.some((chain) => chain.startsWith('DOCKER'))) return { key: 'docker', name: 'Docker' }
  if (chains.some((chain) => chain.startsWith('LIBVIRT'))) return { key: 'libvirt', name: 'libvirt' }
  const key = `${family}-${name}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60)
  return { key, name: say`the table ${family} ${oneLine(name)}` }
}

function judgeRules(readings: Readings): Conflict[] {
  const byMaker = Map.groupBy(readings.tables, (table) => JSON.stringify(makerOf(table)))
  const found = [...byMaker].flatMap(([key, tables]) => {
    const maker = JSON.parse(key) as ReturnType<typeof makerOf>
    const effects = tables.flatMap((table) => table.effects)
    if (tables.some(({ isRead }) => !isRead)) return [unreadConflict(maker)]
    return effects.length === 0 ? [] : [rulesConflict(maker, tables, readings)]
  })
  const legacy = Object.entries(readings.legacyPolicies).filter(([, policy]) => policy === 'DROP')
  if (legacy.length === 0) return found
  const chains = legacy.map(([chain]) => chain)
  return [
    ...found,
    {
      code: 'rules.legacy',
      severity: 'fault',
      title: say`Old rules of iptables drop all packets in ${chains.join(' and ')}`,
      detail: say`They are in the older interface of the kernel, which nft does not show. What our rules accept is dropped there.`,
      fix: chains.map((chain) => `iptables-legacy -P ${chain} ACCEPT`).join(' && '),
    },
  ]
}

const unreadConflict = ({ key, name }: ReturnType<typeof makerOf>): Conflict => ({
  code: `rules.${key}`,
  severity: 'note',
  title: say`The rules of ${name} are too many to be read`,
  detail: say`They may drop packets that the rules of the gateway accept.`,
  fix: say`Remove them, if the gateway is to decide alone.`,
})

function rulesConflict(
  maker: ReturnType<typeof makerOf>,
  tables: readonly ForeignTable[],
  readings: Readings,
): Conflict {
  const effects = tables.flatMap((table) => table.effects)
  const all = effects.filter(({ drops }) => drops === 'all')
  const hooks = (all.length > 0 ? all : effects).map(({ hook }) => hook)
  const [isPassing, isReaching] = [hooks.includes('forward'), hooks.includes('input')]
  const what =
    isPassing && isReaching
      ? say`what passes through the gateway and what reaches the gateway itself`
      : isPassing
        ? say`what passes through the gateway`
        : say`what reaches the gateway itself`
  const isFault = all.some(({ hook }) => hook === 'forward')
  return {
    code: `rules.${maker.key}`,
    severity: isFault ? 'fault' : all.length > 0 ? 'warning' : 'note',
    title:
      all.length > 0
        ? say`The rules of ${maker.name} drop ${what}`
        : say`The rules of ${maker.name} may drop some of ${what}`,
    detail: knownMakers.has(maker.key)
      ? say`A packet must pass the rules of both: what they drop is lost, even where the gateway accepts it.`
      : say`A packet must pass the rules of both: what they drop is lost, even where the gateway accepts it. Remove them also from what loads them.`,
    fix: rulesFix(maker.key, tables, readings),
  }
}

function rulesFix(key: string, tables: readonly ForeignTable[], readings: Readings): string {
  if (key === 'ufw') return 'ufw disable'
  if (key === 'firewalld') return 'systemctl disable --now firewalld.service'
  if (key === 'docker') {
    const programs = [...new Set(tables.map(({ family }) => (family === 'ip6' ? 'ip6tables' : 'iptables')))]
    const now = programs.map((program) => `${program} -I DOCKER-USER -j ACCEPT`)
    if (!isOn(readings, 'docker.service')) return programs.map((program) => `${program} -P FORWARD ACCEPT`).join(' && ')
    const lines = programs.map((program) => `ExecStartPost=/usr/sbin/${program} -I DOCKER-USER -j ACCEPT\\n`).join('')
    return [
      ...now,
      'mkdir -p /etc/systemd/system/docker.service.d',
      `printf '[Service]\\n${lines}' > /etc/systemd/system/docker.service.d/portcullis.conf`,
      'systemctl daemon-reload',
    ].join(' && ')
  }
  const [table] = tables
  if (table && table.name === 'filter' && ['ip', 'ip6'].includes(table.family)) {
    const program = table.family === 'ip6' ? 'ip6tables' : 'iptables'
    const saved = isInUse(readings, 'netfilter-persistent.service') ? ' && netfilter-persistent save' : ''
    return `${program} -P FORWARD ACCEPT && ${program} -P INPUT ACCEPT && ${program} -F${saved}`
  }
  // A name of the kernel may hold anything: only a plain one is shown as part of a command, which is copied into a shell.
  if (!table || !/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(table.name))
    return say`Remove the table by its handle, which "nft -a list tables" shows.`
  return `nft delete table ${table.family} ${table.name}`
}

const isInUse = ({ services }: Readings, name: string): boolean =>
  services[name]?.isActive === true || services[name]?.isEnabled === true

function judgeServices(readings: Readings): Conflict[] {
  const made = new Set(readings.tables.map((table) => makerOf(table).key))
  const found: Conflict[] = []
  if (isInUse(readings, 'nftables.service'))
    found.push({
      code: 'service.nftables',
      severity: 'warning',
      title: say`nftables.service removes the rules of the gateway when it starts and stops`,
      detail: /flush ruleset/.test(readings.nftablesConfiguration)
        ? say`The file /etc/nftables.conf begins with "flush ruleset". The gateway restores its rules within a moment.`
        : say`It runs "nft flush ruleset" when it stops. The gateway restores its rules within a moment.`,
      fix: 'systemctl disable --now nftables.service',
    })
  if (isInUse(readings, 'netfilter-persistent.service'))
    found.push({
      code: 'service.netfilter-persistent',
      severity: 'note',
      title: say`netfilter-persistent.service loads other rules at every start of the machine`,
      detail: say`What they drop is lost, even where the gateway accepts it.`,
      fix: 'systemctl disable --now netfilter-persistent.service',
    })
  if (readings.isUfwEnabled && !made.has('ufw'))
    found.push({
      code: 'rules.ufw',
      severity: 'warning',
      title: say`ufw is enabled, and will drop what passes through the gateway from the next start of the machine on`,
      detail: say`Its rules are not in the kernel now. The file /etc/ufw/ufw.conf says ENABLED=yes.`,
      fix: 'ufw disable',
    })
  if (isInUse(readings, 'firewalld.service') && !made.has('firewalld'))
    found.push({
      code: 'rules.firewalld',
      severity: 'warning',
      title: say`firewalld is switched on, and drops what passes through the gateway when its rules are loaded`,
      detail: say`Its rules are not in the kernel now.`,
      fix: 'systemctl disable --now firewalld.service',
    })
  for (const unit of readings.packageUnits.filter((name) => isOn(readings, name)))
    if (!readings.held.some((one) => one.unit === unit))
      found.push({
        code: `service.${unit.replace(/\.service$/, '')}`,
        severity: 'note',
        title: say`${unit} runs beside the gateway`,
        detail: say`It came with a package that the gateway uses. The gateway starts the program itself, and does not need the service.`,
        fix: `systemctl disable --now ${unit}`,
      })
  return found
}

function judgeProfiles({ profiles, stateDir, app, ports }: Readings): Conflict[] {
  const isDnsOff = ports.some(({ port, state }) => port === 53 && state === 'off')
  return profiles
    .filter(({ isEnforced, hasAddition }) => isEnforced && !hasAddition)
    .map(({ name, program, title }) => ({
      code: `apparmor.${name}`,
      severity: program === '/usr/sbin/unbound' && !isDnsOff ? ('fault' as const) : ('warning' as const),
      title: say`AppArmor keeps the ${title} from its files`,
      detail: say`The profile of ${program} is enforced and does not allow ${stateDir}, so the ${title} cannot read its settings.`,
      fix: `sh ${app}/deploy/debian/apparmor.sh add ${stateDir}`,
    }))
}

function judgeLimits({ missingLimits }: Readings): Conflict[] {
  if (missingLimits === null) return []
  return [
    {
      code: 'limits.engines',
      severity: 'note',
      title: say`Engines have no separate limits of memory and processor time`,
      detail: say`${missingLimits} One engine that is overloaded can slow down all others.`,
      fix: say`Start the machine with control groups of version 2 (the default of Debian), and the gateway by its service.`,
    },
  ]
}
