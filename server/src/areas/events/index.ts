// Events for pages that stay open, so that they need not ask again and again.

import { mayUse } from '../../contract/access.ts'
import { defineArea, handle, signedIn } from '../../http/handle.ts'
import { listenToEvents, listStatuses } from './contract.ts'

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
      const statuses = await context.services.readStatuses()
      return statuses
        .filter(({ access }) => mayUse(role, access))
        .map(({ path, items }) => ({ path, items: [...items] }))
    }),
  ],
})
