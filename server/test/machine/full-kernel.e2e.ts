// The package on a machine with its own kernel, at night: what the kernel around the other tests does not have. Limits of control
// groups, AppArmor, VLAN, aggregated interfaces, GRE, limits of connections, inspection through the queue of nftables, the fast path, upgrade
// and removal. Each part goes on from the same saved machine.
// Requirement 53.

import { after, before, describe } from 'node:test'
import {
  bootGateway,
  type FullGateway,
  reasonWithoutEmulator,
  type SavedMachine,
  savedMachine,
  slowMs,
} from './full-kernel.ts'
import { testEngines } from './full-kernel-engines.ts'
import { testFastPath } from './full-kernel-fast-path.ts'
import { testLife } from './full-kernel-life.ts'
import { testNetwork } from './full-kernel-network.ts'
import { testPackets } from './full-kernel-packets.ts'
import { describeOnReleases } from './on-releases.ts'

await describeOnReleases('a gateway with its own kernel', { isNightly: true, atOnce: 1 }, (suite, built) => {
  const skip = reasonWithoutEmulator()
  let saved: SavedMachine
  before(
    async () => {
      if (!skip) saved = await savedMachine(suite, built().first, built().dependencies)
    },
    { timeout: 3 * slowMs },
  )

  const part = (title: string, test: (gateway: () => FullGateway) => void): void => {
    void describe(title, { skip }, () => {
      let gateway: FullGateway
      before(
        async () => {
          gateway = await bootGateway(saved)
        },
        { timeout: slowMs },
      )
      after(() => gateway?.[Symbol.asyncDispose](), { timeout: slowMs })
      test(() => gateway)
    })
  }

  part('engines', testEngines)
  part('devices', testNetwork)
  part('packets', testPackets)
  part('fast path', testFastPath)
  part('from one version to the next, and to none', (gateway) => testLife(gateway, built, () => saved.untouched))
})
