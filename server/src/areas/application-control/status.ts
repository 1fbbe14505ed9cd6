// The status of application control: of the engine, as it was observed and tested, for its rules and for profiles.

import type { Machine } from '../../core/area/handle.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import type { InspectionState } from '../../core/contract/inspection-state.ts'
import { inspectionStatus } from '../../engines/inspection/status.ts'
import { say } from '../../shared/said.ts'

export const applicationStatusItems = (machine: Machine, inspection: InspectionState): StatusItem[] => [
  {
    name: 'application-control',
    ...inspectionStatus({
      machine,
      inspection,
      isOwn: ({ applications, older }) => applications !== '' || older !== null,
      unused: say`No application control rule is enabled, and no enabled firewall rule names a profile of applications.`,
    }),
  },
]
