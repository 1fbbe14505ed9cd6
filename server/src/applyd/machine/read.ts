// Reads of /proc, /sys, /run and /etc, for root: what cannot be read is empty. Nothing here is written by other accounts.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

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
