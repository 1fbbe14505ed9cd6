// clamd with an account of its own and no rights. Where it listens, what it reads and where it unpacks is decided here.

import { join } from 'node:path'
import { defineEngine } from '../../kit/privileged.ts'
import { clamdForms } from '../clamd.ts'
import { antivirus, antivirusPaths, packageSignatures } from '../index.ts'

export const antivirusEngine = defineEngine(antivirus, ({ stateDir, accountOf }) => {
  const below = (path: string): string => join(stateDir, path)
  const database = below('antivirus/database')
  const socket = below(antivirusPaths.socket)
  return {
    units: {
      antivirus: {
        program: '/usr/bin/perl',
        args: [
          join(import.meta.dirname, 'start-clamd.pl'),
          database,
          below(antivirusPaths.signatures),
          packageSignatures,
          '--',
          '/usr/sbin/clamd',
          '--foreground',
          '--config-file={clamd.conf}',
        ],
        files: { 'clamd.conf': { lines: clamdForms } },
        check: null,
        reload: 'restart',
        // Millions of signatures take most of a minute to load.
        probe: { kind: 'unix', path: socket, timeoutMs: 180_000 },
        // Without it files are refused or pass, as configured.
        isOptional: true,
        isSlow: true,
        user: accountOf('portcullis-antivirus'),
        capabilities: [],
        // All official signatures take 1.3 GB, and twice that while new ones are loaded.
        limits: { nofile: 4096, data: 4 * 1024 * 1024 * 1024, nproc: 64 },
      },
    },
    unitTemplates: {},
    endings: {
      'clamd.conf': [
        `DatabaseDirectory ${database}`,
        `TemporaryDirectory ${below('antivirus/unpacked')}`,
        `LocalSocket ${socket}`,
        'LocalSocketMode 660',
        'FixStaleSocket yes',
        'Foreground yes',
        'LogTime no',
        'LogSyslog no',
        'LogVerbose no',
        '',
      ].join('\n'),
    },
  }
})
