// A program that gw admin reset starts when root runs it: becomes the owner of the folder permanently, then does the work, and
// writes the result as one line of JSON. Arguments: the folder, the login, the user and the group to become.

import { resetAdministrator } from './reset-administrator.ts'

const [folder = '', login = '', uid = '', gid = ''] = process.argv.slice(2)
const [user, group] = [Number(uid), Number(gid)]

if (!(user > 0) || !(group > 0)) throw new Error('The owner of the folder must be another account than root.')
process.setgroups?.([])
process.setgid?.(group)
// Last, because it takes away the right to all of this. It also empties every set of capabilities.
process.setuid?.(user)
if (process.getuid?.() !== user || process.geteuid?.() !== user || process.getegid?.() !== group)
  throw new Error('The rights of root could not be dropped.')
process.umask(0o077)

process.stdout.write(`${JSON.stringify(await resetAdministrator(folder, login))}\n`)
