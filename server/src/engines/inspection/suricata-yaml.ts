// The part of suricata.yaml that a plan decides: which networks are ours, and what happens to packets for which the engine has no memory. applyd adds everything else, see
// engines/inspection/applyd/settings.ts, which goes on in the middle of the groups of addresses. No imports: applyd uses it too.

/** Of IPv6, which no one can name. */
const privateNetworks6 = ['fc00::/7', 'fe80::/10']
/** Where none is named, those that are never reached over the internet. */
const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']
const networkForm = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{2,39})\/(?:[1-9]\d{0,2})$/
const mostNetworks = 1000

/** The setting is for the whole engine; what it is not to be for is set by applyd. */
const headOf = (isBlocking: boolean): string[] => [
  '%YAML 1.1',
  '---',
  `exception-policy: ${isBlocking ? 'drop-packet' : 'ignore'}`,
  'vars:',
  '  address-groups:',
]

export interface SuricataInput {
  /** As `address/length`. One that holds all addresses is left out: nothing would be outside. */
  readonly homeNetworks: readonly string[]
  /** Packets for which the engine has no memory are dropped; otherwise they pass without inspection. */
  readonly isBlocking?: boolean
}

export function suricataSettings({ homeNetworks, isBlocking = false }: SuricataInput): string {
  const own = [...new Set(homeNetworks)].filter((network) => networkForm.test(network)).slice(0, mostNetworks)
  const networks = [
    ...(own.length === 0 ? privateNetworks : own),
    ...privateNetworks6.filter((one) => !own.includes(one)),
  ]
  return [...headOf(isBlocking), `    HOME_NET: "[${networks.join(',')}]"`, ''].join('\n')
}

const network = networkForm.source.slice(1, -1)
const ownPattern = [
  '^%YAML 1\\.1',
  '---',
  'exception-policy: (?:drop-packet|ignore)',
  'vars:',
  ' {2}address-groups:',
  ` {4}HOME_NET: "\\[${network}(?:,${network}){0,${mostNetworks - 1}}\\]"`,
  '$',
].join('\n')

/** What `suricataSettings` writes and nothing else. */
export const suricataForm = {
  whole: new RegExp(ownPattern, 'u'),
  fault: 'The file suricata.yaml may only say which networks are ours, and what happens without memory.',
} as const
