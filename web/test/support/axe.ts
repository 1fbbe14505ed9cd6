// Looks for barriers with axe-core. What is serious or critical fails; what is less is printed by the test that wants to see it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { ConsolePage } from './browser.ts'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** `within` is a selector for a part of the page, such as an open drawer. */
export async function findBarriers({ page }: ConsolePage, within = 'html'): Promise<readonly string[]> {
  // The browser's driver runs it, so that the policy of the page is not asked.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const options: RunOptions = { resultTypes: ['violations'], elementRef: false }
  const { violations } = await page.evaluate(
    ([part, given]) =>
      (window as unknown as { axe: { run(root: string, options: RunOptions): Promise<AxeResults> } }).axe.run(
        part,
        given,
      ),
    [within, options] as const,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, target, failureSummary = '' }) =>
        [`${id}: ${help}`, String(target), html.slice(0, 200), failureSummary.replaceAll('\n', ' ')].join('\n    '),
      ),
    )
}

export async function assertNoBarriers(page: ConsolePage, title: string, within?: string): Promise<void> {
  assert.deepEqual(await findBarriers(page, within), [], `barriers on ${title}`)
}
