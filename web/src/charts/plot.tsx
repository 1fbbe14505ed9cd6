// The drawing of lines on a canvas by uPlot: colours from the tokens, names at the end of the lines, gaps as gaps.

import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { shortNumber, spread, tickNumber } from './scale.ts'
import './plot.css'
import type { Aligned } from './align.ts'
import { lastValue } from './align.ts'
import { clockOf, momentOf } from './clock.ts'
import styles from './plot.module.css'
import type { Series } from './types.ts'

export interface PlotProps {
  readonly series: readonly Series[]
  readonly data: Aligned
  readonly height: number
  readonly onTime?: ((unix: number) => void) | undefined
}

interface Colours {
  readonly series: readonly string[]
  readonly text: string
  readonly line: string
}

const labelRoom = 84
const labelGap = 14
const font = '11px Geist, system-ui, sans-serif'

export function Plot({ series, data, height, onTime }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const latest = useRef({ series, data, onTime })
  latest.current = { series, data, onTime }
  const theme = useThemeTick()
  const [at, setAt] = useState<{ readonly index: number; readonly left: number } | null>(null)
  const shape = series.map(({ name, unit }) => `${name}\n${unit}`).join('\n\n')

  // biome-ignore lint/correctness/useExhaustiveDependencies: other names, units or colours need another plot, new values do not
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const options = optionsOf(series, coloursOf(element), element.clientWidth, height, {
      onHover: (index, left) => setAt(index === null ? null : { index, left }),
      dataOf: () => latest.current.data,
    })
    const made = new uPlot(options, toPlotData(data), element)
    plot.current = made
    const click = () => {
      const time =
        made.cursor.idx === null || made.cursor.idx === undefined
          ? undefined
          : latest.current.data.times[made.cursor.idx]
      if (time !== undefined) latest.current.onTime?.(time)
    }
    made.over.addEventListener('click', click)
    if (onTime !== undefined) made.over.dataset.clickable = ''
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height })
    })
    watcher.observe(element)
    return () => {
      watcher.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [shape, height, theme])

  useEffect(() => {
    plot.current?.setData(toPlotData(data))
  }, [data])

  const time = at === null ? undefined : data.times[at.index]
  return (
    <div ref={place} className={styles.plot}>
      {at === null || time === undefined ? null : (
        <div className={styles.tip} style={tipPlace(at.left, place.current?.clientWidth ?? 0)}>
          <div className={styles.moment}>{momentOf(time)}</div>
          {series.map((one, index) => {
            const value = data.values[index]?.[at.index] ?? null
            return (
              <div key={one.name} className={styles.line}>
                <span>{one.name}</span>
                <span>{value === null ? '–' : shortNumber(value, one.unit)}</span>
              </div>
            )
          })}
        </div>
      )}
    </div>
  )
}

const tipPlace = (left: number, width: number) =>
  left > width / 2 ? { right: width - left + 12 } : { left: left + 12 }

const toPlotData = ({ times, values }: Aligned): uPlot.AlignedData =>
  [[...times], ...values.map((one) => [...one])] as uPlot.AlignedData

interface Hooks {
  readonly onHover: (index: number | null, left: number) => void
  readonly dataOf: () => Aligned
}

function optionsOf(
  series: readonly Series[],
  colours: Colours,
  width: number,
  height: number,
  { onHover, dataOf }: Hooks,
): uPlot.Options {
  const unit = series[0]?.unit ?? ''
  const isNamed = series.length > 1
  return {
    width: Math.max(width, 50),
    height,
    padding: [8, isNamed ? labelRoom : 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: true }, y: { range: (_, __, most) => [0, niceTop(most)] } },
    axes: [
      {
        stroke: colours.text,
        font,
        grid: { show: false },
        ticks: { show: false },
        size: 24,
        gap: 4,
        space: 80,
        values: (_, ticks) => {
          const span = (ticks.at(-1) ?? 0) - (ticks[0] ?? 0)
          return ticks.map((tick) => clockOf(tick, span))
        },
      },
      {
        stroke: colours.text,
        font,
        grid: { stroke: colours.line, width: 1 },
        ticks: { show: false },
        size: 68,
        gap: 6,
        space: 36,
        values: (_, ticks) => ticks.map((tick) => tickNumber(tick, unit)),
      },
    ],
    series: [
      {},
      ...series.map((one, index) => ({
        label: one.name,
        stroke: colours.series[index] ?? colours.text,
        width: 1.5,
        spanGaps: false,
        points: { show: false },
      })),
    ],
    hooks: {
      draw: [(made) => (isNamed ? drawNames(made, series, colours, dataOf()) : undefined)],
      setCursor: [(made) => onHover(made.cursor.idx ?? null, (made.cursor.left ?? 0) + made.over.offsetLeft)],
    },
  }
}

const niceTop = (most: number | null): number => (most === null || most <= 0 ? 1 : most * 1.08)

/** The name of each line at its end, so that no colour must be looked up. */
function drawNames(made: uPlot, series: readonly Series[], colours: Colours, data: Aligned): void {
  const ratio = devicePixelRatio
  const ends = series.map((_, index) => lastValue(data.values[index] ?? []))
  const places = spread(
    ends.map((value) => made.valToPos(value ?? 0, 'y')),
    labelGap,
    made.bbox.height / ratio,
  )
  const { ctx } = made
  ctx.save()
  ctx.font = `${11 * ratio}px Geist, system-ui, sans-serif`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  for (const [index, one] of series.entries()) {
    if (ends[index] === null) continue
    ctx.fillStyle = colours.series[index] ?? colours.text
    const name = one.name.length > 13 ? `${one.name.slice(0, 12)}…` : one.name
    ctx.fillText(name, made.bbox.left + made.bbox.width + 6 * ratio, made.bbox.top + (places[index] ?? 0) * ratio)
  }
  ctx.restore()
}

/** The tokens as the browser resolves them here, since a canvas does not know custom properties. */
function coloursOf(element: HTMLElement): Colours {
  const probe = document.createElement('span')
  probe.className = styles.probe ?? ''
  element.append(probe)
  const read = (token: string): string => {
    probe.style.color = `var(${token})`
    return getComputedStyle(probe).color
  }
  const colours = {
    series: [1, 2, 3, 4, 5, 6].map((index) => read(`--series-${index}`)),
    text: read('--text-3'),
    line: read('--line-1'),
  }
  probe.remove()
  return colours
}

/** Counts changes of the theme, by the system or by the person. */
function useThemeTick(): number {
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const next = () => setTick((now) => now + 1)
    const system = matchMedia('(prefers-color-scheme: dark)')
    const choice = new MutationObserver(next)
    system.addEventListener('change', next)
    choice.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      system.removeEventListener('change', next)
      choice.disconnect()
    }
  }, [])
  return tick
}
