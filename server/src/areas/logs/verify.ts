// What must hold for the collector beyond the form of its address: it is another machine.

import type { Problem } from '../../contract/error.ts'
import { type Config, read } from '../../model/slots.ts'
import { parseAddress, parseNetwork } from '../../net/ipv4.ts'
import { remoteSyslog } from './config.ts'

/** This network, loopback, link-local, multicast and reserved (security requirement 31). */
const unreachable = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3']

export const isMachine = (host: string): boolean => {
  const address = parseAddress(host)
  if (address === null) return false
  return !unreachable.some((text) => {
    const network = parseNetwork(text)
    return network !== null && address >= network.low && address <= network.high
  })
}

export const hostProblems = (host: string | null): Problem[] =>
  host === null || isMachine(host)
    ? []
    : [{ field: 'host', message: 'Must be the address of another machine, not of loopback, multicast or the like.' }]

export const verify = (config: Config): Problem[] =>
  hostProblems(read(config, remoteSyslog).host).map(({ field, message }) => ({
    field: `${remoteSyslog.key}.${field}`,
    message,
  }))
