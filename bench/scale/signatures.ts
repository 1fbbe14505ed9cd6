// 40,000 signatures: reading the rule files beside reading the same bytes, and one filter over all of them.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signatureColumns } from '../../server/src/areas/intrusion-prevention/contract-signatures.ts'
import { createSignatureFiles } from '../../server/src/areas/intrusion-prevention/runs/signature-files.ts'
import { readJournalQuery } from '../../server/src/core/contract/table-query.ts'
import { benchFolder } from '../folder.ts'
import type { BenchOptions } from '../options.ts'
import { median, type Row } from '../table.ts'

const loadMilliseconds = 3_000
const filterMilliseconds = 50

export async function benchSignatures({ isQuick }: BenchOptions): Promise<Row[]> {
  const count = isQuick ? 4_000 : 40_000
  const rounds = isQuick ? 3 : 5
  const folder = join(benchFolder(), 'rules')
  mkdirSync(folder)
  const file = join(folder, 'many.rules')
  writeFileSync(file, Array.from({ length: count }, (_, index) => ruleOf(index)).join('\n'))
  const samples = { load: [] as number[], raw: [] as number[], filter: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    samples.raw.push(await milliseconds(async () => void readFileSync(file, 'utf8').split('\n').length))
    const files = createSignatureFiles({ folder, packageFolders: [] })
    samples.load.push(await milliseconds(() => files.refresh()))
    const { signatures } = files.current()
    if (signatures.length < count) throw new Error(`only ${signatures.length} rules: ${files.state().messages[0]}`)
    const items = [{ column_name: 'msg', operator: 'contains' as const, value: ['host 777'] }]
    const { matches } = readJournalQuery(signatureColumns, { filter: [{ items }] }, [], 0)
    samples.filter.push(await milliseconds(async () => void signatures.filter(matches).length))
  }
  const raw = median(samples.raw)
  return [
    row(`${count} signatures loaded`, median(samples.load), raw, loadMilliseconds),
    row(`${count} signatures filtered`, median(samples.filter), raw, filterMilliseconds),
  ]
}

const row = (what: string, ours: number, raw: number, limit: number): Row => ({
  what,
  ours: `${ours.toFixed(1)} ms`,
  raw: `${raw.toFixed(1)} ms`,
  ratio: ours / raw,
  aim: `less than ${limit} ms`,
  isMet: ours < limit,
})

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const ruleOf = (index: number): string =>
  `alert http $HOME_NET any -> $EXTERNAL_NET any (msg:"BENCH Suspicious host ${index}"; flow:established,to_server; ` +
  `http.host; content:"host-${index}.example.com"; bsize:${10 + (index % 50)}; fast_pattern; http.uri; ` +
  `pcre:"/^\\/[a-z]{${1 + (index % 9)},}\\.php$/"; reference:url,example.com/${index}; classtype:trojan-activity; ` +
  `sid:${5_000_000 + index}; rev:${1 + (index % 4)}; metadata:affected_product Any, attack_target Client_Endpoint, ` +
  'created_at 2026_01_01, deployment Perimeter, signature_severity Major, mitre_tactic_id TA0011, mitre_technique_id T1071;)'
