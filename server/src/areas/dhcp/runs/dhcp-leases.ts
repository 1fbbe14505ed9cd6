// Reads the leases that dnsmasq has given out. The names in it come from clients, so every field is read strictly.

import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { GivenLease } from '../../../core/plan/facts.ts'
import { parseAddress } from '../../../shared/net/ipv4.ts'

const macForm = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/
/** dnsmasq lets through what can be a name in DNS, and so do we. */
const nameForm = /^[A-Za-z0-9_.-]{1,255}$/
const tries = 5

export const createDhcpLeases = (path: string) => ({
  /** None where dnsmasq has never run. */
  async list(seconds: number): Promise<GivenLease[]> {
    return parseLeases(await readSettled(path), seconds)
  },
})

/** dnsmasq empties the file and writes it again, so what was read counts when it is the same a moment later. */
async function readSettled(path: string): Promise<string> {
  let text = await readIfThere(path)
  for (let left = tries; left > 0; left--) {
    await pause(2)
    const next = await readIfThere(path)
    if (next === text) break
    text = next
  }
  return text
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** `1767225600 02:00:00:00:00:01 10.0.0.7 name 01:02:...` a line; a star means no name. Expired leases are left out. */
export function parseLeases(text: string, seconds: number): GivenLease[] {
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const [expiry = '', card = '', ip = '', name = ''] = line.split(' ')
      const address = parseAddress(ip)
      const mac = card.toLowerCase()
      const expiresAt = Number(expiry)
      if (!/^\d{1,12}$/.test(expiry) || expiresAt <= seconds || !macForm.test(mac) || address === null) return []
      return [{ address, mac, hostname: nameForm.test(name) ? name : '', expiresAt }]
    })
    .sort((a, b) => a.address - b.address)
}
