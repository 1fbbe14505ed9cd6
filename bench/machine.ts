// The machine a table was measured on. A busy one is reported, not refused: ratios of interleaved samples still say
// something there, times do not.

import { spawnSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'

/** Processes that may run beside us on a machine that counts as idle. */
const idleLoad = 0.5

export function describeMachine(): string {
  const [model] = cpus().map((cpu) => cpu.model)
  const nft = spawnSync('/usr/sbin/nft', ['--version'], { encoding: 'utf8' }).stdout
  return [
    `${cpus().length} cores (${model ?? 'unknown'})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Linux ${release()}`,
    /v[\d.]+/.exec(nft ?? '') ? `nftables ${/v([\d.]+)/.exec(nft)?.[1]}` : 'no nft',
    `Node ${process.versions.node}`,
    `load average at the start ${loadavg()
      .map((load) => load.toFixed(2))
      .join(' ')}`,
  ].join(', ')
}

/** Null on an idle machine. */
export function warnOfLoad(): string | null {
  const [load = 0] = loadavg()
  return load <= idleLoad
    ? null
    : `The machine is busy (load average ${load.toFixed(2)}). Times are too long, and ratios are less certain.`
}
