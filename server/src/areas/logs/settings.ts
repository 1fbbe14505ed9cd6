// What must hold of the collector of forwarded logs beyond the form of its address: it is another machine, and TLS needs TCP.

import type { Problem } from '../../core/contract/error.ts'
import { declareSettings } from '../../core/model/declarations.ts'
import { read } from '../../core/model/slots.ts'
import { faultOfKey, nameIn, readCertificates } from '../../shared/net/certificate.ts'
import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'
import { remoteSyslog, remoteSyslogTls } from './config.ts'
import type { RemoteSyslog, RemoteSyslogTls } from './contract.ts'

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
  reads: [remoteSyslogTls],
  problemsOf: (config, { host, protocol }) => [
    ...(host === null || isMachine(host)
      ? []
      : [
          { field: 'host', message: say`Must be the address of another machine, not a loopback or multicast address.` },
        ]),
    ...(protocol === 'udp' && read(config, remoteSyslogTls).enabled
      ? [{ field: 'protocol', message: say`Must be tcp while TLS is enabled. Disable TLS first to send over UDP.` }]
      : []),
  ],
})

const maxAuthorities = 20

export const remoteSyslogTlsSettings = declareSettings<RemoteSyslogTls>({
  slot: remoteSyslogTls,
  noun: 'TLS settings of log forwarding',
  reads: [remoteSyslog],
  problemsOf: (config, { enabled, ca_certificate }) => [
    ...(enabled && read(config, remoteSyslog).protocol === 'udp'
      ? [{ field: 'enabled', message: say`TLS needs TCP. Set the protocol of forwarding to tcp first.` }]
      : []),
    ...(ca_certificate === null ? [] : authorityProblems(ca_certificate)),
  ],
})

/** Whether one has expired is left to the connection: it must not prevent other changes. */
function authorityProblems(pem: string): Problem[] {
  const known = readCertificates(pem, maxAuthorities)
  if ('fault' in known) return [{ field: 'ca_certificate', message: known.fault }]
  const { certificates } = known
  return certificates.flatMap((certificate, index) => {
    const fault = faultOfKey(certificate)
    return fault === null
      ? []
      : [{ field: 'ca_certificate', message: say`${nameIn(index, certificates.length)} ${fault}` }]
  })
}
