// Whether something keeps the clock of the machine right, as the kernel knows it from adjtimex(2). Reading needs no privilege.

/** Of `struct timex` on 64-bit Linux: where its status is, and the bit that says that nothing keeps the clock. */
const statusOffset = 40
const isUnkept = 0x40
/** The structure has 208 bytes; a later kernel may fill more. */
const structBytes = 512

/** Null where the kernel cannot be asked. */
export function createClockProbe(): () => boolean | null {
  try {
    const { dlopen } = process.getBuiltinModule('node:ffi')
    const { functions } = dlopen(null, { adjtimex: { return: 'int32', arguments: ['pointer'] } })
    const timex = Buffer.alloc(structBytes)
    return () => {
      // No bit of `modes` is set: nothing is changed.
      timex.fill(0)
      return functions.adjtimex(timex) < 0 ? null : (timex.readInt32LE(statusOffset) & isUnkept) === 0
    }
  } catch {
    return () => null
  }
}
