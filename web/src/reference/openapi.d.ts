// What the reference reads of /openapi.json, for the type checker only: this file is not served.
// The document is made by server/src/core/contract/openapi.ts.

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly pattern?: string
  /** What the gateway says when the pattern does not match. */
  readonly 'x-fault'?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
}

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>

/** A component under its name, or the thing itself. */
export type Named<T> = T | { readonly $ref: string }

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
  readonly example?: unknown
  /** Instead of `schema` where the parameter carries JSON text. */
  readonly content?: Content
}

export interface Header {
  readonly schema: Schema
  readonly description?: string
}

export interface Body {
  readonly content: Content
}

export interface Reply {
  readonly description: string
  readonly content?: Content
  readonly headers?: Readonly<Record<string, Named<Header>>>
}

export interface Described {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly 'x-access': string
  readonly parameters?: readonly Named<Parameter>[]
  readonly requestBody?: Named<Body>
  readonly responses: Readonly<Record<string, Named<Reply>>>
}

/** Operations by method, and the parameters that all of them have. */
export type Path = Readonly<Record<string, Described>> & { readonly parameters?: readonly Named<Parameter>[] }

/** With what its references lead to, and the parameters of its path. */
export interface Operation extends Described {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Reply>>
}

export interface Components {
  readonly schemas: Readonly<Record<string, Schema>>
  readonly [kind: string]: Readonly<Record<string, unknown>>
}

export interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string }[]
  /** Which roles have each access. */
  readonly 'x-access-roles': Readonly<Record<string, readonly string[]>>
  readonly paths: Readonly<Record<string, Path>>
  readonly components: Components
}
