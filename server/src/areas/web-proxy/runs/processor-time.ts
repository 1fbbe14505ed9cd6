// How much processor time a process of this machine has used, no matter who it belongs to: whether it works or hangs.

import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts a hundred of them in a second for programs, on every machine. */
const tickMs = 10

/** From the line of /proc/<pid>/stat; its second field is a name, which may have spaces and brackets. */
export function parseProcessorMs(line: string): number | null {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  return fields.length > 12 && Number.isInteger(user + system) ? (user + system) * tickMs : null
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}

/** Of the process that was started with this argument; null while there is none. Looks for it only when it is another one. */
export function followProcessorTime(argument: string): () => number | null {
  let known = ''
  const isIt = (pid: string): boolean => readText(`/proc/${pid}/cmdline`).split('\0').includes(argument)
  return () => {
    if (known === '' || !isIt(known))
      known = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isIt(name)) ?? ''
    return known === '' ? null : parseProcessorMs(readText(`/proc/${known}/stat`))
  }
}
