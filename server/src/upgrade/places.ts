// Where an upgrade keeps what. gatewayd writes one folder, root another; both read the status.

import { join } from 'node:path'

export const packageName = 'portcullis'
/** Only a program that lies here was installed as a package. */
export const installedApp = '/usr/lib/portcullis'
export const dpkgStatus = '/var/lib/dpkg/status'
/** Keys that came with the package, and those that the administrator trusts besides. */
export const keyFolders = [`${installedApp}/update-keys`, '/etc/portcullis/update-keys'] as const
export const upgradeUnit = 'portcullis-upgrade.service'

export interface UpgradePlaces {
  readonly state: string
  /** Of gatewayd: the uploaded package, and what gatewayd says about itself. */
  readonly incoming: string
  /** Of root alone, as is the folder above it, which has the records of applyd and of the package. */
  readonly root: string
  readonly records: string
  /** Readable for everyone on the machine: what the last upgrade does or did. */
  readonly status: string
}

export const upgradePlaces = (state: string): UpgradePlaces => ({
  state,
  incoming: join(state, 'upgrade'),
  root: join(state, 'applyd', 'upgrade'),
  records: join(state, 'applyd'),
  status: join(state, 'run', 'upgrade.json'),
})

/** In the folder of gatewayd. */
export const uploadedName = 'package.deb'
export const runningName = 'running.json'
