// The rules of the bench: none of them decides about an allowed request, so each question passes all of them. They are
// of the kinds that a real table has: other categories, other sources, other methods; the last one denies some names.

import type { FilterRule } from '../../server/src/domain/web-filter/model.ts'
import { printPolicy } from '../../server/src/domain/web-filter/policy-file.ts'
import { nameOf } from '../scale/category-names.ts'
import { listedCategory } from './index-file.ts'

export const deniedCategory = 'users.id.1'
const hostCount = 200

/** Half of them are in the index. */
export const allowedHosts = (entries: number): readonly string[] =>
  Array.from({ length: hostCount }, (_, at) => nameOf(at % 2 === 0 ? at * 7_919 : entries + at))

export const deniedHosts: readonly string[] = Array.from({ length: 32 }, (_, at) => `denied-${at}.test`)

export function policyText(ruleCount: number): string {
  const others = Array.from({ length: ruleCount - 1 }, (_, at) => ruleOf(at + 1))
  const last: FilterRule = { ...ruleOf(ruleCount), categories: [deniedCategory], sources: anyone, methods: [] }
  return printPolicy({
    isEnabled: true,
    usesExtended: true,
    safeSearch: false,
    morphology: false,
    onFailure: 'block',
    names: { [deniedCategory]: 'Denied' },
    rules: [...others, last],
  })
}

const anyone = { isAny: true, members: [], addresses: [] }

function ruleOf(id: number): FilterRule {
  const kind = id % 3
  const network = 0xc0a8_0000 + id * 256
  return {
    id,
    name: `Rule ${id}`,
    access: 'deny',
    redirectUrl: null,
    contentTypes: [],
    times: null,
    categories: [kind === 0 ? `extended.id.${40 + (id % 60)}` : listedCategory],
    sources: kind === 1 ? { isAny: false, members: [`user.id.${id}`], addresses: [network, network + 255] } : anyone,
    methods: kind === 2 ? ['POST'] : [],
  }
}
