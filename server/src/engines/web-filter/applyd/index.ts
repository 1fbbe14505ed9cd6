// The content filter: filterd, which decides, and Squid, which asks it. Each has an account of its own; Squid has one right,
// without which it cannot keep the addresses of intercepted clients. Neither starts with more.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ensureWritten } from '../../../shared/files/durable.ts'
import { ownApp, plainOption } from '../../../shared/files/plain.ts'
import { antivirusPaths } from '../../antivirus/index.ts'
import { defineEngine } from '../../kit/privileged.ts'
import errorPages from '../error-pages.json' with { type: 'json' }
import { proxyFiles, webFilter, webFilterPaths, webPorts } from '../index.ts'
import { authorityForm, checkOf, reloadOf, settingsForms } from './files.ts'
import { interceptionWay } from './interception.ts'
import { fixedSettings } from './settings.ts'
import { ensureShortReads, shortReadsFile } from './short-reads.ts'

const source = join(import.meta.dirname, '..', '..', '..')

/** Millions of categories are outside of the heap of the runtime. */
const runtimeOptions = [
  plainOption(ownApp),
  '--max-semi-space-size=8',
  '--max-old-space-size=768',
  '--v8-pool-size=1',
  '--disable-warning=ExperimentalWarning',
]

/** Beyond it Squid ends. */
export const proxyMemory = 2048 * 1024 * 1024

export const webFilterEngine = defineEngine(webFilter, ({ stateDir, plane, service, accountOf }) => {
  const below = (path: string): string => join(stateDir, path)
  const folder = below('web-proxy')
  const [kept, errors] = [join(folder, 'kept'), join(folder, 'errors')]
  /** Names its shared memory: two gateways on one machine must not meet there. Letters and digits only. */
  const serviceName = `portcullis${createHash('sha256').update(stateDir).digest('hex').slice(0, 12)}`
  const proxyGroup = accountOf('portcullis-web-proxy')?.gid
  return {
    units: {
      'web-filter': {
        program: process.execPath,
        args: [
          ...runtimeOptions,
          join(source, 'filterd', 'main.ts'),
          '{web-policy.json}',
          '{web-user-categories.txt}',
          '{web-dictionaries.json}',
          below(webFilterPaths.categories),
          below(webFilterPaths.gatewaySocket),
          below('run/web-filter-ask'),
          ...[webPorts.http, webPorts.https, webPorts.blockPeer, webPorts.pageText, webPorts.antivirus].map(String),
          below(antivirusPaths.socket),
        ],
        files: {
          'web-policy.json': 'own program',
          'web-user-categories.txt': 'own program',
          'web-dictionaries.json': 'own program',
        },
        check: null,
        // It answers when it decides with the new rules; nothing is dropped.
        reload: { ask: below(webFilterPaths.controlSocket) },
        probe: { kind: 'unix', path: below(webFilterPaths.askSocket), timeoutMs: 30_000 },
        // Without it the proxy refuses or passes, as configured; rules of the firewall must still be applied.
        isOptional: true,
        user: accountOf('portcullis-web-filter'),
        capabilities: [],
        limits: { nofile: 16_384, data: 3072 * 1024 * 1024, nproc: 64 },
      },
      'web-filter-proxy': {
        program: '/usr/bin/perl',
        args: [
          join(import.meta.dirname, 'start-proxy.pl'),
          folder,
          kept,
          below(webFilterPaths.askSocket),
          '/usr/sbin/squid',
          '-n',
          serviceName,
          '-N',
          '-d',
          '1',
          '-f',
          '{squid.conf}',
        ],
        files: { 'squid.conf': { lines: settingsForms }, 'web-authority.pem': authorityForm },
        check: (staged, staging) => checkOf(staged, staging, below(webFilter.files['squid.conf'].path)),
        reload: (changed) => reloadOf(changed),
        probe: { kind: 'tcp', host: '127.0.0.1', port: webPorts.health, timeoutMs: 40_000 },
        isOptional: true,
        user: accountOf('portcullis-web-proxy'),
        // To take connections that are meant for others, and to open some in the name of the client.
        capabilities: ['net_admin'],
        limits: { nofile: proxyFiles, data: proxyMemory, nproc: 64 },
      },
    },
    unitTemplates: {},
    ways: [interceptionWay],
    endings: {
      'squid.conf': fixedSettings({
        folder,
        errors,
        certificates: join(kept, 'ssl_db'),
        askSocket: below(webFilterPaths.askSocket),
        helper: join(source, 'filterd', 'helper.pl'),
        authorities: [
          '/etc/ssl/certs/ca-certificates.crt',
          // Servers of the lab have their own authority.
          ...(plane === 'lab' ? [below('web-proxy/lab-authorities.pem')] : []),
        ],
      }),
    },
    prepare: () => {
      const as = { mode: 0o640, ...(service && proxyGroup ? { gid: proxyGroup } : {}) }
      for (const { names, text } of errorPages) for (const name of names) ensureWritten(join(errors, name), text, as)
      ensureShortReads(join(folder, shortReadsFile), as, accountOf('portcullis-web-proxy'))
    },
  }
})
