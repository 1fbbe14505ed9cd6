// What can be seen of this machine without a gateway, for gw doctor.

import { readdirSync, readlinkSync } from 'node:fs'

/** Cards of this machine, where no gateway says which are its: nothing that a program made. */
export const readCards = (): string[] =>
  readdirSync('/sys/class/net').filter(
    (name) => name !== 'lo' && !/^(?:docker|veth|br-|virbr|vnet|cni|flannel|cali|tun|tap|wg|ifb|dummy)/.test(name),
  )

/** Whether this process sees the network of the machine, and not that of a lab. */
export function isHostNetwork(): boolean {
  const first = linkOf('/proc/1/ns/net')
  return first === '' || first === linkOf('/proc/self/ns/net')
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
