// A copy of the program in which every process loads probe.mjs first. The launcher gives its processes a clean environment and a
// fixed command line, and a gateway has no door for this; so the file that all of them load first is another one in the copy.

import { chmodSync, cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appRoot } from '../../server/src/tools/launcher/layout.ts'
import { benchFolder } from '../folder.ts'

export interface Checkout {
  readonly app: string
  /** Where the probes of gatewayd and applyd listen. */
  readonly sockets: string
}

/** `extra` are modules that are loaded after the probe. */
export function makeCheckout(extra: readonly string[] = []): Checkout {
  const folder = benchFolder()
  const [app, sockets] = [join(folder, 'app'), join(folder, 'sockets')]
  mkdirSync(join(app, 'server'), { recursive: true })
  mkdirSync(sockets)
  chmodSync(folder, 0o755)
  // Processes of different accounts make their sockets here.
  chmodSync(sockets, 0o777)
  for (const name of ['package.json', 'scripts', 'web', 'node_modules'])
    symlinkSync(join(appRoot, name), join(app, name))
  const isNeeded = (path: string): boolean => !path.endsWith('.test.ts') && !path.endsWith('.golden')
  for (const name of ['package.json', 'plain', 'src'])
    cpSync(join(appRoot, 'server', name), join(app, 'server', name), { recursive: true, filter: isNeeded })
  const plain = join(app, 'server/plain')
  renameSync(join(plain, 'hook.mjs'), join(plain, 'own-hook.mjs'))
  const modules = [join(import.meta.dirname, 'probe.mjs'), ...extra].map((path, index) => {
    const name = `probe-${index}.mjs`
    cpSync(path, join(plain, name))
    return `await import('./${name}?folder=${encodeURIComponent(sockets)}')\n`
  })
  // The copies of our TypeScript are found first: a probe is plain already.
  writeFileSync(join(plain, 'hook.mjs'), `import './own-hook.mjs'\n${modules.join('')}`)
  return { app, sockets }
}
