// A time relative to now, with the exact one in the gateway's zone on hover.

import { useEffect, useState } from 'react'
import { currentLanguage, t } from '../words.ts'
import { exactOf, instantOf, type Moment, relativeOf, staleAfter } from './moment.ts'
import { useGatewayZone } from './zone.ts'

export interface TimeProps extends Moment {
  /** The exact time in the text, as in a log. */
  readonly isExact?: boolean
}

export function Time({ unix, iso, stamp, isExact = false }: TimeProps) {
  const zone = useGatewayZone()
  const instant = instantOf({ unix, iso, stamp })
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (instant === null || isExact) return
    const timer = setTimeout(() => setNow(Date.now()), staleAfter(instant, now))
    return () => clearTimeout(timer)
  }, [instant, now, isExact])
  if (instant === null) return <span className="muted">{t('never')}</span>
  const exact = exactOf(instant, currentLanguage(), zone)
  return (
    <time dateTime={new Date(instant).toISOString()} title={exact}>
      {isExact ? exact : relativeOf(instant, now, currentLanguage())}
    </time>
  )
}
