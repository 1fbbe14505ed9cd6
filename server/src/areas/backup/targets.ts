import type { BackupVersion } from './contract.ts'

/** `dir_1/dir_2/backup` is the folder `dir_2/backup` of the share `dir_1` (docs/behaviour/backup.md 2). */
export function shareOf(remoteDir: string): { readonly share: string; readonly folder: string } {
  const [share = '', ...folders] = remoteDir.split('/').filter((part) => part !== '' && part !== '.')
  return { share, folder: folders.join('/') }
}

/** Contains nothing that a client sent: it is used in a header and on servers. */
export function fileName(brand: string, version: BackupVersion, timestamp: number): string {
  const time = new Date(timestamp * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  return `${brand}-${version.major}.${version.minor}.${version.build}-${time}Z`
}
