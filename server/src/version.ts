// The version of this release; the management API line it serves is v19.

export const version = '0.1.0'
