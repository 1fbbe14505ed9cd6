// The path of a spark: from 0 at the foot to the largest value at the top, with gaps where there is none.

export function sparkPath(values: readonly (number | null)[], width: number, height: number): string {
  const most = Math.max(...values.map((value) => value ?? 0), 0)
  const step = values.length > 1 ? (width - 2) / (values.length - 1) : 0
  let isDown = false
  const parts = values.flatMap((value, index) => {
    if (value === null) {
      isDown = false
      return []
    }
    const x = 1 + index * step
    const y = most === 0 ? height - 1 : 1 + (1 - value / most) * (height - 2)
    const command = `${isDown ? 'L' : 'M'}${round(x)} ${round(y)}`
    isDown = true
    return [command]
  })
  return parts.join('')
}

const round = (value: number): number => Math.round(value * 10) / 10
