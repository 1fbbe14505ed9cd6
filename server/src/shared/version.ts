// The version of this release; the management API line it serves is v19.

export const version = '0.1.0'

/** The same as data: backups carry it, and tell by it where they can be restored. */
export const release = {
  major: 0,
  minor: 1,
  build: 0,
  /** Unix seconds of the release. */
  timestamp: 1_794_700_800,
  vendor: 'Portcullis',
  product: 'UTM',
  kind: 'STANDARD',
  release_type: 'devel',
} as const
