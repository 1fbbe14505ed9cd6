// What runs for mail, by name. How it is made is in runs.ts.

import { optionalService } from '../../core/area/service.ts'

/** TXT records of a name: none when there is no such record, null when DNS could not be asked. */
export const textRecordsService = optionalService<{ lookUp(name: string): Promise<readonly string[] | null> }>(
  'text records',
)
