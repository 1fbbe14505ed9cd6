// Takes one file by dropping it or by choosing it.

import { useRef, useState } from 'react'
import { t } from '../words.ts'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import styles from './file-drop.module.css'
import { Icon } from './icon.tsx'
import { PlainText } from './plain-text.tsx'

export interface FileDropProps {
  readonly onFile: (file: File) => void
  readonly accept?: string | undefined
  readonly label: string
  readonly isDisabled?: boolean | undefined
  readonly id?: string | undefined
  readonly describedBy?: string | undefined
}

export function FileDrop({ onFile, accept, label, isDisabled = false, id, describedBy }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [name, setName] = useState<string | null>(null)
  const take = (files: FileList | null) => {
    const file = files?.[0]
    if (file === undefined || isDisabled) return
    setName(file.name)
    onFile(file)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is the first
    <div
      className={cx(styles.drop, isOver && styles.over)}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(!isDisabled)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer.files)
      }}
    >
      <Icon name="file" />
      <span className={styles.text}>{name === null ? t('Drop a file here, or') : <PlainText text={name} />}</span>
      <Button onClick={() => input.current?.click()} isDisabled={isDisabled} size="small">
        {name === null ? t('Choose a file') : t('Choose another file')}
      </Button>
      <input
        ref={input}
        id={id}
        type="file"
        className="visually-hidden"
        accept={accept}
        aria-label={label}
        aria-describedby={describedBy}
        disabled={isDisabled}
        tabIndex={-1}
        onChange={(event) => {
          take(event.currentTarget.files)
          event.currentTarget.value = ''
        }}
      />
    </div>
  )
}
