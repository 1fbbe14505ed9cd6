// What the gateway knows of one host now: its lease, its user, its device, its sessions and their rates.

import { listSessions } from '@gateway/server/contract/authorization'
import { listDevices } from '@gateway/server/contract/device-discovery'
import { listLeases, staticLeases } from '@gateway/server/contract/dhcp'
import { traffic } from '@gateway/server/contract/monitor'
import { useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { useSession } from '../../api/session.ts'
import type { Pause } from '../../ui/use-pause.ts'

export type Host = ReturnType<typeof useHost>

export function useHost(address: string, pause: Pause) {
  const { may } = useSession()
  const { data: leases } = useRead(listLeases, pause.every(10_000))
  const { data: kept } = useRead(staticLeases.list)
  const { data: users } = useRead(listSessions, pause.every(10_000))
  const { data: devices } = useRead(listDevices, pause.every(30_000))
  const sessions = useRead(traffic.sessions, { isEnabled: may('reports'), ...pause.every(2_000) })
  const lease = leases?.data.find(({ ip_address }) => ip_address === address)
  const fixed = kept?.data.find(({ ip_address }) => ip_address === address)
  const device = devices?.data.find(({ ip }) => ip === address)
  const own = useMemo(
    () =>
      (sessions.data?.data ?? []).filter(
        ({ source_ip, destination_ip }) => source_ip === address || destination_ip === address,
      ),
    [sessions.data, address],
  )
  const mac = lease?.mac ?? device?.mac ?? ''
  return {
    address,
    name: lease?.hostname || device?.hostname || '',
    mac,
    lease,
    /** Its static lease. */
    fixed,
    /** It has an address that is not kept yet. */
    isKeepable: mac !== '' && fixed === undefined && lease?.static !== true,
    keptTag: kept?.etag ?? null,
    user: users?.data.find(({ ip }) => ip === address),
    device,
    sessions,
    own,
    rates: ratesOf(own, address),
  }
}

interface SessionRates {
  readonly source_ip: string
  readonly bps_in: number
  readonly bps_out: number
}

const ratesOf = (sessions: readonly SessionRates[], address: string): { readonly in: number; readonly out: number } =>
  sessions.reduce(
    (sum, one) => {
      const isSource = one.source_ip === address
      return {
        in: sum.in + (isSource ? one.bps_in : one.bps_out),
        out: sum.out + (isSource ? one.bps_out : one.bps_in),
      }
    },
    { in: 0, out: 0 },
  )
