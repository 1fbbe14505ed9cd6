// Seconds until something happens by itself. The gateway's number is the truth; the clock here only draws between its answers.

import { useEffect, useState } from 'react'
import { t } from '../words.ts'
import styles from './countdown.module.css'

export interface CountdownProps {
  readonly secondsLeft: number
}

export function Countdown({ secondsLeft }: CountdownProps) {
  const [end, setEnd] = useState(() => performance.now() + secondsLeft * 1000)
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    setEnd(performance.now() + secondsLeft * 1000)
    setNow(performance.now())
  }, [secondsLeft])
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 250)
    return () => clearInterval(timer)
  }, [])
  const left = Math.max(0, Math.ceil((end - now) / 1000))
  return (
    <span
      className={styles.countdown}
      role="timer"
      aria-label={t('{count, plural, one {# second left} other {# seconds left}}', { count: left })}
    >
      {clockOf(left)}
    </span>
  )
}

function clockOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`
}
