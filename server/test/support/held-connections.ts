// Many connections that stay open, between the namespaces of a lab.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openLab } from '../../src/tools/launcher/enter-lab.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'

const program = join(appRoot, 'server/test/support/connection-holder.ts')

export interface Held {
  /** How many of them were answered. */
  readonly open: number
  release(): Promise<void>
}

function start(stateDir: string, namespace: string, enter: readonly string[], args: readonly string[]) {
  const { command, env } = openLab(stateDir, namespace)
  const [name = '', ...rest] = [...command, ...enter, runtimePath(appRoot), program, ...args]
  const child = spawn(name, rest, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const release = async (): Promise<void> => {
    if (child.exitCode !== null) return
    child.stdin.end()
    await once(child, 'exit')
  }
  return { child, release }
}

/** Accepts connections in a namespace of the lab until it is released. */
export const acceptConnections = (stateDir: string, namespace: string, address: string, port: number) =>
  start(stateDir, namespace, [], ['', address, `${port}`])

/** Opens connections from the client's namespace, or from a host in it, and answers when each was tried. */
export async function holdConnections(
  stateDir: string,
  enter: readonly string[],
  [source, destination, port, count]: readonly [source: string, destination: string, port: number, count: number],
  namespace = 'client',
): Promise<Held> {
  const { child, release } = start(stateDir, namespace, enter, [source, destination, `${port}`, `${count}`])
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { open: Number(line), release }
}
