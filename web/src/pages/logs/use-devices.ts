// Devices of the gateway as people and rules name them: the titles and ids of their connections, where the role may read them.

import { connections, showStates } from '@gateway/server/contract/network'
import { useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { useSession } from '../../api/session.ts'

export interface Devices {
  /** The title of the connection; the device itself when it is not known. */
  readonly titleOf: (device: string) => string
  /** As rules name it: `interface.id.1`. */
  readonly idOf: (device: string) => string
}

export function useDevices(): Devices {
  const { may } = useSession()
  const isEnabled = may('view')
  const { data: states } = useRead(showStates, { isEnabled })
  const { data: titles } = useRead(connections.list, { isEnabled })
  return useMemo(() => {
    const byId = new Map(titles?.data.map(({ id, title }) => [id, title]))
    const ids = new Map(states?.data.map(({ id, summary }) => [summary.device, id]))
    return {
      titleOf: (device) => byId.get(ids.get(device) ?? -1) ?? device,
      idOf: (device) => (ids.has(device) ? `interface.id.${ids.get(device)}` : ''),
    }
  }, [states, titles])
}
