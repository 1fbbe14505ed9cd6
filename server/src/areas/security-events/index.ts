// The journal of security events. The inspection engine writes the events, and the thread of the log reads them.

import { defineArea } from '../../core/area/handle.ts'
import { routes } from './routes.ts'

export const securityEvents = defineArea({ name: 'security-events', slots: [], routes })
