// Reads a time of day as people type it: 9, 930, 9:30, 09:30.

const pad = (value: number): string => String(value).padStart(2, '0')

/** As HH:MM; null when there is no such time. */
export function readTimeOfDay(text: string): string | null {
  const match = /^\s*(\d{1,2}):?(\d{2})?\s*$/.exec(text)
  if (match === null) return null
  const hour = Number(match[1])
  const minute = Number(match[2] ?? 0)
  return hour < 24 && minute < 60 ? `${pad(hour)}:${pad(minute)}` : null
}
