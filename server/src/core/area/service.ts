// The names of what areas offer to each other while the gateway runs; run.ts has how it is made.

/** The name under which something is offered. Light, because everything that uses it imports it. */
export interface Service<T> {
  readonly name: string
  /** Asked for where it does not run, it is undefined instead of a fault. */
  readonly isOptional: boolean
  /** Never there: it carries the type. */
  readonly offered?: T
}

export const service = <T>(name: string): Service<T> => ({ name, isOptional: false })

/** For what is there only where the machine is read or changed. */
export const optionalService = <T>(name: string): Service<T | undefined> => ({ name, isOptional: true })

export type Offered<S extends Service<unknown>> = NonNullable<S['offered']>
