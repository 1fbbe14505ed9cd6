// All signatures there are, in memory: by sid, in groups, and by filter. Immutable; another set of rules makes another one.

import { classtypeNames, nameOfTactic, tacticNames } from './names.ts'
import { none, type Rule, type Signature } from './rule.ts'

export interface Catalogue {
  /** In the order of their sids. */
  readonly signatures: readonly Signature[]
  readonly classtypes: ReadonlyMap<string, string>
  /** Texts of rules that the inspection engine does not take, no matter who wrote them; none of them is in the catalogue. */
  readonly refused: ReadonlySet<string>
  find(sid: number): Rule | undefined
}

/** Of rules with the same sid the newest revision counts, among equals the first. */
export function createCatalogue(
  rules: readonly Rule[],
  classtypes: ReadonlyMap<string, string> = classtypeNames,
  refused: ReadonlySet<string> = new Set(),
): Catalogue {
  const bySid = new Map<number, Rule>()
  for (const rule of rules) {
    if (refused.has(rule.text)) continue
    const known = bySid.get(rule.signature.sid)
    if (!known || rule.rev > known.rev) bySid.set(rule.signature.sid, rule)
  }
  const signatures = [...bySid.values()].map((rule) => rule.signature).sort((a, b) => a.sid - b.sid)
  return { signatures, classtypes, refused, find: (sid) => bySid.get(sid) }
}

/** The catalogue with rules of administrators; theirs count whatever else has the sid. */
export function withRules(catalogue: Catalogue, rules: readonly Rule[]): Catalogue {
  if (rules.length === 0) return catalogue
  const own = createCatalogue(rules, catalogue.classtypes, catalogue.refused)
  const others = catalogue.signatures.filter(({ sid }) => !own.find(sid))
  return {
    signatures: [...own.signatures, ...others].sort((a, b) => a.sid - b.sid),
    classtypes: catalogue.classtypes,
    refused: catalogue.refused,
    find: (sid) => own.find(sid) ?? catalogue.find(sid),
  }
}

export interface ClasstypeGroup {
  readonly classtype: string
  readonly classtype_name: string
  readonly mitre_tactics: { mitre_tactic_id: string; mitre_tactic_name: string }[]
  readonly count: number
}

export interface TacticGroup {
  readonly mitre_tactic_id: string
  readonly mitre_tactic_name: string
  readonly classtypes: { classtype: string; classtype_name: string; count: number }[]
}

/** One row a classtype, by name; a signature without a tactic adds none to its row. */
export function groupByClasstype(catalogue: Catalogue): ClasstypeGroup[] {
  const groups = Map.groupBy(catalogue.signatures, ({ classtype }) => classtype)
  const rows = [...groups].map(([classtype, signatures]) => ({
    classtype,
    classtype_name: catalogue.classtypes.get(classtype) ?? classtype,
    mitre_tactics: tacticsOf(signatures).map((id) => ({ mitre_tactic_id: id, mitre_tactic_name: nameOfTactic(id) })),
    count: signatures.length,
  }))
  return rows.sort((a, b) => compareTexts(a.classtype_name, b.classtype_name))
}

/** One row a tactic in the order of the matrix; signatures without one are in the last row. */
export function groupByTactic(catalogue: Catalogue): TacticGroup[] {
  const groups = Map.groupBy(catalogue.signatures, ({ mitre_tactic_id }) => mitre_tactic_id)
  return [...groups.keys()].sort(compareTactics).map((id) => {
    const byClasstype = Map.groupBy(groups.get(id) ?? [], ({ classtype }) => classtype)
    const classtypes = [...byClasstype].map(([classtype, signatures]) => ({
      classtype,
      classtype_name: catalogue.classtypes.get(classtype) ?? classtype,
      count: signatures.length,
    }))
    return {
      mitre_tactic_id: id,
      mitre_tactic_name: nameOfTactic(id),
      classtypes: classtypes.sort((a, b) => compareTexts(a.classtype_name, b.classtype_name)),
    }
  })
}

const tacticsOf = (signatures: readonly Signature[]): string[] =>
  [...new Set(signatures.map(({ mitre_tactic_id }) => mitre_tactic_id))]
    .filter((id) => id !== none)
    .sort(compareTactics)

const places = new Map([...tacticNames.keys()].map((id, place) => [id, place]))
/** A tactic that is not known goes behind the known ones and before "none". */
const placeOf = (id: string): number => (id === none ? places.size : (places.get(id) ?? places.size - 0.5))

const compareTactics = (a: string, b: string): number => placeOf(a) - placeOf(b) || compareTexts(a, b)

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
