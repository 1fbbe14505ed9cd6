// TXT records of names, looked up in DNS at each request.

import { Resolver } from 'node:dns/promises'

/** Answers that say that there is no such record, as opposed to no answer. */
const absent = new Set(['ENOTFOUND', 'ENODATA'])

/** None when there is no such record, null when DNS could not be asked. */
export async function lookUpText(name: string, servers: readonly string[] = []): Promise<readonly string[] | null> {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  try {
    if (servers.length > 0) resolver.setServers(servers)
    const records = await resolver.resolveTxt(name)
    return records.map((parts) => parts.join(''))
  } catch (error) {
    return absent.has((error as NodeJS.ErrnoException).code ?? '') ? [] : null
  }
}
