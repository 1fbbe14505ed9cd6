// Starts the decision process of the content filter: its files, its sockets, the block peer. Wiring only. Arguments: policy, user
// categories and dictionaries, the folder of the index, the socket of gatewayd, the folder of its own sockets, and the ports
// of intercepted HTTP and HTTPS, of the block peer and of the judges of page text and of files, and the socket of clamd.

import { join } from 'node:path'
import { decide, prepare } from '../domain/web-filter/decide.ts'
import type { WebFilterReport } from '../domain/web-filter/protocol.ts'
import { giveMemoryBack } from '../shared/memory.ts'
import { AskServer } from './ask-server.ts'
import { createBlockPeer } from './block-peer.ts'
import { listenForReloads } from './control.ts'
import { GatewayLink } from './gateway-link.ts'
import { createScanService } from './icap/scan-service.ts'
import { WordsService } from './icap/words-service.ts'
import type { Judging } from './judge.ts'
import { NameCertificates } from './name-certificates.ts'
import { PolicyFiles } from './policy-files.ts'
import { SessionTable } from './session-table.ts'

const [policy = '', userCategories = '', dictionaries = '', indexFolder = '', gatewaySocket = '', ownFolder = ''] =
  process.argv.slice(2)
const [httpPort = 0, httpsPort = 0, blockPort = 0, wordsPort = 0, scanPort = 0] = process.argv.slice(8, 13).map(Number)
const antivirusSocket = process.argv[13] ?? ''
const log = (message: string): void => console.error(message.replaceAll(/\s+/g, ' '))

const sessions = new SessionTable()
const intercepting = new Set([httpPort, httpsPort])
let reported = ''
let judging: Judging | null = null
const words = new WordsService({
  onLate: ({ client, dictionary }) => log(`A page for ${client} was refused late: it has words of "${dictionary}".`),
  onFault: (error) => log(`A page could not be judged: ${error}`),
})
const scan = createScanService({
  socket: antivirusSocket,
  words,
  onNote: ({ what, reason, client }) =>
    log(
      what === 'cut'
        ? `A file for ${client} was cut off: ${reason}.`
        : `A file for ${client} was not checked. ${reason}`,
    ),
  onFault: (error) => log(`A file could not be judged: ${error}`),
})

const files = new PolicyFiles(
  { policy, userCategories, dictionaries, index: join(indexFolder, 'current') },
  (): void => {
    const { deciding } = files
    // Before the first question with it.
    if (deciding) prepare(deciding.policy)
    judging = deciding && {
      deciding,
      decide,
      intercepting,
      userAt: (address) => sessions.at(address),
      now: () => Math.floor(Date.now() / 1000),
    }
    const faults = files.faults.join(' ')
    if (faults !== reported && faults !== '') log(faults)
    reported = faults
    link?.reportSoon()
  },
)
let faulted = 0
const asking = new AskServer({
  path: join(ownFolder, 'ask.sock'),
  judging: () => judging,
  onFault: (error) => {
    faulted += 1
    if (faulted <= 10) log(`A question could not be answered: ${error instanceof Error ? error.stack : error}`)
  },
})

const report = (): WebFilterReport => {
  const facts = files.index?.facts
  return {
    kind: 'report',
    policyDigest: files.loaded?.digest ?? null,
    categories: facts ? { entries: facts.entries, bytes: facts.bytes, builtAt: facts.builtAt } : null,
    sessions: sessions.size,
    ...asking.numbers,
    isAsked: asking.connections > 0,
    faults: [...files.faults, ...(faulted > 0 ? [`${faulted} questions could not be answered.`] : [])],
  }
}
let link: GatewayLink | null = null

/** Over when rules and words are those of the files. */
async function reload(): ReturnType<typeof files.reload> {
  const outcome = await files.reload()
  const { loaded } = files
  if (loaded) {
    await words.update(loaded.policy.morphology ? loaded.dictionaries : [])
    scan.update(loaded.policy.onFailure)
  }
  return outcome
}

await reload()
await files.reloadIndex()
link = new GatewayLink({
  path: gatewaySocket,
  report,
  take: (message) => {
    if (message.kind === 'sessions') sessions.take(message)
    else void files.reloadIndex()
  },
})
const certificates = new NameCertificates(() => new Date())
// Makes the key: the first denied connection need not wait for it.
await certificates.contextFor('localhost')
const peer = createBlockPeer(certificates)
peer.on('error', (error) => {
  log(`The block peer cannot listen: ${error.message}`)
  process.exit(1)
})
peer.listen({ host: '127.0.0.1', port: blockPort, backlog: 1024 })
await words.listen(wordsPort)
await scan.listen(scanPort)
await listenForReloads(join(ownFolder, 'control.sock'), reload)
// Last: who reaches it finds everything else in place.
await asking.listen()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0))
giveMemoryBack()
