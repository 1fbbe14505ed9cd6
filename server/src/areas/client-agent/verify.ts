// What must hold of the settings of the client agent as a whole. Certificates are judged when they are sent, in
// routes-certificate.ts: one that expires later must not stand in the way of other changes.

import type { Problem } from '../../contract/error.ts'
import { type Config, read } from '../../model/slots.ts'
import { settings } from './config.ts'
import type { AgentSettings } from './contract.ts'

export const settingsProblems = ({ device_vpn, trusted_ca_cert }: AgentSettings): Problem[] =>
  device_vpn && trusted_ca_cert === null
    ? [{ field: 'trusted_ca_cert', message: 'A trusted certificate is needed to let devices connect.' }]
    : []

export const verify = (config: Config): Problem[] =>
  settingsProblems(read(config, settings)).map(({ field, message }) => ({ field: `${settings.key}.${field}`, message }))
