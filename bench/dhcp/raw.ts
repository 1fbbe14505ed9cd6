// dnsmasq by hand in its own network: a lease changed is a file written and a signal sent, and it counts as done
// when dnsmasq says that it has read the file.

import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchFolder } from '../folder.ts'
import { addressOf, hostLine, macOf } from './configuration.ts'

export async function startRaw(count: number) {
  const folder = benchFolder()
  const hosts = join(folder, 'hosts')
  const lines = Array.from({ length: count }, (_, at) => hostLine(macOf(at), addressOf(at)))
  writeFileSync(hosts, `${lines.join('\n')}\n`)
  let running = await start(hosts)

  return {
    async changeLease(at: number): Promise<number> {
      lines[at % count] = hostLine(macOf(at % count), `10.11.240.${at + 1}`)
      const begun = performance.now()
      writeFileSync(hosts, `${lines.join('\n')}\n`)
      const read = says(running, `read ${hosts}`)
      running.kill('SIGHUP')
      await read
      return performance.now() - begun
    },
    async restart(): Promise<number> {
      const begun = performance.now()
      await end(running)
      running = await start(hosts)
      return performance.now() - begun
    },
    stop: () => end(running),
  }
}

async function start(hosts: string): Promise<ChildProcess> {
  const options = [
    '--no-daemon',
    '--conf-file=/dev/null',
    '--port=0',
    '--leasefile-ro',
    '--bind-dynamic',
    '--pid-file=',
  ]
  const range = ['--dhcp-range=10.11.200.1,10.11.200.200,255.255.0.0,60m', `--dhcp-hostsfile=${hosts}`]
  const command = ['--net', '--', '/usr/sbin/dnsmasq', ...options, ...range]
  const child = spawn('/usr/bin/unshare', command, { stdio: ['ignore', 'ignore', 'pipe'] })
  await says(child, `read ${hosts}`)
  return child
}

function says({ stderr }: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve) => {
    const hear = (data: Buffer): void => {
      if (!data.toString().includes(words)) return
      stderr?.off('data', hear)
      resolve()
    }
    stderr?.on('data', hear)
  })
}

async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}
