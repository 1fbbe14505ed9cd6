// How what intrusion prevention offers is made.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Run, roomForLists, run } from '../../core/area/run.ts'
import { checkSignatures } from '../../engines/inspection/request.ts'
import { inspectionService } from '../inspection/service.ts'
import { maxArchives } from './contract-archives.ts'
import { followSignatures } from './jobs.ts'
import { SignatureIntake } from './runs/intake.ts'
import { createSignatureFiles } from './runs/signature-files.ts'
import { signatureIntakeService, signaturesService } from './service.ts'

export const runs: readonly Run[] = [
  run(signatureIntakeService, (host) => {
    const { services, applier, settings, log } = host
    const onFault = (error: unknown): void => log('warning', 'signatures were not read', { error })
    const intake = new SignatureIntake({
      folder: join(settings.folder, 'signatures'),
      // Where nothing is applied, applyd makes no folders.
      candidates:
        settings.isOnMachine && settings.isApplied
          ? join(settings.stateDir, 'inspection', 'candidates')
          : join(settings.folder, 'candidates'),
      check: (id, signal) => checkSignatures(applier, id, signal),
      maxArchives,
      now: services.clock.now,
      room: () => roomForLists(host),
      onChange: () => void services.of(signaturesService)?.refresh().catch(onFault),
      onFault,
    })
    return { offers: intake, stop: () => intake.close() }
  }),
  run(signaturesService, ({ services, settings, log }) => {
    if (!settings.isOnMachine) return null
    const folder = join(settings.folder, 'signatures')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const intake = services.of(signatureIntakeService)
    const files = createSignatureFiles({
      folder,
      archives: () => intake.archives.active(),
      refused: () => intake.verdicts.texts,
    })
    let look = (): Promise<void> => Promise.resolve()
    return {
      offers: files,
      start: () => {
        look = followSignatures(services, (error) => log('warning', 'rule files were not read', { error }))
      },
      // The engine has to inspect with what was read.
      look: () => void look().then(() => services.of(inspectionService).follow()),
    }
  }),
]
