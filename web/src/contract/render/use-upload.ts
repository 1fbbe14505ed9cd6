// The state of one upload: how much is sent, what the gateway said, and a way to stop it.

import type { Endpoint } from '@gateway/server/contract'
import { useState } from 'react'
import { Failure } from '../../api/failure.ts'
import { readAgain } from '../../api/reads.ts'
import { upload } from '../../api/upload.ts'

export interface Progress {
  readonly sent: number
  readonly total: number
  /** 0 to 1. */
  readonly share: number
}

export interface Upload {
  readonly progress: Progress | null
  readonly failure: Failure | null
  readonly isDone: boolean
  readonly start: (file: File) => Promise<void>
  readonly stop: () => void
  /** Forgets how the last one ended, since another file was chosen. */
  readonly clear: () => void
}

/** `nameField`: of the query, where the call takes the name of the file. */
export function useUpload(endpoint: Endpoint, reads: readonly Endpoint[], nameField?: string): Upload {
  const [progress, setProgress] = useState<Progress | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isDone, setDone] = useState(false)
  const [control, setControl] = useState<AbortController | null>(null)
  const clear = (): void => {
    setFailure(null)
    setDone(false)
  }
  const start = async (file: File): Promise<void> => {
    const own = new AbortController()
    setControl(own)
    clear()
    setProgress({ sent: 0, total: file.size, share: 0 })
    try {
      await upload(endpoint, file, {
        signal: own.signal,
        ...(nameField === undefined ? {} : { query: { [nameField]: file.name } }),
        onProgress: (sent) => setProgress({ sent, total: file.size, share: file.size === 0 ? 1 : sent / file.size }),
      })
      setDone(true)
      await readAgain(...reads)
    } catch (error) {
      if (error instanceof Failure) setFailure(error)
      else if (!own.signal.aborted) throw error
    } finally {
      setProgress(null)
      setControl(null)
    }
  }
  return { progress, failure, isDone, start, stop: () => control?.abort(), clear }
}
