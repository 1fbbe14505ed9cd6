// The budget beside what was found, as a table.

import { inColumns } from '../table.ts'
import { type Found, type Numbers, toleranceOf } from './numbers.ts'

const heading = ['operation', 'count', 'budget', 'found', 'tolerance'] as const

export function printComparison(numbers: Numbers, found: Found): string {
  const rows = Object.entries(found).flatMap(([operation, counts]) =>
    Object.entries(counts).map(([count, value]) => {
      const tolerance = toleranceOf(operation, count)
      const most = numbers[operation]?.[count]?.most
      return [operation, count, `${most ?? 'none'}`, `${value}`, tolerance === 0 ? 'exact' : `${tolerance * 100} %`]
    }),
  )
  return inColumns(heading, rows).join('\n')
}
