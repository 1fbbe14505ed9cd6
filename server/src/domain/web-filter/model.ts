// What the content filter decides with and about, as plain data: the policy that gatewayd writes, the question about one
// request, and the decision. The decision process, explain and the tests share it. Pure.

import type { Ranges } from '../../shared/net/ranges.ts'

export type FilterAccess = 'allow' | 'deny' | 'bump' | 'redirect'

/** Whom a rule applies to; it does when any of them holds. */
export interface FilterSources {
  readonly isAny: boolean
  /** Ids of users and groups, as a session has them. */
  readonly members: readonly string[]
  /** IPv4 addresses as numbers. */
  readonly addresses: Ranges
}

/** An enabled rule of an administrator with its objects resolved. */
export interface FilterRule {
  readonly id: number
  readonly name: string
  readonly access: FilterAccess
  readonly redirectUrl: string | null
  readonly sources: FilterSources
  /** Ids as in the interface: `users.id.1`, `special.id.1`, `files.id.3`, `extended.id.12`, `other.id.1`. */
  readonly categories: readonly string[]
  /** Empty: not checked. */
  readonly methods: readonly string[]
  /** Lower case, a whole type or all of a kind (`video/*`). Empty: not checked. */
  readonly contentTypes: readonly string[]
  /** Unix seconds; null: always. */
  readonly times: Ranges | null
}

/** The file `policy.json`: everything but what is long (entries of user categories, words of dictionaries, the index). */
export interface FilterPolicy {
  /** False where only the direct proxy is on: then everything is allowed. */
  readonly isEnabled: boolean
  readonly usesExtended: boolean
  readonly safeSearch: boolean
  readonly morphology: boolean
  /** What is answered where the decision process cannot decide. */
  readonly onFailure: 'block' | 'pass'
  /** Names of categories by id, for the block page: every fixed one, and the user categories. */
  readonly names: Readonly<Record<string, string>>
  readonly rules: readonly FilterRule[]
}

/** Who is at an address, by a session on the network. */
export interface FilterUser {
  /** `user.id.5` */
  readonly id: string
  readonly login: string
  readonly name: string
  /** The user and every group above. */
  readonly members: readonly string[]
}

/**
 * When the proxy asks. `tls`: the name of the server is all that is known of a TLS connection. `request`: the request is
 * there, in plain text or decrypted. `reply`: the headers of the reply are there too.
 */
export type FilterStage = 'tls' | 'request' | 'reply'

/** What is known of a request at a stage. */
export interface FilterQuestion {
  readonly stage: FilterStage
  /** The address of the client. */
  readonly source: string
  readonly user: FilterUser | null
  /** Unix seconds. */
  readonly time: number
  /** Where the client connects to; null for the direct proxy. */
  readonly destination: string | null
  readonly port: number
  /**
   * As sent: the server name of the hello, or the host of the URL without the port. Where a TLS hello has no name, the
   * address that the client connects to.
   */
  readonly host: string
  /** `https` also for TLS that is not decrypted. */
  readonly scheme: 'http' | 'https'
  /** Null at the stage `tls`. */
  readonly method: string | null
  /** With the query, as sent; null at the stage `tls`. */
  readonly path: string | null
  /**
   * The header Content-Type of the request and of the reply, as sent: with parameters, and with a comma between several.
   * Null when there is none (yet).
   */
  readonly requestType: string | null
  readonly replyType: string | null
}

/**
 * `splice`: pass TLS on as it is. `bump`: decrypt. `wait`: only the reply decides. At the stage `tls` a denied connection is
 * decrypted to show the page, and its verdict is `deny`.
 */
export type FilterVerdict = 'splice' | 'bump' | 'allow' | 'deny' | 'redirect' | 'wait'

/** A category that a request is in, with the entry that says so. */
export interface FoundCategory {
  readonly id: string
  /** The entry as written in the list, such as `example.com/path`; null where no list has it (files, special). */
  readonly entry: string | null
  /** The file or the user category the entry is from; null where there is none. */
  readonly source: string | null
}

export interface FilterDecision {
  readonly verdict: FilterVerdict
  /** The rule that decided; null when none matched, which allows. */
  readonly ruleId: number | null
  /** `safe-search` when that decided, before every rule. */
  readonly reason: 'rule' | 'default' | 'safe-search' | 'disabled'
  readonly location: string | null
  readonly categories: readonly FoundCategory[]
}

/** The categories of a host and path; the index and the user categories answer it. */
export interface CategoryLookup {
  /** `host` is in the form of `canonicalHost()`; `path` is null where only the name is known. */
  find(request: Pick<FilterQuestion, 'host' | 'path' | 'scheme' | 'port'>): readonly FoundCategory[]
}
