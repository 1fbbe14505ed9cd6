// The area of users and their groups: whose traffic the gateway knows by name.

import { defineArea } from '../../http/handle.ts'
import { groups, users } from './config.ts'
import { canMention, references } from './edits.ts'
import { routes } from './routes.ts'

export const usersArea = defineArea({ name: 'users', slots: [users, groups], references, canMention, routes })
