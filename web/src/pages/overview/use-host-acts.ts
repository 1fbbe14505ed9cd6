// What can be done about a host: keep its address, trace a packet of it, begin a rule for it; by button and by letter.

import { listLeases, staticLeases } from '@gateway/server/contract/dhcp'
import { forwardRules } from '@gateway/server/contract/firewall'
import { useEffect } from 'react'
import { useReview } from '../../api/apply.ts'
import { call } from '../../api/call.ts'
import { type Editing, useEditing } from '../../api/editing.ts'
import { useGo } from '../../place.ts'
import { loneLetterOf } from '../../ui/letter-key.ts'
import { t } from '../../words.ts'
import type { Host } from './use-host.ts'

export interface HostActs {
  readonly keep: () => void
  readonly trace: () => void
  readonly block: () => void
  readonly allow: () => void
  readonly leaseEditing: Editing
  readonly ruleEditing: Editing
}

export function useHostActs({ address, name, mac, isKeepable, keptTag }: Host): HostActs {
  const go = useGo()
  const review = useReview()
  const leaseEditing = useEditing('configure')
  const ruleEditing = useEditing('firewall')
  const keep = (): void =>
    review.open({
      title: t('Keep {address} for {name}', { address, name: name || mac }),
      calls: [
        {
          endpoint: staticLeases.create,
          body: { enabled: true, ip_address: address, mac: mac.toLowerCase(), comment: name },
          etag: keptTag,
        },
      ],
      reads: [staticLeases.list, listLeases],
    })
  /** Above all other rules, so that no earlier one decides. */
  const draft = async (action: 'accept' | 'drop'): Promise<void> => {
    const { data: rules } = await call(forwardRules.list, { isBackground: true })
    const first = (rules as readonly { readonly id: number }[])[0]
    go.open('policy/rules/forward/new', {
      source: address,
      action,
      ...(first ? { before: String(first.id) } : {}),
      comment: name,
    })
  }
  const trace = (): void => go.open('policy/tracer', { p: 'tcp', s: address })
  const block = (): void => void (ruleEditing.isAllowed ? draft('drop') : undefined)
  const allow = (): void => void (ruleEditing.isAllowed ? draft('accept') : undefined)
  useHostKeys({ keep: isKeepable && leaseEditing.isAllowed ? keep : null, trace, block, allow })
  return { keep, trace, block, allow, leaseEditing, ruleEditing }
}

interface HostKeys {
  readonly keep: (() => void) | null
  readonly trace: () => void
  readonly block: () => void
  readonly allow: () => void
}

const isOver = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[role="dialog"], [role="alertdialog"]') !== null

/** Single letters of the page, where nothing is typed. */
function useHostKeys({ keep, trace, block, allow }: HostKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isOver(event.target)) return
      const act = new Map([
        ['k', keep],
        ['t', trace],
        ['b', block],
        ['a', allow],
      ]).get(loneLetterOf(event))
      if (!act) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
}
