// The VPN servers, and the script that sets a client up.

import { accessOverview, powershell, vpnSettings, vpnStatus } from '@gateway/server/contract/vpn'
import { action, read, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  endpoints: vpnSettings,
  confirmWithin: 90,
  groups: [
    { title: msg('Addresses of clients'), fields: ['network', 'zone', 'dns_suffix'] },
    { title: msg('Protocols'), fields: ['pptp_enabled', 'sstp'] },
    { title: msg('Flow export'), fields: ['netflow_index'] },
  ],
  fields: {
    pptp_enabled: { label: 'PPTP' },
    sstp: { label: 'SSTP' },
    dns_suffix: { label: msg('DNS suffix') },
    netflow_index: { label: msg('Index of the interface') },
  },
  reads: [
    read({ endpoint: vpnStatus, title: msg('State') }),
    read({ endpoint: accessOverview.vpns, title: msg('Kinds of VPN in the access rules') }),
    read({ endpoint: accessOverview.factors, title: msg('Second factors in the access rules') }),
    read({ endpoint: powershell.status, title: msg('Connection scripts') }),
  ],
  actions: [
    action({
      endpoint: powershell.sstp,
      title: msg('Script for Windows'),
      text: msg('Sets up an SSTP connection on a Windows computer.'),
      button: msg('Download'),
      isDownload: true,
      fileName: 'sstp.ps1',
    }),
  ],
})
