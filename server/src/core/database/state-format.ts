// The format of the whole state of gatewayd as one number. The package has it in its scripts, which record the highest one of the
// versions that were installed; a version that knows only lower numbers is refused (decision 90).

/** One more for every migration of a database and every upgrade step of a slot; test/durability/state-format.test.ts asks for it. */
export const stateFormat = 5
