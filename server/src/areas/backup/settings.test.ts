// What a restored or reverted configuration must not say about automatic backups.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { write } from '../../core/model/slots.ts'
import { type StoredUpload, settings, type UploadKind } from './config.ts'
import { backup } from './index.ts'

const full: StoredUpload = {
  enabled: true,
  server: 'files.example',
  login: 'backup',
  password: { sealed: 'v1.1.a.b' },
  remote_dir: 'share/folder',
}

const faultsOf = (kind: UploadKind, upload: StoredUpload) =>
  (backup.verify?.(write({}, settings, { ...settings.initial, [kind]: upload })) ?? []).map(({ field }) => field)

describe('the settings of automatic backups', () => {
  it('can be empty while the uploads are disabled', () => assert.deepEqual(backup.verify?.({}), []))

  for (const kind of ['ftp', 'cifs'] as const) {
    it(`have everything that an upload by ${kind} needs`, () => {
      assert.deepEqual(faultsOf(kind, full), [])
      assert.deepEqual(faultsOf(kind, { ...full, server: '', login: '', remote_dir: '', password: null }), [
        `backup.settings.${kind}.server`,
        `backup.settings.${kind}.login`,
        `backup.settings.${kind}.remote_dir`,
        `backup.settings.${kind}.password`,
      ])
    })
  }

  it('name a share and a login that Windows and smbclient accept', () => {
    assert.deepEqual(faultsOf('cifs', { ...full, login: 'a%b' }), ['backup.settings.cifs.login'])
    assert.deepEqual(faultsOf('cifs', { ...full, remote_dir: '/./' }), ['backup.settings.cifs.remote_dir'])
    assert.deepEqual(faultsOf('cifs', { ...full, remote_dir: 'share/a:b' }), ['backup.settings.cifs.remote_dir'])
    assert.deepEqual(faultsOf('ftp', { ...full, login: 'a%b', remote_dir: 'a:b' }), [])
  })
})
