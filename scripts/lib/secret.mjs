// Takes a secret out of the environment before anything is started; server/src/shared/secret.ts does the same for the
// programs themselves, and says why deleting the variable is not enough.

import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'

/** The value of the variable, which is then gone from this process and what it starts; undefined when it is not set. */
export function takeSecret(name) {
  const value = process.env[name]
  if (value === undefined) return undefined
  delete process.env[name]
  try {
    eraseFromMemory(name)
  } catch {
    // A sandbox without /proc shows the environment to no one either.
  }
  return value === '' ? undefined : value
}

function eraseFromMemory(name) {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [start, end] = [Number(fields[47]), Number(fields[48])]
  const bytes = Buffer.alloc(end - start)
  const memory = openSync('/proc/self/mem', 'r+')
  try {
    readSync(memory, bytes, 0, bytes.length, start)
    const text = `\0${bytes.toString('latin1')}`
    const at = text.indexOf(`\0${name}=`)
    if (at < 0) return
    const from = at + name.length + 1
    const to = bytes.indexOf(0, from)
    writeSync(memory, Buffer.alloc(to - from), 0, to - from, start + from)
  } finally {
    closeSync(memory)
  }
}
