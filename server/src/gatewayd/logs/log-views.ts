// The views of the log, by the names that questions use. Wiring only.

import { hitsView } from '../../areas/firewall-log/view.ts'
import { systemView } from '../../areas/logs/view.ts'
import { trafficView } from '../../areas/monitor/view.ts'
import { sessionsView } from '../../areas/monitor/view-sessions.ts'
import { eventDetailsView, eventsView } from '../../areas/security-events/view.ts'
import { webView } from '../../areas/web-log/view.ts'
import type { View } from '../../domain/logs/view.ts'

export const logViews: Readonly<Record<string, View>> = {
  records: systemView,
  hits: hitsView,
  traffic: trafficView,
  sessions: sessionsView,
  web: webView,
  security: eventsView,
  security_details: eventDetailsView,
}
