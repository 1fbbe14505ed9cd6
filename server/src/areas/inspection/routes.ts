// Endpoints of inspection as a whole.

import { handle, type Route } from '../../core/area/handle.ts'
import { notFound } from '../../core/contract/error.ts'
import { say, sentencesIn } from '../../shared/said.ts'
import { failures } from './config.ts'
import * as contract from './contract.ts'
import { isAnyProfile, setFailure } from './lists.ts'
import { inspectionService } from './service.ts'
import { showChannels, showProfiles } from './status.ts'

export const routes: readonly Route[] = [
  handle(contract.inspectedProfiles.list, async ({ config, services }) => {
    const inspection = services.of(inspectionService)
    const { observation } = await services.observe()
    return showProfiles(config, inspection.state(observation), inspection.rulesByProfile(config))
  }),
  handle(
    contract.inspectedProfiles.update,
    ({ params: { profile_id: id }, body: { on_failure }, change }) =>
      change((config) => {
        if (!isAnyProfile(config, id)) throw notFound(say`profile with the id ${id.slice(0, 80)}`)
        return setFailure(config, { id, on_failure })
      }),
    { slot: failures },
  ),
  handle(contract.channels, async ({ config, services }) => {
    const inspection = services.of(inspectionService)
    const { observation } = await services.observe()
    const shown = showChannels(config, inspection.state(observation), observation)
    const reasons = [...shown.channels.map(({ message }) => message), ...shown.failed.map(({ reason }) => reason)]
    return { ...shown, sentences: sentencesIn([shown.message, ...reasons]) }
  }),
]
