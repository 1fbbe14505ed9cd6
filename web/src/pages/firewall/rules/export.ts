// Rules as a file that the browser saves: the rows that are shown, with their hits in CSV.

import type { ObjectIndex } from '../../../util/objects.ts'
import { readHits } from './counters.ts'
import { exportCsv, exportJson } from './exchange.ts'
import type { Rule, RuleTable } from './tables.ts'

export async function saveRules(
  table: RuleTable,
  rules: readonly Rule[],
  index: ObjectIndex,
  form: 'csv' | 'json',
): Promise<void> {
  const text = form === 'json' ? exportJson(rules) : exportCsv(table, rules, index, await readHits(table.name))
  const type = form === 'json' ? 'application/json' : 'text/csv;charset=utf-8'
  // Spreadsheets take a file for UTF-8 only with this mark.
  saveFile(`${table.name}-rules.${form}`, new Blob(form === 'csv' ? ['\uFEFF', text] : [text], { type }))
}

function saveFile(name: string, blob: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
