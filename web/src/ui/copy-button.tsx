// Copies a text and says so for a moment.

import { useEffect, useState } from 'react'
import { t } from '../words.ts'
import { IconButton } from './icon-button.tsx'

export interface CopyButtonProps {
  readonly text: string
  readonly label: string
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? t('Copied') : label} size="small" onClick={copy} />
  )
}
