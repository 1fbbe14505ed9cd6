// From `launcher` to the first answer, and the memory of both processes once they serve. The first start of a state also
// makes keys, a certificate and the first administrator; a cold start is one of a state that exists.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ApiClient } from '../server/test/support/api-client.ts'
import { startGateway } from '../server/test/support/lab-gateway.ts'
import { benchFolder } from './folder.ts'
import { readMemory } from './memory.ts'
import { median, type Row } from './table.ts'

const password = 'correct horse 9'
const rounds = 5

export async function benchStart(): Promise<Row[]> {
  const stateDir = join(benchFolder(), 'state')
  const times: number[] = []
  const memory: number[] = []
  let first = 0
  let parts = ''
  for (let round = 0; round <= rounds; round++) {
    const begun = performance.now()
    const gateway = await startGateway({ stateDir, adminPassword: password })
    const api = new ApiClient(gateway.address)
    await api.call('GET', '/web/whoami')
    const time = performance.now() - begun
    await api.signIn('admin', password)
    for (let count = 0; count < 200; count++) await api.call('GET', '/firewall/settings')
    const { gatewayd, applyd } = gateway.pids()
    const used = { gatewayd: readMemory(gatewayd).proportional, applyd: readMemory(applyd).proportional }
    if (round === 0) first = time
    else {
      times.push(time)
      memory.push(used.gatewayd + used.applyd)
      parts = `${used.gatewayd.toFixed(0)} + ${used.applyd.toFixed(0)}`
    }
    api.close()
    await gateway.stop()
  }
  rmSync(stateDir, { recursive: true, force: true })
  const time = median(times)
  const total = median(memory)
  return [
    row('very first start to first answer', `${(first / 1000).toFixed(2)} s`, 'none: it also makes keys', true),
    row('cold start to first answer', `${(time / 1000).toFixed(2)} s`, 'under 1 s', time < 1000),
    row('memory of gatewayd and applyd', `${total.toFixed(0)} MB Pss (${parts})`, 'below 130 MB Pss', total < 130),
  ]
}

const row = (what: string, ours: string, aim: string, isMet: boolean): Row => ({
  what,
  ours,
  raw: '',
  ratio: null,
  aim,
  isMet,
})
