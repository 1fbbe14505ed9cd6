// The text exposition format 0.0.4 of Prometheus: families of samples with labels. Names come from our own code and are
// checked; values of labels may be any text and are escaped.

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  readonly samples: readonly Sample[]
}

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

const nameForm = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const labelForm = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/

/** Families without samples are left out: a scraper would not know them from zero. */
export const printMetrics = (families: readonly MetricFamily[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(printFamily)
    .join('')

function printFamily({ name, help, type, samples }: MetricFamily): string {
  if (!nameForm.test(name)) throw new Error(`${name} is not a valid name of a metric`)
  const lines = samples.map(({ labels = {}, value }) => `${name}${printLabels(labels)} ${printValue(value)}`)
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}

function printLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels)
  for (const [label] of pairs) if (!labelForm.test(label)) throw new Error(`${label} is not a valid name of a label`)
  return pairs.length === 0 ? '' : `{${pairs.map(([label, text]) => `${label}="${escapeText(text)}"`).join(',')}}`
}

function printValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeText = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')
