// Looks for barriers with axe-core. What is serious or critical fails; what is less is printed by the test that wants to see it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { ConsolePage } from './browser.ts'

interface Axe {
  readonly _audit: { readonly rules: readonly { readonly id: string; readonly impact: string }[] }
  run(context: { include: string[]; exclude: string[] }, options: RunOptions): Promise<AxeResults>
}

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules whose findings would not fail are not run, and our pages have no frames and load no style from elsewhere. */
const options: RunOptions = { resultTypes: ['violations'], elementRef: false, preload: false, iframes: false }

/**
 * `within` is a selector for a part of the page, such as an open drawer; `without` are parts that were looked at before and have not
 * changed.
 */
export async function findBarriers(
  { page }: ConsolePage,
  within = 'html',
  without: readonly string[] = [],
): Promise<readonly string[]> {
  // The browser's driver runs it, so that the policy of the page is not asked.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const { violations } = await page.evaluate(
    ([include, exclude, given]) => {
      // Cast: the script above defines it. What it says about its rules has no types.
      const { axe } = window as unknown as { axe: Axe }
      const slight = axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate')
      const rules = Object.fromEntries(slight.map(({ id }) => [id, { enabled: false }]))
      return axe.run({ include: [include], exclude: [...exclude] }, { ...given, rules })
    },
    [within, without, options] as const,
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
