// Programs of the operating system by absolute path. Nothing is ever looked up in a PATH we did not write.

import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { LaunchFailure } from './failure.ts'

const toolFolders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** The PATH of every process we start. */
export const cleanPath = toolFolders.join(':')

export function findTool(name: string): string | null {
  return toolFolders.map((folder) => `${folder}/${name}`).find(isProgram) ?? null
}

/** For tools whose absence was ruled out before, or that every Debian has. */
export function toolPath(name: string): string {
  const path = findTool(name)
  if (path === null) throw new LaunchFailure(`The program "${name}" is missing on this machine.`)
  return path
}

/** Runs a short tool to its end; a failure carries the tool's own words. */
export function runTool(name: string, args: readonly string[], input = ''): string {
  const result = spawnSync(toolPath(name), args, { input, encoding: 'utf8', env: { PATH: cleanPath, LC_ALL: 'C' } })
  if (result.status === 0) return result.stdout
  throw new Error(
    `${name} failed: ${firstLine(result.stderr) || result.error?.message || `exit code ${result.status}`}`,
  )
}

export function firstLine(text: string | null): string {
  return (text ?? '').trim().split('\n', 1)[0] ?? ''
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
