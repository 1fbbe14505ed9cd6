// The antivirus program as a file and a unit, while the web antivirus and the content filter are both on. Pure.

import { engineFile, engineUnit } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import { type ClamdSettings, printClamd } from '../../engines/antivirus/clamd.ts'
import { antivirus as engine } from '../../engines/antivirus/index.ts'
import { state as contentFilterState } from '../content-filter/public.ts'
import { antivirus } from './config.ts'

const megabyte = 1024 * 1024

/** What filterd keeps back is at most 16 MB; archives may unpack to more, within limits of size, number and time. */
const settings: ClamdSettings = {
  MaxThreads: 10,
  MaxQueue: 100,
  MaxConnectionQueueLength: 200,
  ReadTimeout: 300,
  CommandReadTimeout: 30,
  StreamMaxLength: 20 * megabyte,
  MaxScanSize: 100 * megabyte,
  MaxFileSize: 25 * megabyte,
  MaxScanTime: 50_000,
  MaxRecursion: 12,
  MaxFiles: 5_000,
  PCREMatchLimit: 10_000,
  SelfCheck: 600,
  ConcurrentDatabaseReload: true,
  ExitOnOOM: true,
  AlertExceedsMax: false,
  Bytecode: true,
}

export const isAntivirusUsed = (config: Config): boolean =>
  read(config, antivirus).enabled && read(config, contentFilterState).enabled

export const renderAntivirus = (config: Config): Artifact[] =>
  isAntivirusUsed(config)
    ? [engineFile(engine, 'clamd.conf', printClamd(settings)), engineUnit(engine, 'antivirus')]
    : []
