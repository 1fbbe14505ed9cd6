// The Chromium of this process. Files that share a process share it too: each page has a context of its own, as another person at
// another machine has. The runner of the tests says when it begins and ends (scripts/lib/tests/batch.mjs); a file that runs alone has
// one until it closes it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { lacking } from '../../../server/test/support/requires.ts'
import { patienceMs } from '../../../server/test/support/until.ts'

const program = '/usr/lib/chromium/chromium-headless-shell'

/** For `skip` of a suite. */
export const browserSkip = lacking(program)

const flags = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A container has little shared memory.
  '--disable-dev-shm-usage',
]

interface Running {
  readonly browser: Browser
  readonly folder: string
}

let isKept = false
let running: Running | null = null

/** Before the first file of a shared process. */
export async function begin(): Promise<void> {
  if (browserSkip !== false) return
  isKept = true
  await takeBrowser()
}

/** Behind the last file. */
export async function end(): Promise<void> {
  isKept = false
  await giveBrowserBack()
}

/** One that crashed is started again. */
export async function takeBrowser(): Promise<Browser> {
  if (running?.browser.isConnected() === false) await stop()
  running ??= await start()
  return running.browser
}

/** Fails when a page is still open: what is left would be there for the next file. */
export async function giveBrowserBack(): Promise<void> {
  if (running === null) return
  const left = running.browser.contexts()
  if (!isKept) await stop()
  else await Promise.all(left.map((context) => context.close()))
  if (left.length > 0) throw new Error(`${left.length} pages of the browser were not closed.`)
}

async function start(): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-browser-'))
  try {
    const browser = await chromium.launch({
      executablePath: program,
      timeout: patienceMs,
      args: flags,
      // Tests run as root, for which the browser has no sandbox. It only meets pages of ours.
      chromiumSandbox: false,
      env: { ...definedOnly(process.env), HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
    })
    return { browser, folder }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

async function stop(): Promise<void> {
  const stopped = running
  running = null
  await stopped?.browser.close()
  if (stopped) rmSync(stopped.folder, { recursive: true, force: true })
}

const definedOnly = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
