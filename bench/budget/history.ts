// Earlier versions of numbers.json, from git: a number that rose between two commits needs a reason too.

import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { type Numbers, numbersPath, parseNumbers } from './numbers.ts'

function git(folder: string, ...args: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' })
  return status === 0 ? stdout : null
}

/**
 * The version of the last commit and the one before that, where they are known: without git there is none, and a shallow clone has
 * one. Newest first.
 */
export function readEarlier(path = numbersPath): readonly Numbers[] {
  const folder = dirname(path)
  const commits = git(folder, 'log', '-2', '--format=%H', '--', path)?.split('\n').filter(Boolean) ?? []
  const texts = commits.map((commit) => git(folder, 'show', `${commit}:./${path.slice(folder.length + 1)}`))
  return texts.filter((text) => text !== null).map(parseNumbers)
}
