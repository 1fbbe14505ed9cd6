// What gatewayd may ask of an engine, beside plans: the engine declares it and applyd's core hands it on.

export interface EngineRequest<A = unknown> {
  /** Strict reading of what gatewayd sends. */
  parse(args: unknown): A
  /** `connection` is who asks; null inside this process. Never in the turn of plans. */
  perform(args: A, connection: object | null): Promise<unknown>
}

export interface EngineRequests {
  readonly requests: Readonly<Record<string, EngineRequest>>
  /** Who asked is gone. */
  readonly disconnected?: (connection: object) => void
  /** applyd ends. */
  readonly close?: () => void
}
