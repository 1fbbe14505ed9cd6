// What runs for updates, by name. How it is made is in runs.ts.

import { optionalService } from '../../core/area/service.ts'
import type { Upgrades } from './runs/upgrades.ts'

/** Takes update packages and shows what upgrades did. */
export const upgradesService =
  optionalService<Pick<Upgrades, 'state' | 'receive' | 'requireInstalled' | 'takeEnd'>>('upgrades')
