// What a call leaves in the audit trail: its action and the secrets it showed, written before it is answered, and its refusal.

import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Context, Route, Services } from '../../core/area/handle.ts'
import { isRawReply } from '../../core/area/raw-reply.ts'
import type { RefusalLog } from '../../core/area/refusal-log.ts'
import type { AuditEntry } from '../../core/audit/audit-entry.ts'
import { hasFullAccess } from '../../core/contract/access.ts'
import { type Endpoint, nameOf } from '../../core/contract/endpoint.ts'
import { GatewayError } from '../../core/contract/error.ts'
import { secretMask } from '../../core/contract/fields.ts'
import { say } from '../../shared/said.ts'
import { plainAddress } from './request.ts'

function actionEntry(request: FastifyRequest, endpoint: Endpoint): AuditEntry {
  return {
    event: 'action',
    who: request.identity?.login ?? '',
    address: plainAddress(request.ip),
    what: nameOf(endpoint),
    result: 'ok',
    message: endpoint.summary,
    request_id: request.id,
    revision: null,
    changes: [],
  }
}

export type Auditing = Pick<Context, 'isFullAdministrator' | 'audit' | 'revealer'>

/** The records of one call. */
export class CallRecords {
  readonly #services: Services
  readonly #route: Route
  readonly #request: FastifyRequest
  readonly #entries: AuditEntry[] = []
  #hasShownSecret = false

  constructor(services: Services, route: Route, request: FastifyRequest) {
    this.#services = services
    this.#route = route
    this.#request = request
  }

  /** What a handler may ask for instead of putting it together itself. */
  capabilities(): Auditing {
    const isFullAdministrator = hasFullAccess(this.#request.identity?.role)
    const audit: Context['audit'] = (message, result = 'ok') =>
      void this.#entries.push({ ...actionEntry(this.#request, this.#route.endpoint), result, message })
    const revealer: Context['revealer'] = (message) => {
      if (!isFullAdministrator) return () => secretMask
      let isRecorded = false
      return (secret, place) => {
        if (!isRecorded) audit(message)
        isRecorded = true
        this.#hasShownSecret = true
        return this.#services.vault.reveal(secret, place)
      }
    }
    return { isFullAdministrator, audit, revealer }
  }

  /** Whether the reply has a secret in it. */
  get hasShownSecret(): boolean {
    return this.#hasShownSecret
  }

  /** Null when there is nothing to record, as for nearly every read; otherwise resolves when it is durable. */
  written(result: unknown): Promise<void> | null {
    this.#addAction()
    return this.#entries.length === 0 ? null : this.#write(result)
  }

  async #write(result: unknown): Promise<void> {
    const { audit } = this.#services
    try {
      await audit.record(this.#entries)
    } catch (cause) {
      // What was done cannot be refused any more: its record waits for room. What would only be shown is not shown.
      if (this.#route.endpoint.effect !== 'read') return this.noteAll()
      if (isRawReply(result) && result.content instanceof Readable) result.content.destroy()
      throw new GatewayError('unavailable', unrecorded, { cause })
    }
  }

  #addAction(): void {
    const { endpoint, audits } = this.#route
    if (endpoint.effect === 'action' && !audits) this.#entries.push(actionEntry(this.#request, endpoint))
  }

  /** It was done after all, when no one waited for it any more. */
  noteDone(): void {
    this.#addAction()
    this.noteAll()
  }

  /** The call failed: what it did until then is recorded nevertheless. */
  noteAll(): void {
    for (const entry of this.#entries.splice(0)) this.#services.audit.note(entry)
  }
}

const unrecorded = say`The audit record of this call could not be written: the disk is full, read-only or failing. Make room and try again.`

/** Every refused attempt to change something, and every refused access. Sign-ins write their own audit records. */
export function auditRefusal(refusals: RefusalLog, request: FastifyRequest, error: GatewayError): void {
  const endpoint = request.route?.endpoint
  const isRead = endpoint ? endpoint.effect === 'read' : ['GET', 'HEAD'].includes(request.method)
  if (endpoint?.access === 'public' || error.code === 'too_many_requests') return
  if (isRead && error.code !== 'forbidden' && error.code !== 'unauthenticated') return
  refusals.refused({
    event: 'refused',
    who: request.identity?.login ?? '',
    address: plainAddress(request.ip),
    what: endpoint ? nameOf(endpoint) : `${request.method} (unknown path)`,
    result: error.code,
    message: error.message,
    request_id: request.id,
    revision: null,
    changes: error.problems,
  })
}
