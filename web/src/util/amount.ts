// Sizes, rates and counts as people read them. Pure.

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const bitUnits = ['bit', 'kilobit', 'megabit', 'gigabit', 'terabit'] as const

function scaled(value: number, units: readonly string[], language: string, suffix = ''): string {
  const last = units.length - 1
  const power = value === 0 ? 0 : Math.min(last, Math.max(0, Math.floor(Math.log10(Math.abs(value)) / 3)))
  const amount = value / 1000 ** power
  const text = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: `${units[power]}${suffix}`,
    unitDisplay: 'short',
    maximumFractionDigits: power === 0 || Math.abs(amount) >= 100 ? 0 : 1,
  }).format(amount)
  return text
}

/** 1,500,000 is "1.5 MB": decimal, as disks and limits are. */
export const printBytes = (bytes: number, language: string): string => scaled(bytes, byteUnits, language)

/** The wire has bytes a second, people read bits. */
export const printRate = (bytesPerSecond: number, language: string): string =>
  // "Mb/s" is read as megabytes by too many.
  scaled(bytesPerSecond * 8, bitUnits, language, '-per-second').replace(/([kMGT])b\/s$/, '$1bit/s')

/** 9,982; from a million on 1.2M. */
export const printCount = (value: number, language: string): string =>
  Math.abs(value) < 1_000_000
    ? new Intl.NumberFormat(language).format(value)
    : new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value)

export const byteFactors = [
  { name: 'B', factor: 1 },
  { name: 'kB', factor: 1_000 },
  { name: 'MB', factor: 1_000_000 },
  { name: 'GB', factor: 1_000_000_000 },
] as const

/** The largest unit in which the size is a round number. */
export function splitBytes(bytes: number): { readonly amount: number; readonly factor: number } {
  const fit = byteFactors.findLast(({ factor }) => bytes >= factor && Number.isInteger((bytes / factor) * 10))
  const { factor } = bytes === 0 ? { factor: 1_000_000 } : (fit ?? byteFactors[0])
  return { amount: bytes / factor, factor }
}
