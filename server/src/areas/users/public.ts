// What other areas may use of users and groups: the lists, and who is in which group.

export {
  findGroup,
  findUser,
  fixedGroups,
  groupId,
  groupPath,
  groups,
  makeLocal,
  passwordPlace,
  type StoredUser,
  userId,
  userIds,
  users,
} from './config.ts'
export { userList } from './lists.ts'
