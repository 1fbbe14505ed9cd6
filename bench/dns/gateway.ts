// The product itself in its lab, started on a state that holds the zones: what one change takes from the call to the
// answer, which comes when unbound has it.

import { join } from 'node:path'
import { masterZones } from '../../server/src/areas/dns/config.ts'
import type { MasterZone } from '../../server/src/areas/dns/contract.ts'
import { write } from '../../server/src/core/model/slots.ts'
import { ApiClient } from '../../server/test/support/api-client.ts'
import { addressesIn, dig } from '../../server/test/support/dig.ts'
import { startGateway } from '../../server/test/support/lab-gateway.ts'
import { until } from '../../server/test/support/until.ts'
import { benchFolder } from '../folder.ts'
import { adminPassword, makeState } from '../state.ts'
import { median } from '../table.ts'
import { zoneText } from './zones.ts'

export interface DnsTimes {
  /** Milliseconds for one record of a zone. */
  readonly record: number
  /** Milliseconds for a forward zone more, which is another configuration. */
  readonly forward: number
}

const patienceMs = 120_000

export async function measureGateway(
  zones: readonly MasterZone[],
  records: number,
  samples: number,
): Promise<DnsTimes> {
  const stateDir = join(benchFolder(), 'state')
  await makeState(stateDir, (config) => write(config, masterZones, [...zones]))
  const lab = await startGateway({ stateDir })
  const api = new ApiClient(lab.address)
  try {
    await api.signIn('admin', adminPassword)
    const [first] = zones
    const name = `changing.${first?.name}`
    await until('the zones are served', async () => (await dig(lab, name)).status === 'NOERROR')
    const call = async (method: string, path: string, body?: unknown) => {
      const begun = performance.now()
      const answer = await api.call(method, path, body, {}, patienceMs)
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
      return { time: performance.now() - begun, id: answer.body?.id as string }
    }
    const times = { record: [] as number[], forward: [] as number[] }
    for (let sample = 1; sample <= samples; sample++) {
      const path = `/dns/zones/master/${first?.id}`
      times.record.push((await call('PATCH', path, { config: zoneText(records, sample) })).time)
      if (sample === 1 && !addressesIn(await dig(lab, name)).includes('10.30.0.1'))
        throw new Error('what was answered is not served')
      const body = { name: `forward${sample}.example`, enabled: true, servers: ['198.51.100.53'], comment: '' }
      const forward = await call('POST', '/dns/zones/forward', body)
      times.forward.push(forward.time)
      await call('DELETE', `/dns/zones/forward/${forward.id}`)
    }
    return { record: median(times.record), forward: median(times.forward) }
  } finally {
    api.close()
    await lab.stop()
  }
}
