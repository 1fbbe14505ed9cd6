// Other programs that set up the cards of the gateway: systemd-networkd, NetworkManager, ifupdown. Pure.

import type { Conflict } from '../../core/plan/artifacts.ts'
import { type SaidText, say } from '../../shared/said.ts'
import type { Readings } from './readings.ts'

export function describeInterfaces(readings: Readings): Conflict[] {
  const found = [...byNetworkd(readings), ...byNetworkManager(readings), ...byIfupdown(readings)]
  // Before that the machine needs them for its own addresses.
  const later = (fix: string): SaidText => say`When the gateway is set up: ${fix}`
  return readings.hasGateway ? found : found.map((one) => ({ ...one, severity: 'note', fix: later(one.fix) }))
}

const shared = ({ devices }: Readings, managed: readonly string[]): string[] =>
  managed.filter((device) => devices.includes(device) && /^[A-Za-z0-9_.-]+$/.test(device))

function byNetworkd(readings: Readings): Conflict[] {
  const devices = shared(readings, readings.networkd)
  if (devices.length === 0 || !readings.services['systemd-networkd.service']?.isActive) return []
  return [
    {
      code: 'network.networkd',
      severity: 'warning',
      title: say`${'systemd-networkd'} sets up ${devices.join(', ')} too`,
      detail: say`When it starts again, its addresses and routes replace those of the gateway for some seconds.`,
      fix: [
        `printf '[Match]\\nName=${devices.join(' ')}\\n[Link]\\nUnmanaged=yes\\n' > /etc/systemd/network/05-portcullis.network`,
        'networkctl reload',
        `networkctl reconfigure ${devices.join(' ')}`,
      ].join(' && '),
    },
  ]
}

function byNetworkManager(readings: Readings): Conflict[] {
  const devices = shared(readings, readings.networkManager)
  if (devices.length === 0 || !readings.services['NetworkManager.service']?.isActive) return []
  const names = devices.map((device) => `interface-name:${device}`).join(';')
  return [
    {
      code: 'network.networkmanager',
      severity: 'warning',
      title: say`${'NetworkManager'} sets up ${devices.join(', ')} too`,
      detail: say`It may ask a DHCP server for other addresses, and replace routes of the gateway.`,
      fix: [
        `printf '[keyfile]\\nunmanaged-devices=${names}\\n' > /etc/NetworkManager/conf.d/90-portcullis.conf`,
        'systemctl reload NetworkManager',
      ].join(' && '),
    },
  ]
}

function byIfupdown(readings: Readings): Conflict[] {
  const all = readings.ifupdown.filter(({ device }) => shared(readings, [device]).length > 0)
  const [first] = all
  const service = readings.services['networking.service']
  // What it did at this start of the machine is done.
  if (!first || !service?.isEnabled) return []
  const devices = [...new Set(all.map(({ device }) => device))]
  const files = [...new Set(all.map(({ file }) => file))]
  const isAsking = all.some(({ method }) => method === 'dhcp')
  return [
    {
      code: 'network.ifupdown',
      severity: isAsking ? 'warning' : 'note',
      title: say`The file ${files.join(' and ')} sets up ${devices.join(', ')} too`,
      detail: isAsking
        ? say`ifupdown runs a second DHCP client beside that of the gateway.`
        : say`At the start of the machine this does no harm. When networking.service is started later, it fails, because the addresses are there already.`,
      fix:
        all.length === readings.ifupdown.length
          ? 'systemctl disable networking.service'
          : say`Put # before the lines of ${devices.join(', ')} in ${files.join(' and ')}.`,
    },
  ]
}
