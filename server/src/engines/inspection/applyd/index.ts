// Suricata as the inspection engine. It gets packets from queues of the kernel (queues.ts), with the two rights that this takes,
// under an account of its own. Rules come by rules.pl, which runs as that account without any right.

import { join } from 'node:path'
import { ensureWritten } from '../../../shared/files/durable.ts'
import { confine } from '../../kit/confine.ts'
import { defineEngine } from '../../kit/privileged.ts'
import type { ChangedFiles, Reload } from '../../kit/tables.ts'
import { inspectionEngine as declared, inspectionPaths } from '../index.ts'
import { suricataForm, suricataSettings } from '../suricata-yaml.ts'
import { signatureRequests } from './check.ts'
import { checkSettings, inspectionLimits, rulesProgram, suricata } from './program.ts'
import { closedQueues, openQueues } from './queue-rules.ts'
import { checkingSettings, fixedSettings } from './settings.ts'
import { createQueueWatch } from './watch.ts'
import { inspectionWay } from './way.ts'

/** 40,000 signatures in three copies, on a machine that has other work. */
const slowestMs = 15 * 60_000
const rulesForm = {
  whole: /^\{"rules":"[0-9a-f]{64}"\}\n?$/,
  fault: 'The file inspection-rules.json may only name rules by their SHA-256.',
}

export const inspectionEngine = defineEngine(declared, ({ stateDir, plane, service, accountOf }) => {
  const below = (path: string): string => join(stateDir, path)
  const account = accountOf('portcullis-inspection')
  const work = below(inspectionPaths.work)
  const places = ['{inspection-rules.json}', below(inspectionPaths.compiled), work]
  const socket = below(inspectionPaths.commandSocket)
  const folders = { work, rulesFile: join(work, 'current.rules'), captures: below(inspectionPaths.captures) }
  const settingPlaces = { ...folders, commandSocket: socket }
  const reloadRules = (): Reload => {
    const bounds = { user: account, capabilities: [], limits: inspectionLimits }
    const [program = '', ...args] = [...confine(bounds), ...rulesProgram, 'reload', ...places, socket]
    // With rules that do not come it works on with those that it has.
    return { commands: [{ program, args }], timeoutMs: slowestMs, isKept: true }
  }
  return {
    units: {
      inspection: {
        program: rulesProgram[0] ?? '',
        args: [
          ...rulesProgram.slice(1),
          'start',
          ...places,
          '{suricata.yaml}',
          closedQueues.join(','),
          '--',
          suricata,
          '-c',
          '{suricata.yaml}',
          '--runmode',
          'workers',
          '-l',
          work,
          ...openQueues.flatMap((queue) => ['-q', `${queue}`]),
        ],
        files: { 'suricata.yaml': suricataForm, 'inspection-rules.json': rulesForm },
        check: null,
        // Packets are judged with the old rules until the new ones are loaded; a start would let them pass, or stop them.
        reload: (changed: ChangedFiles) =>
          changed === null || changed.includes('suricata.yaml') ? 'restart' : reloadRules(),
        // It listens when its rules are loaded.
        probe: { kind: 'unix', path: socket, timeoutMs: slowestMs },
        // Whether packets pass without it is in the queue.
        isOptional: true,
        isSlow: true,
        user: account,
        // For the queue, and for the packets with which it rejects connections.
        capabilities: ['net_admin', 'net_raw'],
        limits: inspectionLimits,
        watch: createQueueWatch(),
      },
    },
    unitTemplates: {},
    ways: [inspectionWay],
    requests: () => signatureRequests({ stateDir, plane, user: account }),
    endings: { 'suricata.yaml': fixedSettings(settingPlaces) },
    prepare: () =>
      ensureWritten(below(checkSettings), suricataSettings({ homeNetworks: [] }) + checkingSettings(settingPlaces), {
        mode: 0o640,
        ...(service && account ? { gid: account.gid } : {}),
      }),
  }
})
