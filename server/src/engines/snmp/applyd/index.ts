// snmpd with an account of its own, which it has from the start. Where it listens and keeps its state is decided here.

import { join } from 'node:path'
import { defineEngine } from '../../kit/privileged.ts'
import { snmp } from '../index.ts'

const quoted = '"(?:[^"\\\\\\x00-\\x1f\\x7f]|\\\\["\\\\]){0,510}"'
/** Every form of a line of the settings: no program, module, path, address, trap or write access. */
const forms: readonly RegExp[] = [
  /^(?:|view all included \.1|group readers v(?:1|2c) trusted)$/,
  /^access readers "" any noauth exact all none none$/,
  ...[
    `^com2sec trusted [0-9.]{7,15}/[0-9]{1,2} ${quoted}$`,
    `^createUser (?!"-)${quoted} MD5 ${quoted}(?: AES ${quoted})?$`,
    `^rouser (?!"-)${quoted} (?:auth|priv)$`,
  ].map((ownPattern) => new RegExp(ownPattern, 'u')),
  /^sys(?:Location|Contact|Name) [^\s#\p{Cc}][^\p{Cc}]*$/u,
]

const port = snmp.ports.requests.destinationPort

export const snmpEngine = defineEngine(snmp, ({ stateDir, accountOf }) => {
  const folder = join(stateDir, 'snmp')
  const kept = join(folder, 'kept')
  return {
    units: {
      snmp: {
        program: '/usr/sbin/snmpd',
        // It resolves no names of objects, and other programs cannot add any.
        args: ['-f', '-Lo', '-m', '', '-M', '', '-I', '-smux'],
        // What it kept is read first: a user of the plan replaces the one of before, with the new password.
        environment: { SNMPCONFPATH: `${kept}:${folder}`, SNMP_PERSISTENT_DIR: kept },
        files: { 'snmpd.conf': { lines: forms, isSecret: true } },
        check: null,
        // It reads its file again and stays at its port.
        reload: { signal: 'SIGHUP' },
        probe: { kind: 'udp', port, timeoutMs: 10_000 },
        isOptional: true,
        user: accountOf('portcullis-snmp'),
        capabilities: ['net_bind_service'],
        limits: { nofile: 1024, data: 256 * 1024 * 1024, nproc: 16 },
      },
    },
    unitTemplates: {},
    endings: {
      'snmpd.conf': [`agentaddress udp:${port}`, 'dontLogTCPWrappersConnects yes', ''].join('\n'),
    },
  }
})
