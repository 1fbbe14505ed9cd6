// Has applyd put a backup on a share.

import type { Applier } from '../../core/plan/artifacts.ts'

/** A backup that is to go to a share. */
export interface ShareUpload {
  /** Its id; applyd knows where it is stored. */
  readonly backup: string
  /** What it is called on the share. */
  readonly name: string
  /** As the administrator wrote it, and the address it was resolved to. */
  readonly server: string
  readonly address: string
  readonly share: string
  /** Inside the share, with slashes; '' for the share itself. */
  readonly folder: string
  readonly login: string
  readonly password: string
}

export type ShareUploadResult =
  | { readonly isDone: true }
  /** `status` is the name of an NT status, `timeout`, `missing` (the program is not installed) or nothing. */
  | { readonly isDone: false; readonly status: string }

export const uploadToShare = (applier: Pick<Applier, 'ask'>, upload: ShareUpload): Promise<ShareUploadResult> =>
  applier.ask({ service: 'share-upload', request: 'upload', args: upload }) as Promise<ShareUploadResult>
