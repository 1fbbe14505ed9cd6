// The area of users and their groups: whose traffic the gateway knows by name.

import { defineArea } from '../../core/area/handle.ts'
import { groups, users } from './config.ts'
import { groupList, userList } from './lists.ts'
import { routes } from './routes.ts'

export const usersArea = defineArea({ name: 'users', slots: [users, groups], lists: [userList, groupList], routes })
