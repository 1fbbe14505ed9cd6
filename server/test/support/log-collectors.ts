// Real collectors of logs: rsyslogd with all its files in one folder. It runs as a process of the test, on loopback or in a
// lab, never as a service of the machine.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerCertificate } from '../../src/shared/certificates/tls.ts'
import { lacking } from './requires.ts'

const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64'

export const reasonToSkipCollectors: string | false =
  process.getuid?.() !== 0
    ? 'collectors of logs need root'
    : lacking('/usr/sbin/rsyslogd', `/usr/lib/${machine}-linux-gnu/rsyslog/lmnsd_ossl.so`)

export interface Collector {
  readonly port: number
  readonly command: readonly string[]
  /** What it has stored: whole messages, as they came. */
  messages(): string[]
}

export interface CollectorOptions {
  readonly folder: string
  readonly name: string
  readonly address: string
  readonly port: number
  readonly tls?: ServerCertificate
}

export function rsyslogCollector({ folder, name, address, port, tls }: CollectorOptions): Collector {
  const file = (ending: string): string => join(folder, `${name}.${ending}`)
  // Without names of senders: looking them up takes ten seconds where no name server answers.
  const common = `workDirectory="${folder}" maxMessageSize="8k" net.enableDNS="off"`
  const lines = [`global(${common}${tls ? tlsFiles(file, tls) : ''})`]
  const driver = tls ? ' StreamDriver.Name="ossl" StreamDriver.Mode="1" StreamDriver.AuthMode="anon"' : ''
  lines.push(
    `module(load="imtcp"${driver})`,
    'module(load="imudp")',
    'template(name="whole" type="string" string="%rawmsg%\\n")',
    `input(type="imtcp" address="${address}" port="${port}")`,
    `input(type="imudp" address="${address}" port="${port}" rcvbufSize="4m")`,
    `action(type="omfile" file="${file('messages')}" template="whole")`,
  )
  writeFileSync(file('conf'), `${lines.join('\n')}\n`)
  return {
    port,
    command: ['/usr/sbin/rsyslogd', '-n', '-f', file('conf'), '-i', file('pid')],
    messages: () =>
      existsSync(file('messages')) ? readFileSync(file('messages'), 'utf8').split('\n').slice(0, -1) : [],
  }
}

function tlsFiles(file: (ending: string) => string, { key, chain }: ServerCertificate): string {
  const write = (ending: string, text: string): string => {
    writeFileSync(file(ending), text)
    return file(ending)
  }
  const path = { ca: write('ca.pem', chain), cert: write('cert.pem', chain), key: write('key.pem', key) }
  return ` defaultNetstreamDriverCAFile="${path.ca}" defaultNetstreamDriverCertFile="${path.cert}" defaultNetstreamDriverKeyFile="${path.key}"`
}
