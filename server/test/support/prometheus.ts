// A strict reader of the text exposition format 0.0.4: whatever a real server could refuse or read otherwise is an error here.

export interface ReadFamily {
  readonly help: string
  readonly type: string
  readonly samples: Map<string, number>
}

const name = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const value = '(?:[+-]?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)|NaN|[+-]Inf)'
const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
const sampleForm = new RegExp(`^(${name})(?:\\{(${label}(?:,${label})*)\\})? (${value})$`)

/** Samples by their name and labels as printed. */
export function readMetrics(text: string): Map<string, ReadFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, ReadFamily>()
  let help: RegExpExecArray | null = null
  let current: ReadFamily | null = null
  for (const line of text.slice(0, -1).split('\n')) {
    const isHelp = new RegExp(`^# HELP (${name}) ((?:[^\\\\]|\\\\\\\\|\\\\n)*)$`).exec(line)
    const isType = new RegExp(`^# TYPE (${name}) (gauge|counter)$`).exec(line)
    if (isHelp) {
      if (families.has(isHelp[1] ?? '')) throw new Error(`a family appears twice: ${line}`)
      help = isHelp
      current = null
      continue
    }
    if (isType) {
      if (help?.[1] !== isType[1]) throw new Error(`a type without its help: ${line}`)
      current = { help: help?.[2] ?? '', type: isType[2] ?? '', samples: new Map() }
      families.set(isType[1] ?? '', current)
      continue
    }
    const sample = sampleForm.exec(line)
    if (!sample) throw new Error(`not a sample: ${line}`)
    const [, family = '', labels = '', number = ''] = sample
    if (!current || families.get(family) !== current) throw new Error(`a sample outside of its family: ${line}`)
    const names = [...labels.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="(?:[^"\\]|\\.)*"/g)].map(([, one]) => one)
    if (new Set(names).size !== names.length) throw new Error(`a label appears twice: ${line}`)
    const key = labels === '' ? family : `${family}{${labels}}`
    if (current.samples.has(key)) throw new Error(`a sample appears twice: ${line}`)
    current.samples.set(key, Number(number.replace('Inf', 'Infinity')))
    if (current.type === 'counter' && !family.endsWith('_total')) throw new Error(`a counter without _total: ${line}`)
  }
  for (const [family, { samples }] of families) if (samples.size === 0) throw new Error(`${family} has no sample`)
  return families
}
