// What others may use of the VPN: the settings of its network.

export { settings as vpnSettings } from './config.ts'
