// Codes that work once: those of authenticator apps, whose used steps are remembered, and those that are sent to a user. A code
// that was used stays used, also after a restart and after the clock was set back.

import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import type { Tables } from '../../../core/database/shelter.ts'
import { type Clock, unixSeconds } from '../../../shared/time/clock.ts'
import { createSecret, enrolmentUri, stepsOf } from './totp.ts'

/** Of each user; more than the steps that are valid at one moment, so that setting the clock back brings none of them again. */
const keptOfUser = 64

/** Six digits, like those of an app. */
const sentCodes = 1_000_000
const form = /^\d{6}$/

const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest()

export class OneTimeCodes {
  readonly #database: Tables
  readonly #clock: Clock

  constructor(database: Tables, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /** A secret for a new app, and the text of its QR code. */
  createEnrolment(issuer: string, login: string): { readonly secret: string; readonly uri: string } {
    const secret = createSecret()
    return { secret, uri: enrolmentUri(secret, issuer, login) }
  }

  /** True when it is the code of an app and was not used; it is used from then on. */
  use(userId: string, secret: string, given: string): boolean {
    const code = withoutSpaces(given)
    if (!form.test(code)) return false
    return stepsOf(secret, code, unixSeconds(this.#clock.now())).some((step) => this.#useStep(userId, step))
  }

  /** True for the first who uses the step; of requests that come together only one gets true. */
  #useStep(userId: string, step: number): boolean {
    return this.#database.transact(() => {
      const { changes } = this.#database
        .prepare('INSERT OR IGNORE INTO used_codes (user_id, step) VALUES (?, ?)')
        .run(userId, step)
      if (Number(changes) === 0) return false
      this.#database
        .prepare(
          `DELETE FROM used_codes WHERE user_id = ?1 AND sequence NOT IN
           (SELECT sequence FROM used_codes WHERE user_id = ?1 ORDER BY sequence DESC LIMIT ?2)`,
        )
        .run(userId, keptOfUser)
      return true
    })
  }

  /** A code to send; its ticket keeps the hash. */
  createSent(): { readonly code: string; readonly hash: Buffer } {
    const code = String(randomInt(sentCodes)).padStart(6, '0')
    return { code, hash: hashOf(code) }
  }

  isSent(given: string, hash: Buffer): boolean {
    return timingSafeEqual(hashOf(withoutSpaces(given)), hash)
  }
}

const withoutSpaces = (code: string): string => code.replaceAll(/\s/g, '')
