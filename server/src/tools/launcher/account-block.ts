// Which numbers the accounts of a state folder get, where they have no names (core/engine/accounts.ts).

/** More than there are names. */
const blockSize = 16

/**
 * Above what 16 bits hold and below the first subordinate ids (100000): no distribution, login, dynamic user of systemd
 * (61184-65519) or container (524288 and above) uses these numbers. The second range is for machines that do not have
 * them, such as containers with 65536 users; systemd lists it as unused.
 */
const ranges = [
  { first: 65_536, last: 99_999 },
  { first: 60_720, last: 61_183 },
] as const

/** Of the numbers that this process may use; a line of /proc/self/uid_map is `inside outside count`. */
function hasNumbers(map: string, last: number): boolean {
  return map.split('\n').some((line) => {
    const [inside = Number.NaN, , count = 0] = line.trim().split(/\s+/).map(Number)
    return inside <= last && last < inside + count
  })
}

/**
 * The first number of the block of a state folder; `hash` is any number that depends on its path alone. A block with a number
 * that `isTaken` knows is left out: a site may give such numbers to people.
 */
export function blockOf(hash: number, userMap: string, isTaken: (number: number) => boolean = () => false): number {
  const { first, last } = ranges.find((range) => hasNumbers(userMap, range.last)) ?? ranges[1]
  const blocks = Math.floor((last - first + 1) / blockSize)
  const starts = Array.from({ length: blocks }, (_, index) => first + blockSize * ((hash + index) % blocks))
  const isFree = (start: number) => !Array.from({ length: blockSize }, (_, index) => start + index).some(isTaken)
  return starts.find(isFree) ?? first + blockSize * (hash % blocks)
}

/** Numbers of the users and groups that the machine lists, and of the ranges it lends to users for their namespaces. */
export function takenNumbers(lists: { readonly passwd: string; readonly group: string; readonly lent: string }) {
  const linesOf = (text: string) => text.split('\n').map((line) => line.split(':'))
  const single = new Set([
    ...linesOf(lists.passwd).flatMap(([, , uid, gid]) => [Number(uid), Number(gid)]),
    ...linesOf(lists.group).map(([, , gid]) => Number(gid)),
  ])
  const lent = linesOf(lists.lent).map(([, start, count]) => ({ start: Number(start), count: Number(count) }))
  return (number: number): boolean =>
    single.has(number) || lent.some(({ start, count }) => number >= start && number < start + count)
}
