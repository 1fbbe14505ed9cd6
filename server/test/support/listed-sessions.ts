// Sessions of users that a test writes down: what others ask of them, without a network. Opening and ending is refused.

import type { UserSession, UserSessions } from '../../src/areas/authorization/runs/session.ts'
import { networkAround } from '../../src/shared/net/ipv4.ts'

export class ListedSessions implements UserSessions {
  sessions: readonly UserSession[] = []

  /** A connected sign-in, unless the fields say otherwise. */
  add(userId: string, address: string, fields: Partial<UserSession> = {}): UserSession {
    const session: UserSession = {
      id: `session-${this.sessions.length + 1}`,
      userId,
      type: 'web',
      address,
      mac: null,
      device: null,
      state: 'connected',
      startedAt: 0,
      ruleId: null,
      ...fields,
    }
    this.sessions = [...this.sessions, session]
    return session
  }

  list(): readonly UserSession[] {
    return this.sessions
  }

  ofUser(userId: string): readonly UserSession[] {
    return this.sessions.filter((session) => session.userId === userId)
  }

  /** As the keeper of sessions answers: also one that waits, and a host before the network around it. */
  at(address: string): UserSession | undefined {
    const isAround = ({ type, address: network }: UserSession): boolean =>
      type === 'net' && networkAround(address, Number(network.split('/')[1])) === network
    return this.sessions.find((session) => session.address === address) ?? this.sessions.find(isAround)
  }

  openWeb(): Promise<UserSession> {
    return Promise.reject(new Error('these sessions are only read'))
  }

  end(): Promise<boolean> {
    return Promise.reject(new Error('these sessions are only read'))
  }

  endAllOf(): Promise<void> {
    return Promise.reject(new Error('these sessions are only read'))
  }
}
