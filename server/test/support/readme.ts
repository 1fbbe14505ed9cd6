// The README as data: its fenced blocks by section, each line with what its comment promises.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { appRoot } from '../../src/tools/launcher/layout.ts'

export interface ReadmeLine {
  readonly text: string
  /** Empty: there is none. */
  readonly comment: string
}

export interface ReadmeBlock {
  /** The heading above it. */
  readonly section: string
  readonly lines: readonly ReadmeLine[]
}

export const readReadme = (): string => readFileSync(join(appRoot, 'README.md'), 'utf8')

export function blocksOf(markdown: string): ReadmeBlock[] {
  const blocks: ReadmeBlock[] = []
  let section = ''
  let lines: ReadmeLine[] | null = null
  for (const row of markdown.split('\n')) {
    if (row.startsWith('```')) {
      if (lines) blocks.push({ section, lines })
      lines = lines ? null : []
    } else if (lines) {
      if (row.trim() !== '') lines.push(lineOf(row))
    } else if (row.startsWith('## ')) section = row.slice(3)
  }
  return blocks
}

function lineOf(row: string): ReadmeLine {
  const at = row.search(/\s#\s/)
  return at < 0
    ? { text: row.trim(), comment: '' }
    : { text: row.slice(0, at).trim(), comment: row.slice(at + 2).trim() }
}

/** What a comment says that the output must contain: addresses, ids that a call answers, and the status at its beginning. */
export function promisesOf(comment: string): RegExp[] {
  const addresses = comment.match(/\b\d+\.\d+\.\d+\.\d+\b/g) ?? []
  const answered = /answers (?:its|her) (?:id|number): ([\w.]+)/.exec(comment)?.[1]
  const status = /^\d{3}(?=,)/.exec(comment)?.[0]
  return [
    ...addresses.map((address) => new RegExp(`(?<![\\d.])${RegExp.escape(address)}(?![\\d.])`)),
    ...(answered === undefined ? [] : [new RegExp(`^id +${RegExp.escape(answered)}$`, 'm')]),
    ...(status === undefined ? [] : [new RegExp(`^HTTP/[\\d.]+ ${status}\\b`, 'm')]),
  ]
}

/** It goes on until it is interrupted. */
export const isEndless = ({ comment }: ReadmeLine): boolean => /until Ctrl-C/.test(comment)

/** The comment says that it may take a while until the line shows this. */
export const mayTakeLonger = ({ comment }: ReadmeLine): boolean => /repeat until|a moment later/.test(comment)
