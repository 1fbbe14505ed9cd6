// Whether something may be changed now, and the words that say why not: the role, a change that waits to be kept, or no connection.

import { type Access, mayUse, roles } from '@gateway/server/core/access'
import { t } from '../words.ts'
import { happenings } from './events.ts'
import { rolesFor, sessionStore } from './session.ts'
import { useStore } from './store.ts'

export interface Editing {
  readonly isAllowed: boolean
  /** For the tooltip of what is disabled; undefined when it is not. */
  readonly why: string | undefined
}

const allowed: Editing = { isAllowed: true, why: undefined }

/** For every control that changes something: `access` is that of its endpoint. */
export function useEditing(access: Access): Editing {
  const role = useStore(sessionStore).identity?.role
  const { waiting } = useStore(happenings)
  if (!role || !mayUse(role, access)) return { isAllowed: false, why: needsRole(access) }
  if (!waiting) return allowed
  const { author, revision } = waiting
  const time = new Date(waiting.deadline).toLocaleTimeString()
  return {
    isAllowed: false,
    why: t('Revision {revision} of {author} waits to be kept until {time}; nothing else can be changed before.', {
      revision,
      author,
      time,
    }),
  }
}

/** "Needs Firewall administrator": the narrowest role that may, since it is the one to ask for. */
export function needsRole(access: Access): string {
  const names = rolesFor(access).map((role) => t(roles[role]))
  return t('Needs the role {role}.', { role: names.at(-1) ?? '' })
}
