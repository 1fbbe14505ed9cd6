// Numbers of charts as people read them, and ticks at round values.

import { currentLanguage, msg, t } from '../words.ts'

const prefixes = { en: ['', 'k', 'M', 'G', 'T', 'P'], ru: ['', 'к', 'М', 'Г', 'Т', 'П'] } as const

/** Units as the interface names them, in the words of people. */
const unitWords: Readonly<Record<string, string>> = {
  percent: '%',
  bytes: msg('B'),
  'bit/s': msg('bit/s'),
  s: msg('s'),
  'packets/s': msg('packets/s'),
  connections: msg('connections'),
  sessions: msg('sessions'),
  users: msg('users'),
}
/** Only a symbol takes the prefix of a thousand. */
const isSymbol = (unit: string): boolean => ['', 'bytes', 'bit/s', 's'].includes(unit)

/** Beside an axis there is room for a symbol only. */
export const tickNumber = (value: number, unit: string): string =>
  value === 0 ? '0' : shortNumber(value, isSymbol(unit) || unit === 'percent' ? unit : '')

/** Such as `412 Mbit/s`, with three significant digits. */
export function shortNumber(value: number, unit = ''): string {
  const language = currentLanguage()
  const steps = prefixes[language]
  let size = Math.abs(value)
  let step = 0
  while (size >= 999.5 && step < steps.length - 1) {
    size /= 1000
    step++
  }
  const digits = size >= 99.5 || Number.isInteger(size) ? 0 : size >= 9.95 ? 1 : 2
  const text = trimmed((Math.sign(value) * size).toFixed(digits))
  const prefix = steps[step] ?? ''
  const tail = `${prefix}${prefix === '' || isSymbol(unit) ? '' : ' '}${t(unitWords[unit] ?? unit)}`
  const number = language === 'ru' ? text.replace('.', ',') : text
  return tail === '' ? number : `${number} ${tail}`
}

const trimmed = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)

/** The next round number of 1, 2, 5 times a power of ten. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const lead = value / power
  return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power
}

/** Moves labels apart that would overlap, keeping their order; all stay between 0 and `height`. */
export function spread(places: readonly number[], gap: number, height: number): readonly number[] {
  const order = places.map((place, index) => ({ place, index })).toSorted((a, b) => a.place - b.place)
  let least = gap / 2
  for (const one of order) {
    one.place = Math.max(one.place, least)
    least = one.place + gap
  }
  let most = height - gap / 2
  for (const one of order.toReversed()) {
    one.place = Math.min(one.place, most)
    most = one.place - gap
  }
  return order.toSorted((a, b) => a.index - b.index).map(({ place }) => place)
}
