// The programs of the engine, for its unit and for checks of signatures.

import { join } from 'node:path'
import type { Limits } from '../../kit/tables.ts'

/** The account also checks signatures, beside the engine. */
export const inspectionLimits: Limits = { nofile: 4096, data: 6 * 1024 * 1024 * 1024, nproc: 128 }
export const rulesProgram = ['/usr/bin/perl', join(import.meta.dirname, 'rules.pl')]
export const suricata = '/usr/bin/suricata'
/** For checks of signatures. */
export const checkSettings = 'inspection/check.yaml'
