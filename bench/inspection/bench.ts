// What inspection costs: traffic of the product without and with it, of a host with an exception, and of TLS that the engine handed
// back, beside a raw Suricata with the same signatures and a plain queue rule; and what it takes to load signatures.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileRules } from '../../server/src/areas/inspection/runs/compile.ts'
import { benchFolder } from '../folder.ts'
import type { BenchOptions } from '../options.ts'
import { against, grouped, median, plain, type Row } from '../table.ts'
import { InspectionLab } from './lab.ts'
import { ports } from './load.ts'

/** Like those that are published: a name, an address of a page, classes and references. */
const signatureOf = (index: number): string =>
  `alert http $HOME_NET any -> $EXTERNAL_NET any (msg:"BENCH host ${index}"; flow:established,to_server; ` +
  `http.host; content:"host-${index}.example.com"; fast_pattern; http.uri; content:"/page-${index % 97}"; ` +
  `reference:url,example.com/${index}; classtype:trojan-activity; sid:${5_000_000 + index}; rev:1; ` +
  'metadata:signature_severity Major, mitre_tactic_id TA0011;)'

const signatures = (count: number): string =>
  `${Array.from({ length: count }, (_, at) => signatureOf(at)).join('\n')}\n`

/** The rules of one channel with all of them, as the product makes them. */
async function ownRules(count: number): Promise<{ readonly text: string; readonly milliseconds: number }> {
  const folder = join(benchFolder(), 'compiled')
  const begun = performance.now()
  const { sha256 } = await compileRules({
    folder,
    kept: [],
    applications: [],
    mostBytes: 2 ** 30,
    texts: Buffer.from(signatures(count)),
    channels: [{ number: 1, rules: [{ id: 1, filters: [], action: 'default' }], denied: [] }],
  })
  const milliseconds = performance.now() - begun
  return { text: readFileSync(join(folder, `${sha256}.rules`), 'utf8'), milliseconds }
}

type Measure = () => Promise<number>

/** Medians of rounds in which all of them take turns; the first does not count. */
async function inTurns<K extends string>(
  measures: Readonly<Record<K, Measure>>,
  rounds: number,
): Promise<Record<K, number>> {
  const names = Object.keys(measures) as K[]
  const samples = new Map(names.map((name) => [name, [] as number[]]))
  for (let round = -1; round < rounds; round++)
    for (const name of names) {
      const value = await measures[name]()
      if (round >= 0) samples.get(name)?.push(value)
    }
  return Object.fromEntries(names.map((name) => [name, median(samples.get(name) ?? [])])) as Record<K, number>
}

const faster = (what: string, ours: number, other: number, name: string, unit: string): Row => {
  const shown = (value: number): string => `${grouped(Math.round(value))} ${unit}`
  return { ...plain(what, shown(ours)), raw: `${shown(other)} ${name}`, ratio: ours / other }
}

async function benchTraffic(raw: InspectionLab, own: InspectionLab, isQuick: boolean): Promise<Row[]> {
  const [rounds, milliseconds] = isQuick ? [1, 500] : [5, 2000]
  const rows: Row[] = []
  const compare = async (
    what: string,
    unit: string,
    run: (lab: InspectionLab, source: 'plain' | 'inspected' | 'excepted') => Promise<number>,
  ) => {
    const rates = await inTurns(
      {
        without: () => run(own, 'plain'),
        raw: () => run(raw, 'inspected'),
        ours: () => run(own, 'inspected'),
        excepted: () => run(own, 'excepted'),
      },
      rounds,
    )
    rows.push(
      faster(`${what}, inspected`, rates.ours, rates.raw, 'raw Suricata', unit),
      faster(`${what}, inspected`, rates.ours, rates.without, 'without inspection', unit),
      faster(`${what}, with an exception`, rates.excepted, rates.without, 'without inspection', unit),
    )
  }
  for (const flows of [1, 16])
    await compare(`${flows} ${flows === 1 ? 'connection' : 'connections'}`, 'MB/s', (lab, source) =>
      lab.take(source, ports.plain, flows, milliseconds),
    )
  await compare('new connections', '/s', (lab, source) => lab.connect(source, ports.short, milliseconds))
  const tls = await inTurns(
    {
      without: () => own.take('plain', ports.tls, 1, milliseconds),
      ours: () => own.take('inspected', ports.tls, 1, milliseconds),
    },
    rounds,
  )
  rows.push(
    faster('1 connection with TLS, in an inspected channel', tls.ours, tls.without, 'without inspection', 'MB/s'),
  )
  return rows
}

async function benchReload(raw: InspectionLab, own: InspectionLab, isQuick: boolean): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of isQuick ? [10, 1000] : [10, 40_000]) {
    const made = await ownRules(count)
    const times = await inTurns(
      { raw: () => raw.reload(signatures(count)), ours: () => own.reload(made.text) },
      isQuick || count > 1000 ? 1 : 5,
    )
    const loaded = await own.signatures()
    if (loaded < count) throw new Error(`only ${loaded} of ${count} signatures were loaded`)
    const name = `${grouped(count)} signatures`
    const [ownMemory, rawMemory] = [own.memory(), raw.memory()]
    rows.push(
      plain(`${name}: made for a channel`, `${made.milliseconds.toFixed(0)} ms`),
      against(`${name}: loaded by the running engine`, times.ours, times.raw, 'raw Suricata'),
      {
        ...plain(`${name}: memory of the engine`, `${ownMemory.toFixed(0)} MB`),
        raw: `${rawMemory.toFixed(0)} MB raw Suricata`,
        ratio: ownMemory / rawMemory,
      },
    )
  }
  return rows
}

export async function benchInspection({ isQuick }: BenchOptions): Promise<Row[]> {
  const few = await ownRules(10)
  using raw = await InspectionLab.open('plain', signatures(10))
  using own = await InspectionLab.open('own', few.text)
  return [...(await benchTraffic(raw, own, isQuick)), ...(await benchReload(raw, own, isQuick))]
}
