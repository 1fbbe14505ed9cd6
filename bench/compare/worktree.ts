// Another version of the checkout, in a folder of its own that is gone at the end, however that comes.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

export class NoRevision extends Error {}

function git(root: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' })
  if (status !== 0) throw new NoRevision((stderr ?? '').trim() || (error?.message ?? 'git failed'))
  return stdout.trim()
}

export interface Worktree {
  readonly path: string
  /** Of the commit, in full. */
  readonly id: string
  readonly remove: () => void
}

export function makeWorktree(root: string, revision: string): Worktree {
  let id: string
  try {
    id = git(root, 'rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`)
  } catch (error) {
    throw new NoRevision(`There is no revision ${revision} here: ${(error as Error).message}`)
  }
  const path = join(root, '.cache', 'compare', id)
  const remove = (): void => {
    rmSync(path, { recursive: true, force: true })
    git(root, 'worktree', 'prune')
  }
  // One that a sudden end left behind.
  remove()
  mkdirSync(dirname(path), { recursive: true })
  git(root, 'worktree', 'add', '--detach', path, id)
  linkPackages(root, path)
  return { path, id, remove }
}

/**
 * The same packages need no second download: the files are shared, which nothing of ours ever writes to. Otherwise the version
 * installs its own when it starts.
 */
function linkPackages(root: string, path: string): void {
  const lock = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const modules = join(root, 'node_modules')
  if (!existsSync(modules) || lock(root) !== lock(path)) return
  const { status } = spawnSync('cp', ['-al', modules, join(path, 'node_modules')])
  if (status !== 0) rmSync(join(path, 'node_modules'), { recursive: true, force: true })
  // Plain copies and their stamp are those of a version, and are written in place.
  rmSync(join(path, 'node_modules', '.portcullis-plain'), { recursive: true, force: true })
}
