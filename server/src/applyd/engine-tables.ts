// Makes the tables of applyd from engines: paths below the state folder, owners by account, units with what their engine
// declares. Nothing here depends on a particular engine.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AccountName, accountNames } from '../core/engine/accounts.ts'
import type { Access, EngineData, UnitData } from '../core/engine/engine.ts'
import type { Engine, Place, UnitParts } from '../engines/kit/privileged.ts'
import type { Limits, Tables, UnitSpec } from '../engines/kit/tables.ts'
import type { Way } from '../engines/kit/ways.ts'
import type { Ownership } from '../shared/files/durable.ts'
import { giveTree, makeFolder } from '../shared/files/guarded.ts'
import { installationOf } from './install.ts'

type EngineTables = Pick<
  Tables,
  'files' | 'fileTemplates' | 'units' | 'templates' | 'formerUnits' | 'ways' | 'requests' | 'makeReady'
>

export function engineTables(engines: readonly Engine[], place: Place): EngineTables {
  const made = engines.map(({ data, setUp }) => ({ data, parts: setUp(place) }))
  const below = (path: string): string => join(place.stateDir, path)
  const owned = (access: Access): Ownership => ownershipOf(access, place)
  const ownerOf = (name: AccountName | undefined): { readonly uid?: number } => {
    const account = name === undefined ? undefined : place.accountOf(name)
    return account ? { uid: account.uid } : {}
  }
  const unitOf = (engine: EngineData, { output }: UnitData, parts: UnitParts): UnitSpec => ({
    ...parts,
    // Root in a user namespace is an ordinary account outside, whose other processes would count.
    limits: place.service ? parts.limits : withoutProcesses(parts.limits),
    needs: engine.kernel,
    ...(engine.packages.use.length === 0
      ? {}
      : {
          installation: { packages: engine.packages.use, ...installationOf(engine.service, place) },
        }),
    ...(output
      ? { output: { ...owned(output), ...ownerOf(output.owner), path: below(output.path), maxBytes: output.maxBytes } }
      : {}),
  })
  return {
    files: collect(made, ({ data, parts }) =>
      Object.entries(data.files).map(([name, file]) => {
        const ending = parts.endings?.[name]
        return [name, { ...owned(file), path: below(file.path), ...(ending === undefined ? {} : { ending }) }]
      }),
    ),
    fileTemplates: collect(made, ({ data }) =>
      Object.entries(data.fileTemplates).map(([name, { folder, isForced = true, ...access }]) => [
        name,
        { ...owned(access), folder: below(folder), isForced },
      ]),
    ),
    units: collect(made, ({ data, parts }) =>
      Object.entries(parts.units).map(([name, unit]) => [name, unitOf(data, declared(data.units, name), unit)]),
    ),
    templates: collect(made, ({ data, parts }) =>
      Object.entries(parts.unitTemplates).map(([name, make]) => [
        name,
        (instance: string) => unitOf(data, declared(data.unitTemplates, name), make(instance)),
      ]),
    ),
    formerUnits: collect(made, ({ data }) =>
      Object.entries(data.units).flatMap(([name, { formerNames = [] }]) =>
        formerNames.map((former): [string, string] => [former, name]),
      ),
    ),
    ways: [...collect(made, ({ parts }) => (parts.ways ?? []).map((way): [string, Way] => [way.name, way])).values()],
    requests: collect(made, ({ data, parts }) => (parts.requests ? [[data.service, parts.requests] as const] : [])),
    makeReady: () => {
      for (const { data, parts } of made) {
        for (const { path, owner, ...access } of data.folders) {
          const { mode, gid } = owned(access)
          const own = { uid: process.geteuid?.() ?? 0, gid: gid ?? process.getegid?.() ?? 0 }
          const account = owner === undefined ? undefined : place.accountOf(owner)
          const given = account && { uid: account.uid, gid: gid ?? account.gid }
          // The account may have had another number before.
          if (given && existsSync(below(path))) giveTree(below(path), given)
          makeFolder(below(path), mode, given ?? own)
        }
        parts.prepare?.()
      }
    },
  }
}

const withoutProcesses = ({ nofile, data }: Limits): Limits => ({ nofile, data })

/** Two engines with the same name would silently replace each other. */
function collect<E, V>(engines: readonly E[], entriesOf: (engine: E) => readonly (readonly [string, V])[]) {
  const all = engines.flatMap(entriesOf)
  const found = new Map(all)
  if (found.size < all.length) throw new Error(`Two engines use one name: ${all.map(([name]) => name).join(', ')}.`)
  return found
}

function declared(units: Readonly<Record<string, UnitData>>, name: string): UnitData {
  const data = units[name]
  if (!data) throw new Error(`The unit ${name} is not declared by its engine.`)
  return data
}

function ownershipOf({ mode, group }: Access, { service, accountOf }: Place): Ownership {
  if (group === undefined || service === null) return { mode }
  const own = accountNames.find((name) => name === group)
  const gid = group === 'service' ? service.gid : own ? (accountOf(own)?.gid ?? null) : groupOf(group)
  return gid === null ? { mode } : { mode, gid }
}

export const readPasswd = (): string => readFileSync('/etc/passwd', 'utf8')

/** Engines read their files again after they dropped root, so these belong to the group of their account. */
function groupOf(account: string): number | null {
  const fields = readPasswd()
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === account)
  const gid = Number(fields?.[3])
  return gid > 0 ? gid : null
}
