// An engine as applyd runs it: the declaration that both sides share, and what gatewayd may not choose. From this one value
// come the entries of applyd's tables.

import type { Account, AccountName } from '../../core/engine/accounts.ts'
import type { EngineData } from '../../core/engine/engine.ts'
import type { DataPlane } from '../../core/plan/artifacts.ts'
import type { EngineRequests } from './requests.ts'
import type { ServiceAccount, UnitSpec } from './tables.ts'
import type { Way } from './ways.ts'

/** Where and for whom an engine is set up. */
export interface Place {
  readonly stateDir: string
  readonly plane: DataPlane
  /** The account of gatewayd; null where root is the only account, as in a user namespace. */
  readonly service: ServiceAccount
  /** An account of our own; undefined where root is the only one. */
  readonly accountOf: (name: AccountName) => Account | undefined
}

/** The rest of a unit (what it needs of the kernel, where its output goes) is in the declaration. */
export type UnitParts = Omit<UnitSpec, 'needs' | 'output' | 'installation'>

export interface EngineParts<E extends EngineData = EngineData> {
  readonly units: { readonly [K in keyof E['units']]: UnitParts }
  /** The instance comes from a plan: it is a device or an address, and must be checked. */
  readonly unitTemplates: { readonly [K in keyof E['unitTemplates']]: (instance: string) => UnitParts }
  /** What applyd adds to a file of a plan: folders, accounts and sockets. */
  readonly endings?: { readonly [K in keyof E['files']]?: string }
  /** What it needs of the kernel beside the tables of a plan. */
  readonly ways?: readonly Way[]
  /** What gatewayd may ask of it beside plans; made once at the start of applyd. */
  readonly requests?: () => EngineRequests
  /** Once at the start of applyd, when the folders are there and before any unit starts. */
  readonly prepare?: () => void
}

export interface Engine {
  readonly data: EngineData
  readonly setUp: (place: Place) => EngineParts
}

export const defineEngine = <E extends EngineData>(data: E, setUp: (place: Place) => EngineParts<E>): Engine => ({
  data,
  setUp,
})
