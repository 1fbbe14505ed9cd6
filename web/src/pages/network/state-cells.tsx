// Cells of a connection that show what the machine makes of it now.

import { showAggregatedStates, showStates, showTunnelStates } from '@gateway/server/contract/network'
import type { ReactNode } from 'react'
import { useRead } from '../../api/reads.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words.ts'
import styles from './network.module.css'

const everyMs = 5_000

const useState = (id: number) => useRead(showStates, { everyMs }).data?.data.find((one) => one.id === id)

const marks = { up: 'active', 'going-up': 'activating', down: 'inactive' } as const

export function LinkCell({ id, isOn }: { readonly id: number; readonly isOn: boolean }): ReactNode {
  const state = useState(id)
  if (!state) return null
  const { ether, ppp } = state
  const { status } = ppp ?? ether
  const errors = [...ether.errors, ...(ppp?.errors ?? [])]
  if (errors.length > 0) {
    return (
      <Status state="failed">
        <PlainText text={errors.join(' ')} limit={120} />
      </Status>
    )
  }
  const words = { up: t('Up'), 'going-up': t('Going up'), down: isOn ? t('Down') : t('Off') }
  return <Status state={status === 'down' && isOn ? 'warning' : marks[status]}>{words[status]}</Status>
}

export function AddressCell({ id }: { readonly id: number }): ReactNode {
  const state = useState(id)
  return <span className={styles.mono}>{state?.summary.addresses.join(', ') ?? ''}</span>
}

export function WayCell({ id }: { readonly id: number }): ReactNode {
  const state = useState(id)
  return <span className={styles.mono}>{state?.summary.gateway ?? ''}</span>
}

export function DeviceCell({ id }: { readonly id: number }): ReactNode {
  const state = useState(id)
  const device = state?.summary.device ?? ''
  const tag = state?.ether.vlan_tag ?? null
  return <span className={styles.mono}>{tag === null || device.includes('.') ? device : `${device} VLAN ${tag}`}</span>
}

interface CellProps {
  readonly id: string
  readonly isOn: boolean
}

export function AggregatedCell({ id, isOn }: CellProps): ReactNode {
  const link = useRead(showAggregatedStates, { everyMs }).data?.data.find((one) => one.id === id)?.link
  return link ? <LinkWord link={link} isOn={isOn} /> : null
}

export function TunnelCell({ id, isOn }: CellProps): ReactNode {
  const link = useRead(showTunnelStates, { everyMs }).data?.data.find((one) => one.id === id)?.link
  return link ? <LinkWord link={link} isOn={isOn} /> : null
}

function LinkWord({ link, isOn }: { readonly link: 'up' | 'down' | 'inactive'; readonly isOn: boolean }): ReactNode {
  if (link === 'up') return <Status state="active">{t('Up')}</Status>
  if (!isOn) return <Status state="inactive">{t('Off')}</Status>
  return <Status state="warning">{link === 'down' ? t('Down') : t('Its interface is not there')}</Status>
}
