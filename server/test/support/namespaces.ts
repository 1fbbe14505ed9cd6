// Network namespaces of tests that make their own.

import { spawnSync } from 'node:child_process'

/** Removes a namespace with everything that runs in it. */
export function removeNamespace(name: string): void {
  const { stdout } = spawnSync('ip', ['netns', 'pids', name], { encoding: 'utf8' })
  for (const pid of stdout.split('\n').filter((text) => text !== '')) end(Number(pid))
  spawnSync('ip', ['netns', 'delete', name])
}

/** One that the end of another took along is gone by now. */
function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault
  }
}
