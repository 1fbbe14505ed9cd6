// Files of the kernel and of root in /proc, /sys, /run and /etc: what cannot be read is empty. Nothing here is written by other accounts.

import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'

const maxFileBytes = 4 * 1024 * 1024

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

export function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

export function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1').slice(0, maxFileBytes)
  } catch {
    return ''
  }
}

/** Throws with the code of the kernel when it refuses. */
export const writeKernel = (path: string, text: string): void => writeFileSync(path, text)

/** A control group is a folder that the kernel makes. */
export function makeGroup(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o755 })
  return path
}
