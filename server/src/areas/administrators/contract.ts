// Local administrators (docs/behaviour/administrators.md).

import type { Static } from 'typebox'
import { roleIds } from '../../core/contract/access.ts'
import { collectionEndpoints, tableEndpoint } from '../../core/contract/collections.ts'
import { Comment, nullable, oneOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const Login = Type.String({
  minLength: 1,
  maxLength: 42,
  // Neither `.` nor `..`, no control characters, and none of : \ / ~ $ ! @ or white space.
  pattern: '^(?!\\.{1,2}$)[^:\\\\/~$!@\\s\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$',
  'x-fault': 'Must not be . or .. and must not contain : \\ / ~ $ ! @ or white space.',
})

const Password = Type.String({ 'x-secret': true, minLength: 10, maxLength: 42, description: 'Never returned.' })

const shared = {
  enabled: Type.Boolean({ description: 'Whether this account may sign in.' }),
  name: text({ minLength: 1, maxLength: 42 }),
  login: Login,
  role: oneOf(roleIds, 'Access level.'),
  comment: Comment,
}

export const NewAdministrator = strictObject({ ...shared, password: Password })
export type NewAdministrator = Static<typeof NewAdministrator>

export const AdministratorPatch = strictObject({
  enabled: Type.Optional(shared.enabled),
  name: Type.Optional(shared.name),
  login: Type.Optional(shared.login),
  role: Type.Optional(shared.role),
  comment: Type.Optional(shared.comment),
  password: Type.Optional(nullable(Password)),
})
export type AdministratorPatch = Static<typeof AdministratorPatch>

export const Administrator = strictObject({
  id: Type.String(),
  name: shared.name,
  enabled: shared.enabled,
  login: shared.login,
  role: shared.role,
  comment: shared.comment,
  password_timestamp: Type.Integer({
    'x-time': 'unix',
    description: 'Unix seconds of the last change of the password.',
  }),
})
export type Administrator = Static<typeof Administrator>

export const administratorColumns = ['id', 'name', 'enabled', 'login', 'role', 'comment', 'password_timestamp'] as const

const spec = {
  path: '/web/admins/local',
  title: 'local administrators',
  item: 'a local administrator',
  change: 'configure',
  idName: 'admin_id',
  fields: NewAdministrator,
  patch: AdministratorPatch,
  shown: Administrator,
  needsFreshSignIn: true,
} as const

export const localAdministrators = {
  ...collectionEndpoints(spec),
  list: tableEndpoint({ ...spec, columns: administratorColumns }),
}
