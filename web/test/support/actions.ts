// Counts what a person does on the way to a goal: a click, a chord of keys, a typed text and a dropped file are one action each. A path that takes
// more than the design says fails.

import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { ConsolePage } from './browser.ts'

export class Actions {
  readonly #page: Page
  readonly #done: string[] = []

  constructor({ page }: ConsolePage) {
    this.#page = page
  }

  get count(): number {
    return this.#done.length
  }

  async click(target: Locator, options: { readonly modifiers?: ('Alt' | 'Shift' | 'Control')[] } = {}): Promise<void> {
    this.#done.push(`click ${target}`)
    await target.click(options)
  }

  /** `Control+Enter`, `Alt+ArrowUp`; keys that follow each other as one chord are separated by a space: `g d`. */
  async press(chord: string): Promise<void> {
    this.#done.push(`press ${chord}`)
    for (const keys of chord.split(' ')) await this.#page.keyboard.press(keys)
  }

  /** Into what has the focus, or into a field that takes it first. A line that ends with Enter (`\n`) is one text. */
  async type(text: string, field?: Locator): Promise<void> {
    this.#done.push(`type ${text}`)
    if (field) await field.fill(text)
    else await this.#page.keyboard.type(text)
  }

  async drag(from: Locator, to: Locator): Promise<void> {
    this.#done.push(`drag ${from} to ${to}`)
    await from.dragTo(to)
  }

  /** A file from the desktop, dropped on a part of the page. */
  async drop(target: Locator, name: string, content: string): Promise<void> {
    this.#done.push(`drop ${name} on ${target}`)
    const dataTransfer = await this.#page.evaluateHandle(
      ([title, text]) => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([text], title))
        return transfer
      },
      [name, content] as const,
    )
    await target.dispatchEvent('dragover', { dataTransfer })
    await target.dispatchEvent('drop', { dataTransfer })
  }

  async choose(field: Locator, option: Locator): Promise<void> {
    this.#done.push(`choose ${option}`)
    await field.click()
    await option.click()
  }

  /** The goal is reached. */
  assertAtMost(limit: number, goal: string): void {
    const list = this.#done.map((action, at) => `${at + 1}. ${action}`).join('\n')
    assert.ok(this.count <= limit, `${goal} took ${this.count} actions and may take ${limit}:\n${list}`)
  }
}

/** Does it and holds it to its number of actions. */
export async function withinActions(
  page: ConsolePage,
  limit: number,
  goal: string,
  work: (actions: Actions) => Promise<void>,
): Promise<void> {
  const actions = new Actions(page)
  await work(actions)
  actions.assertAtMost(limit, goal)
}
