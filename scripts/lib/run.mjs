// Runs our programs on the pinned runtime, as if they had been started directly.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { compileCache, plainOption, root, runtime } from './paths.mjs'

/** The descriptor that carries a secret, which must not be in an environment. */
const secretFd = 3

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Resolves with the exit code; signals that reach us are passed on, and the program decides what they mean. */
export function runProgram(args, { endsWithUs = false, ...options } = {}) {
  return runCommand([...(endsWithUs ? tiedToUs() : []), runtime, plainOption, ...args], { ...options, endsWithUs })
}

/** The same for any command. */
export function runCommand([command, ...args], { env = {}, cwd = root, endsWithUs = false, secret } = {}) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['inherit', 'inherit', 'inherit', ...(secret === undefined ? [] : ['pipe'])],
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: compileCache,
      ...(secret === undefined ? {} : { [secret.variable]: String(secretFd) }),
      ...env,
    },
  })
  // A program that ended before it read this is noticed by its end.
  if (secret !== undefined) child.stdio[secretFd].on('error', () => {}).end(secret.value)
  const pass = (signal) => child.kill(signal)
  for (const signal of passedOn) process.on(signal, pass)
  const watch = endsWithUs ? watchNpm(() => child.kill('SIGTERM')) : undefined
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      for (const name of passedOn) process.off(name, pass)
      clearInterval(watch)
      resolve(signal === null ? code : 128 + constants.signals[signal])
    })
  })
}

/** npm that is killed outright passes nothing on: when the parent it was is gone, the gateway is not wanted any more. */
function watchNpm(stop) {
  if (process.env.npm_lifecycle_event === undefined) return undefined
  const npm = process.ppid
  return setInterval(() => process.ppid !== npm && stop(), 500).unref()
}

/** Has the kernel stop the program should we be killed without a chance to pass that on. */
function tiedToUs() {
  const setpriv = '/usr/bin/setpriv'
  return existsSync(setpriv) ? [setpriv, '--pdeathsig=TERM', '--'] : []
}
