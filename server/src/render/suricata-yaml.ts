// The part of suricata.yaml that a plan decides: which networks are ours. applyd adds everything else, see
// applyd/engines/inspection/settings.ts, which goes on in the middle of the groups of addresses. No imports: applyd uses it too.

/** Where none is named, those that are never reached over the internet. */
const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
const networkForm = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{2,39})\/(?:[1-9]\d{0,2})$/
const mostNetworks = 1000

const head = ['%YAML 1.1', '---', 'vars:', '  address-groups:']

/** Networks as `address/length`. One that holds all addresses is left out: nothing would be outside. */
export function suricataSettings({ homeNetworks }: { readonly homeNetworks: readonly string[] }): string {
  const own = [...new Set(homeNetworks)].filter((network) => networkForm.test(network)).slice(0, mostNetworks)
  const networks = own.length === 0 ? privateNetworks : own
  return [...head, `    HOME_NET: "[${networks.join(',')}]"`, ''].join('\n')
}

/** Why the text is not one that `suricataSettings` writes; none when it is. */
export function suricataFaults(text: string): readonly string[] {
  const lines = text.split('\n')
  const home = /^ {4}HOME_NET: "\[([0-9a-f.:/,]{1,60000})\]"$/.exec(lines[head.length] ?? '')?.[1]?.split(',')
  const isOwn = lines.length === head.length + 2 && lines.at(-1) === '' && head.every((line, at) => line === lines[at])
  const isFine =
    isOwn && home !== undefined && home.length <= mostNetworks && home.every((one) => networkForm.test(one))
  return isFine ? [] : ['The file suricata.yaml may only say which networks are ours.']
}
