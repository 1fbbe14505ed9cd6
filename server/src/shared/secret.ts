// Takes a secret out of the environment of this process as early as possible, so that /proc shows it for a moment only.
// scripts/lib/secret.mjs does the same for the script that npm runs.

import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'

export const adminPasswordVariable = 'PORTCULLIS_ADMIN_PASSWORD'

type Environment = Record<string, string | undefined>

/** The variable that names the descriptor from which the secret is read to its end. */
export const descriptorOf = (name: string): string => `${name}_FD`

/** From the descriptor that the parent opened for it, else from the variable itself; null when it is empty. */
export function takeSecret(env: Environment, name: string): string | null {
  const descriptor = env[descriptorOf(name)]
  const given = env[name]
  delete env[descriptorOf(name)]
  delete env[name]
  if (given !== undefined) eraseFromMemory(name)
  return (descriptor === undefined ? given : readToEnd(Number(descriptor))) || null
}

function readToEnd(descriptor: number): string {
  try {
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** Deleting a variable leaves its text where the kernel put it, and /proc/PID/environ shows that place. */
function eraseFromMemory(name: string): void {
  try {
    const { start, end } = environmentArea()
    const bytes = Buffer.alloc(end - start)
    const memory = openSync('/proc/self/mem', 'r+')
    try {
      readSync(memory, bytes, 0, bytes.length, start)
      const at = `\0${bytes.toString('latin1')}`.indexOf(`\0${name}=`)
      if (at < 0) return
      const from = at + name.length + 1
      const length = bytes.indexOf(0, from) - from
      writeSync(memory, Buffer.alloc(length), 0, length, start + from)
    } finally {
      closeSync(memory)
    }
  } catch {
    // A sandbox without /proc shows the environment to no one either.
  }
}

/** Where the kernel put the environment: fields 50 and 51 of proc(5) stat, counted behind the name of the program. */
function environmentArea(): { readonly start: number; readonly end: number } {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { start: Number(fields[47]), end: Number(fields[48]) }
}
