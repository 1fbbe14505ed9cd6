// What applyd read of the machine as text, as data: services, sockets, rules of others, other managers, AppArmor. conflicts.ts
// judges it. Pure.

import { join } from 'node:path'
import type { EngineData } from '../../core/engine/engine.ts'
import type { Conflict, UnitObservation } from '../../core/plan/artifacts.ts'
import type { HeldSocket, MachineReport, MachineTexts } from '../../core/plan/machine.ts'
import { readProfiles } from './apparmor.ts'
import { judge } from './conflicts.ts'
import { readTable } from './foreign-rules.ts'
import { emptyReadings, type HeldPort, type Readings, type ServiceState } from './readings.ts'
import { packageUnits, watchedPorts } from './watched.ts'

/** Of a machine with a gateway. */
export const findConflicts = (report: MachineReport | null, engines: readonly EngineData[]): Conflict[] =>
  report === null
    ? []
    : judge({
        ...readTexts(report, report.stateDir, engines, report.units),
        app: report.app,
        missingLimits: report.missingLimits,
      })

/** `units` is null where nothing is known about them. */
export function readTexts(
  texts: MachineTexts,
  stateDir: string,
  engines: readonly EngineData[],
  units: readonly UnitObservation[] | null,
): Readings {
  const { devices, files } = texts
  const textOf = (path: string): string => files[path] ?? ''
  const ports = watchedPorts(engines, units)
  const isWatched = ({ protocol, port }: HeldSocket): boolean =>
    ports.some((one) => one.protocol === protocol && one.port === port)
  const common = {
    ...emptyReadings,
    stateDir,
    devices,
    ports,
    held: readHeld(texts.held.filter(isWatched), parseSockets(texts.sockets), stateDir),
    tables: texts.tables.map(({ family, name, listing }) => readTable(family, name, parseJson(listing ?? ''))),
    profiles: readProfiles(stateDir, textOf),
  }
  if (texts.plane !== 'host') return common
  const isSetUpBy = (folder: string, device: string, form: RegExp, unmanaged: readonly string[]): boolean => {
    const number = textOf(`/sys/class/net/${device}/ifindex`).trim()
    const state = form.exec(textOf(join(folder, number)))?.[1]
    return state !== undefined && !unmanaged.includes(state)
  }
  return {
    ...common,
    services: parseServices(texts.services),
    packageUnits: packageUnits(engines),
    legacyPolicies: parsePolicies(texts.legacy),
    isUfwEnabled: /^[ \t]*ENABLED=["']?yes/im.test(textOf('/etc/ufw/ufw.conf')),
    nftablesConfiguration: textOf('/etc/nftables.conf'),
    resolver: {
      servers: [...textOf('/etc/resolv.conf').matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)].map(
        ([, server = '']) => server,
      ),
      hasStub: hasStub(textsOf(files, /\/systemd\/resolved\.conf(?:$|\.d\/.*\.conf$)/).map(([, text]) => text)),
    },
    networkd: devices.filter((device) =>
      isSetUpBy('/run/systemd/netif/links', device, /^ADMIN_STATE=(\w+)/m, unmanagedByNetworkd),
    ),
    networkManager: devices.filter((device) =>
      isSetUpBy('/run/NetworkManager/devices', device, /^managed=(\w+)/m, unmanagedByManager),
    ),
    ifupdown: textsOf(files, /^\/etc\/network\/interfaces(?:$|\.d\/)/).flatMap(([file, text]) =>
      parseInterfaces(text).map((stanza) => ({ ...stanza, file })),
    ),
  }
}

const unmanagedByNetworkd = ['unmanaged', 'pending', 'initialized', 'linger']
const unmanagedByManager = ['false']

const textsOf = (files: MachineTexts['files'], form: RegExp): [path: string, text: string][] =>
  Object.entries(files).filter(([path]) => form.test(path))

export function parseServices(text: string): Record<string, ServiceState> {
  const blocks = text
    .split('\n\n')
    .map((block) => Object.fromEntries(block.split('\n').map((line) => split(line, '='))))
  return Object.fromEntries(
    blocks
      .filter(({ Id, LoadState }) => Id !== undefined && LoadState !== 'not-found' && LoadState !== 'masked')
      .map(({ Id, ActiveState = '', UnitFileState = '' }) => [
        Id,
        {
          isActive: ['active', 'activating', 'reloading'].includes(ActiveState),
          isEnabled: UnitFileState.startsWith('enabled'),
        },
      ]),
  )
}

function split(line: string, separator: string): [string, string] {
  const at = line.indexOf(separator)
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + separator.length)]
}

const readHeld = (held: readonly HeldSocket[], units: ReadonlyMap<string, string>, stateDir: string): HeldPort[] =>
  held.map(({ holder, ...listener }) => {
    const unit = units.get(listener.inode) ?? null
    const owner = ownerOf(holder?.mark ?? '', unit, `${join(stateDir, 'applyd')}:`, holder !== null)
    return { ...listener, pid: holder?.pid ?? null, program: holder?.program ?? null, unit, owner }
  })

function ownerOf(found: string, unit: string | null, mark: string, isHolderKnown: boolean): HeldPort['owner'] {
  if (found !== '') return found.startsWith(mark) ? 'ours' : 'other'
  if (unit?.startsWith('portcullis')) return 'ours'
  return unit !== null || isHolderKnown ? 'foreign' : 'unknown'
}

const unitForm = /^[A-Za-z0-9_][A-Za-z0-9_.@:-]*\.service$/

/** The services of systemd that opened sockets, by socket: the kernel remembers the group of processes, also for others. */
export function parseSockets(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const line of text.split('\n')) {
    const inode = /\bino:(\d+)/.exec(line)?.[1]
    // The first service on the way: below it everyone whom it was given to names groups as they like.
    const unit = /\bcgroup:(\S+)/
      .exec(line)?.[1]
      ?.split('/')
      .find((name) => name.endsWith('.service'))
    if (inode !== undefined && unit !== undefined && unitForm.test(unit)) found.set(inode, unit)
  }
  return found
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const parsePolicies = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^-P (FORWARD|INPUT) ([A-Z]+)$/gm)].map(([, chain = '', policy = '']) => [chain, policy]),
  )

/** The last line decides. */
export function hasStub(texts: readonly string[]): boolean {
  const values = texts.flatMap((text) => [...text.matchAll(/^[ \t]*DNSStubListener[ \t]*=[ \t]*(\S+)/gim)])
  return !/^(?:no|false|0|off)$/i.test(values.at(-1)?.[1] ?? 'yes')
}

export const parseInterfaces = (text: string): { device: string; method: string }[] =>
  [...text.matchAll(/^[ \t]*iface[ \t]+(\S+)[ \t]+\S+[ \t]+(\S+)/gm)]
    .map(([, device = '', method = '']) => ({ device, method }))
    .filter(({ device, method }) => device !== 'lo' && method !== 'manual')
