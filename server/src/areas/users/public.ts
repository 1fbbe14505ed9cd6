// What other areas may use of users and groups: the lists, and who is in which group.

export { findGroup, findUser, fixedGroups, groupId, groupPath, groups, makeLocal, userId, users } from './config.ts'
export { userList } from './lists.ts'
