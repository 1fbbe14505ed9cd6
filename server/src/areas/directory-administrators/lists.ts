// Administrator rules and RADIUS servers as declared: what rules mention and what must hold of the servers.

import type { Problem } from '../../core/contract/error.ts'
import { declareList, declareSettings, namesOne } from '../../core/model/declarations.ts'
import type { ListSlot } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { adRules, aldRules, radius, type StoredRadius, type StoredServer } from './config.ts'
import type { AdministratorRule } from './contract.ts'

/** Security groups are known to the directory alone, so a rule can name one that the gateway has never read. */
const ruleList = (slot: ListSlot<AdministratorRule>, noun: string) =>
  declareList<AdministratorRule>({
    slot,
    ids: { kind: 'uuid' },
    noun,
    nameOf: ({ comment }) => (comment === '' ? noun : `${noun} "${comment}"`),
    references: [namesOne('group_alias', { prefixes: ['security_group.'] })],
  })

export const adRuleList = ruleList(adRules, 'AD administrator rule')
export const aldRuleList = ruleList(aldRules, 'ALD administrator rule')

const isConfigured = ({ server, secret }: StoredServer): boolean => server !== '' && secret !== null

export const radiusSettings = declareSettings<StoredRadius>({
  slot: radius,
  noun: 'RADIUS servers',
  problemsOf: (_config, { primary, secondary }): Problem[] => {
    if (!isConfigured(secondary)) return []
    return [
      ...(isConfigured(primary)
        ? []
        : [{ field: 'secondary', message: say`Requires a primary server with a secret. Configure that first.` }]),
      ...(secondary.port === null
        ? [{ field: 'secondary.port', message: say`Must be set: the secondary server has no default port.` }]
        : []),
    ]
  },
})
