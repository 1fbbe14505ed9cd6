// Runs our programs on the pinned runtime, as if they had been started directly.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { compileCache, root, runtime } from './paths.mjs'

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Resolves with the exit code; signals that reach us are passed on, and the program decides what they mean. */
export function runProgram(args, { env = {}, cwd = root, endsWithUs = false } = {}) {
  const [command, ...rest] = [...(endsWithUs ? tiedToUs() : []), runtime, ...args]
  const child = spawn(command, rest, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
  })
  const pass = (signal) => child.kill(signal)
  for (const signal of passedOn) process.on(signal, pass)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      for (const name of passedOn) process.off(name, pass)
      resolve(signal === null ? code : 128 + constants.signals[signal])
    })
  })
}

/** Has the kernel stop the program should we be killed without a chance to pass that on. */
function tiedToUs() {
  const setpriv = '/usr/bin/setpriv'
  return existsSync(setpriv) ? [setpriv, '--pdeathsig=TERM', '--'] : []
}
