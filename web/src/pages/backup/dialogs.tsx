// Making a backup and uploading one, both with what happens while it takes its time.

import { backups } from '@gateway/server/contract/backup'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain } from '../../api/reads.ts'
import { upload } from '../../api/upload.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FileDrop } from '../../ui/file-drop.tsx'
import { Link } from '../../ui/link.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { toast } from '../../ui/toast.tsx'
import { printBytes } from '../../util/amount.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './backup.module.css'

interface DialogProps {
  readonly onClose: () => void
}

export function MakeDialog({ onClose }: DialogProps): ReactNode {
  const [comment, setComment] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const make = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      await call(backups.create, { body: { comment } })
      await readAgain(backups.list)
      toast(t('The backup is made.'), { tone: 'ok' })
      onClose()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={t('Make a backup')}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" onClick={() => void make()} isBusy={isBusy}>
            {isBusy ? t('Being made') : t('Make it')}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Field label={t('Comment')} hint={t('So that you find it again.')}>
          {(ids) => (
            <TextInput
              {...ids}
              value={comment}
              onChange={setComment}
              maxLength={255}
              autoFocus
              onEnter={() => void make()}
            />
          )}
        </Field>
        {failure ? <ProblemBox failure={failure} /> : null}
      </div>
    </Dialog>
  )
}

export function UploadDialog({ onClose }: DialogProps): ReactNode {
  const [file, setFile] = useState<File | null>(null)
  const [share, setShare] = useState<number | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const controller = useRef<AbortController | null>(null)
  const start = async (): Promise<void> => {
    if (!file) return
    controller.current = new AbortController()
    setShare(0)
    setFailure(null)
    try {
      await upload(backups.upload, file, {
        onProgress: (sent) => setShare(file.size === 0 ? 1 : Math.min(1, sent / file.size)),
        signal: controller.current.signal,
      })
      await readAgain(backups.list)
      toast(t('The backup is on the gateway.'), { tone: 'ok' })
      onClose()
    } catch (error) {
      if (error instanceof Failure) setFailure(error)
      else if (!(error instanceof DOMException)) throw error
      setShare(null)
    }
  }
  const close = (): void => {
    controller.current?.abort()
    onClose()
  }
  const percent = Math.round((share ?? 0) * 100)
  return (
    <Dialog
      title={t('Upload a backup')}
      onClose={close}
      foot={
        <>
          <Button onClick={close}>{share === null ? t('Cancel') : t('Stop')}</Button>
          <Button kind="primary" onClick={() => void start()} isDisabled={file === null} isBusy={share !== null}>
            {t('Upload')}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <p className={styles.muted}>
          {t('A backup of another gateway needs its recovery key first.')}{' '}
          <Link to="system/backups/key">{t('Recovery key')}</Link>
        </p>
        <FileDrop label={t('Backup file')} onFile={setFile} />
        {share === null || !file ? null : (
          <div
            role="progressbar"
            aria-valuenow={percent}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-label={t('Upload')}
          >
            <div className={styles.progress}>
              <div className={styles.bar} style={{ inlineSize: `${percent}%` }} />
            </div>
            <p className={styles.muted}>
              {share >= 1
                ? t('The gateway opens and checks it.')
                : t('{percent} % of {size}', { percent, size: printBytes(file.size, currentLanguage()) })}
            </p>
          </div>
        )}
        {failure ? <ProblemBox failure={failure} /> : null}
      </div>
    </Dialog>
  )
}
