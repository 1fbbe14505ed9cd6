// What must hold of the settings of the client agent. The validity period of a certificate is checked when it is sent, in
// routes.ts: one that expires later must not prevent other changes.

import { declareSettings } from '../../core/model/declarations.ts'
import { say } from '../../shared/said.ts'
import { settings } from './config.ts'
import type { AgentSettings } from './contract.ts'
import { faultOfTrust } from './trust.ts'

export const agentServerSettings = declareSettings<AgentSettings>({
  slot: settings,
  noun: 'client agent settings',
  problemsOf: (_config, { device_vpn, trusted_ca_cert }) => {
    const fault =
      trusted_ca_cert !== null
        ? faultOfTrust(trusted_ca_cert)
        : device_vpn
          ? say`Required while devices can connect. Send the certificate that devices are verified by.`
          : null
    return fault === null ? [] : [{ field: 'trusted_ca_cert', message: fault }]
  },
})
