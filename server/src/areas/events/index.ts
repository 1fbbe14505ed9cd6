// Events for pages that stay open, so that they need not ask again and again.

import { defineArea, handle, signedIn } from '../../core/area/handle.ts'
import { mayUse } from '../../core/contract/access.ts'
import { listenToEvents, listStatuses } from './contract.ts'
import { statusesService } from './service.ts'

export const events = defineArea({
  name: 'events',
  slots: [],
  routes: [
    handle(listenToEvents, (context) => {
      const identity = signedIn(context)
      const { eventStreams, events: gatewayEvents } = context.services
      return eventStreams.open(context, (stream) => gatewayEvents.listen(identity, stream))
    }),
    handle(listStatuses, async (context) => {
      const { role } = signedIn(context)
      const statuses = await context.services.of(statusesService)()
      return statuses
        .filter(({ access }) => mayUse(role, access))
        .map(({ path, items }) => ({ path, items: [...items] }))
    }),
  ],
})
