// unbound by hand with the same zones: a changed zone file and its own commands, and the reload of everything. It listens
// on loopback only.

import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { slots } from '../../server/src/areas/dns/config.ts'
import type { MasterZone } from '../../server/src/areas/dns/contract.ts'
import { render } from '../../server/src/areas/dns/render.ts'
import { connections } from '../../server/src/areas/network/config.ts'
import type { Config } from '../../server/src/core/model/slots.ts'
import { labFacts } from '../../server/test/support/test-gateway.ts'
import { until } from '../../server/test/support/until.ts'
import { benchFolder } from '../folder.ts'
import { median } from '../table.ts'
import { zoneText } from './zones.ts'

export interface RawTimes {
  /** `auth_zone_reload` and `flush_zone` of one zone. */
  readonly zone: number
  /** `reload_keep_cache` of everything. */
  readonly keep: number
  /** `reload` of everything. */
  readonly all: number
}

const port = 5399

export async function measureRaw(zones: readonly MasterZone[], records: number, samples: number): Promise<RawTimes> {
  const folder = benchFolder()
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'zones'))
  const path = (name: string) =>
    join(folder, name.replace('unbound-zone.', 'zones/').replace('unbound-policy', 'policy'))
  const write = (all: readonly MasterZone[]) => {
    const initial = Object.fromEntries([connections, ...slots].map((slot) => [slot.key, slot.initial]))
    for (const artifact of render({ ...initial, 'dns.master_zones': all } as Config, labFacts))
      if (artifact.kind === 'file')
        writeFileSync(
          path(artifact.name),
          artifact.name === 'unbound.conf' ? artifact.text + ending(folder) : artifact.text,
        )
  }
  write(zones)
  const server = spawn('/usr/sbin/unbound', ['-d', '-p', '-c', path('unbound.conf')], { stdio: 'ignore' })
  const control = (...words: string[]) =>
    spawnSync('/usr/sbin/unbound-control', ['-c', join(folder, 'control.conf'), ...words]).status === 0
  const time = (...commands: string[][]): number => {
    const begun = performance.now()
    for (const words of commands) if (!control(...words)) throw new Error(`unbound-control ${words.join(' ')} failed`)
    return performance.now() - begun
  }
  try {
    writeFileSync(join(folder, 'control.conf'), controlLines(folder))
    await until('unbound answers', () => control('status'))
    const [first] = zones
    const times = { zone: [] as number[], keep: [] as number[], all: [] as number[] }
    for (let sample = 1; sample <= samples; sample++) {
      if (first) write([{ ...first, config: zoneText(records, sample) }, ...zones.slice(1)])
      const zone = `${first?.name}.`
      times.zone.push(time(['auth_zone_reload', zone], ['flush_zone', zone]))
      times.keep.push(time(['reload_keep_cache'], ['status']))
      times.all.push(time(['reload'], ['status']))
    }
    return { zone: median(times.zone), keep: median(times.keep), all: median(times.all) }
  } finally {
    server.kill()
  }
}

const controlLines = (folder: string): string =>
  `remote-control:\n  control-enable: yes\n  control-use-cert: no\n  control-interface: "${join(folder, 'control.sock')}"\n`

const ending = (folder: string): string => `
server:
  username: ""
  chroot: ""
  directory: "${folder}"
  pidfile: ""
  interface: 127.0.0.1@${port}
  do-daemonize: no
  use-syslog: no
  module-config: "respip validator iterator"
${controlLines(folder)}`
