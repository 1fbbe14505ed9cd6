// Builds the lab's network: three namespaces joined by cables. The commands are made from data by a pure
// function; ip(8) runs them in a few batches because starting it for each line would cost most of the time.

import {
  dnsAddress,
  type LabNamespace,
  labCables,
  labNamespaces,
  labRoutes,
  rootServerAddresses,
  webAddress,
} from '../lab/network.ts'
import { runTool, toolPath } from './tools.ts'

export interface NetworkSteps {
  /** Run outside, before any namespace exists. */
  readonly create: readonly string[]
  /** Run inside one namespace each, in this order: a cable is laid from the end that comes first. */
  readonly inside: readonly { readonly namespace: LabNamespace; readonly lines: readonly string[] }[]
  readonly sysctls: readonly Sysctl[]
}

export interface Sysctl {
  readonly namespace: LabNamespace
  readonly path: string
  readonly value: string
}

export function planNetwork(): NetworkSteps {
  return {
    create: labNamespaces.map((name) => `netns add ${name}`),
    inside: labNamespaces.map((namespace) => ({
      namespace,
      lines: [...cableLines(namespace), ...addressLines(namespace)],
    })),
    sysctls: [
      // Lets the lab's servers take ports 53 and 80 without a single capability.
      { namespace: 'internet', path: 'ipv4/ip_unprivileged_port_start', value: '0' },
    ],
  }
}

function cableLines(namespace: LabNamespace): readonly string[] {
  return labCables
    .filter(([near]) => near.namespace === namespace)
    .map(
      ([near, far]) =>
        `link add ${near.name} address ${near.mac} type veth peer name ${far.name} address ${far.mac} netns ${far.namespace}`,
    )
}

function addressLines(namespace: LabNamespace): readonly string[] {
  const ends = labCables.flat().filter((end) => end.namespace === namespace)
  const servers = namespace === 'internet' ? [webAddress, dnsAddress, ...rootServerAddresses] : []
  return [
    'link set lo up',
    ...servers.map((address) => `address add ${address}/32 dev lo`),
    ...ends.flatMap(({ name, address }) =>
      address === null ? [] : [`address add ${address} dev ${name}`, `link set ${name} up`],
    ),
    ...labRoutes.filter((route) => route.namespace === namespace).map(({ to, via }) => `route add ${to} via ${via}`),
  ]
}

export function buildNetwork(): void {
  const { create, inside, sysctls } = planNetwork()
  // ip steps into each new namespace and back again. Back is a place that in a user namespace must be ours, and
  // the host's network is not: hence a throw-away network to start from.
  runTool('unshare', ['--net', '--', toolPath('ip'), '-batch', '-'], joinLines(create))
  for (const { namespace, lines } of inside) runTool('ip', ['-n', namespace, '-batch', '-'], joinLines(lines))
  for (const sysctl of sysctls) writeSysctl(sysctl)
}

/** /proc/sys/net shows the settings of the namespace of the process that opens it, hence the writer inside. */
function writeSysctl({ namespace, path, value }: Sysctl): void {
  const file = `/proc/sys/net/${path}`
  runTool('nsenter', [`--net=${namespacePath(namespace)}`, '--', toolPath('tee'), file], value)
}

export function namespacePath(namespace: LabNamespace): string {
  return `/run/netns/${namespace}`
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
