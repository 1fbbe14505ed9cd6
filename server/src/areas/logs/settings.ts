// What must hold of the collector of forwarded logs beyond the form of its address: it is another machine.

import { declareSettings } from '../../model/declarations.ts'
import { parseAddress, parseNetwork } from '../../net/ipv4.ts'
import { remoteSyslog } from './config.ts'
import type { RemoteSyslog } from './contract.ts'

/** This network, loopback, link-local, multicast and reserved (docs/behaviour/security.md 31). */
const unreachable = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'].flatMap(
  (text) => parseNetwork(text) ?? [],
)

const isMachine = (host: string): boolean => {
  const address = parseAddress(host)
  return address !== null && !unreachable.some(({ low, high }) => address >= low && address <= high)
}

export const remoteSyslogSettings = declareSettings<RemoteSyslog>({
  slot: remoteSyslog,
  noun: 'log forwarding settings',
  problemsOf: (_config, { host }) =>
    host === null || isMachine(host)
      ? []
      : [{ field: 'host', message: 'Must be the address of another machine, not a loopback or multicast address.' }],
})
