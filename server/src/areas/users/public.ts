// What others may use of this area.

export { findGroup, findUser, fixedGroups, groupId, groupPath, groups, makeLocal, userId, users } from './config.ts'
